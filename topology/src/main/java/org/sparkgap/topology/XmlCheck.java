// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.topology;

import java.io.StringReader;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.xml.parsers.SAXParserFactory;
import org.xml.sax.Attributes;
import org.xml.sax.InputSource;
import org.xml.sax.helpers.DefaultHandler;

/**
 * Refuses XML that is not a topology before hwloc sees it. hwloc takes what lstopo wrote; what a broken or forged file
 * breaks is an assertion of its, which would end the JVM. No entity or DTD is fetched.
 */
final class XmlCheck extends DefaultHandler {
    private static final Set<String> SETS = Set.of(
            "cpuset",
            "complete_cpuset",
            "online_cpuset",
            "allowed_cpuset",
            "nodeset",
            "complete_nodeset",
            "allowed_nodeset");
    private static final Set<String> VERSION_1 = Set.of(
            "System",
            "Machine",
            "NUMANode",
            "Node",
            "Package",
            "Socket",
            "Cache",
            "L1Cache",
            "L2Cache",
            "L3Cache",
            "L4Cache",
            "L5Cache",
            "L1iCache",
            "L2iCache",
            "L3iCache",
            "Core",
            "PU",
            "Group");
    private static final Set<String> VERSION_1_IO = Set.of("Bridge", "PCIDev", "OSDev", "Misc");
    private static final String ADVICE = "give an XML that lstopo or export() wrote";

    /** As libxml2, which not every hwloc is built with. */
    private static final int DEEPEST = 256;

    private final Deque<String> open = new ArrayDeque<>();
    private final Deque<Map<String, Bitmap>> sets = new ArrayDeque<>();
    private final Set<String> numbers = new HashSet<>();
    private boolean version1;
    private int objects;
    private int pus;
    private int nodes;

    private XmlCheck() {}

    static void check(String text) {
        XmlCheck check = new XmlCheck();
        try {
            SAXParserFactory parsers = SAXParserFactory.newInstance();
            parsers.setFeature("http://apache.org/xml/features/nonvalidating/load-external-dtd", false);
            parsers.setFeature("http://xml.org/sax/features/external-general-entities", false);
            parsers.setFeature("http://xml.org/sax/features/external-parameter-entities", false);
            parsers.newSAXParser().parse(new InputSource(new StringReader(text)), check);
        } catch (HwlocException | IllegalArgumentException refused) {
            throw refused;
        } catch (Exception malformed) {
            throw HwlocException.refused(
                    "topology XML",
                    "well-formed XML",
                    String.valueOf(malformed.getMessage()).replaceAll("\\.+$", ""),
                    ADVICE);
        }
        demand(
                check.objects > 0 && check.pus > 0 && (check.version1 || check.nodes > 0),
                "a machine with at least one PU and one NUMA node",
                check.objects + " objects with " + check.pus + " PUs and " + check.nodes + " NUMA nodes");
    }

    @Override
    public InputSource resolveEntity(String publicId, String systemId) {
        return new InputSource(new StringReader(""));
    }

    @Override
    public void startElement(String uri, String localName, String name, Attributes attributes) {
        String parent = open.peek();
        demand(open.size() < DEEPEST, "at most " + DEEPEST + " elements in each other", "more");
        demand(
                (parent == null) == (name.equals("topology") || name.equals("root")),
                "the element topology as root alone",
                name);
        if (parent == null) {
            version1 = attributes.getValue("version") == null;
        } else if (name.equals("object")) {
            object(parent, attributes);
        }
        open.push(name);
    }

    @Override
    public void endElement(String uri, String localName, String name) {
        open.pop();
        if (name.equals("object")) {
            sets.pop();
        }
    }

    private void object(String parent, Attributes attributes) {
        String type = attributes.getValue("type");
        demand(type != null, "a type of each object", "none");
        boolean top = !"object".equals(parent);
        // Version 1 knew machines that were NUMA nodes.
        demand(
                top ? version1 || type.equals("Machine") : !type.equals("Machine") && !type.equals("System"),
                "one machine around all objects",
                type + " in " + parent);
        demand(!top || objects == 0, "one machine", "a second");
        objects++;
        Map<String, Bitmap> here = new HashMap<>();
        for (int i = 0; i < attributes.getLength(); i++) {
            if (SETS.contains(attributes.getQName(i))) {
                Bitmap set = Bitmap.parse(attributes.getValue(i));
                demand(
                        version1 && attributes.getQName(i).endsWith("nodeset") || !set.isEndless(),
                        "sets that end",
                        attributes.getQName(i) + " " + set.toList());
                here.put(attributes.getQName(i), set);
            }
        }
        if (version1) {
            boolean withSets = !VERSION_1_IO.contains(type);
            demand(
                    !withSets || VERSION_1.contains(type) && here.containsKey("cpuset"),
                    "types of version 1, with their cpusets",
                    type);
        } else {
            version2(ObjectType.named(type), attributes, here);
        }
        Bitmap cpuset = here.get("cpuset");
        within("cpuset", here, type);
        if (type.equals("PU")) {
            pus++;
            String index = attributes.getValue("os_index");
            demand(
                    index != null && Bitmap.of(number(index)).equals(cpuset),
                    "a PU that has itself as cpuset",
                    "os_index " + index + ", cpuset " + cpuset);
            demand(numbers.add("PU " + index), "each PU once", index + " twice");
        }
        // I/O and Misc objects have no sets: what is below them is measured by what is around them.
        sets.push(here.isEmpty() && !sets.isEmpty() ? sets.peek() : here);
    }

    private void version2(ObjectType type, Attributes attributes, Map<String, Bitmap> here) {
        String number = attributes.getValue("gp_index");
        demand(
                number != null && number.matches("[0-9]{1,18}") && numbers.add(number),
                "one gp_index for each object",
                type + " with " + number);
        if (type.isIo() || type == ObjectType.MISC) {
            demand(here.isEmpty(), "no sets of I/O and Misc objects", type + " with " + here.keySet());
            return;
        }
        for (String name : List.of("cpuset", "complete_cpuset", "nodeset", "complete_nodeset")) {
            demand(here.containsKey(name), "the set " + name, type + " without");
        }
        for (String name : List.of("complete_cpuset", "nodeset", "complete_nodeset")) {
            within(name, here, type.hwlocName());
        }
        demand(
                here.get("cpuset").isIncludedIn(here.get("complete_cpuset")),
                "a cpuset within its complete_cpuset",
                type + " with " + here);
        demand(
                here.get("nodeset").isIncludedIn(here.get("complete_nodeset")),
                "a nodeset within its complete_nodeset",
                type + " with " + here);
        if (type == ObjectType.PU) {
            demand(
                    here.get("cpuset").equals(here.get("complete_cpuset")),
                    "a PU whose sets are equal",
                    here.toString());
        }
        if (type == ObjectType.NUMANODE) {
            nodes++;
            String index = attributes.getValue("os_index");
            demand(
                    index != null
                            && Bitmap.of(number(index)).equals(here.get("nodeset"))
                            && here.get("nodeset").equals(here.get("complete_nodeset")),
                    "a NUMA node that has itself as nodeset",
                    "os_index " + index + ", sets " + here);
            demand(numbers.add("node " + index), "each NUMA node once", index + " twice");
        }
    }

    private void within(String name, Map<String, Bitmap> here, String type) {
        Bitmap around = sets.isEmpty() ? null : sets.peek().get(name);
        Bitmap set = here.get(name);
        demand(
                around == null || set == null || set.isIncludedIn(around),
                "a " + name + " within its parent's",
                type + " with " + set + " in " + around);
    }

    private static int number(String digits) {
        demand(digits.matches("[0-9]{1,7}"), "numbers of PUs and NUMA nodes", digits);
        return Integer.parseInt(digits);
    }

    private static void demand(boolean holds, String expected, String found) {
        if (!holds) {
            throw HwlocException.refused("topology XML", expected, found, ADVICE);
        }
    }
}
