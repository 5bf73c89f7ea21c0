// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.topology;

import java.io.StringReader;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import javax.xml.parsers.SAXParserFactory;
import org.xml.sax.Attributes;
import org.xml.sax.InputSource;
import org.xml.sax.helpers.DefaultHandler;

/**
 * Refuses XML that is not a topology before hwloc sees it. hwloc takes what lstopo wrote; what a broken or forged file breaks is an assertion of its, which
 * would end the JVM. No entity or DTD is fetched.
 */
final class XmlCheck extends DefaultHandler {
  private static final Set<String> SETS = Set.of("cpuset", "complete_cpuset", "online_cpuset", "allowed_cpuset", "nodeset", "complete_nodeset", "allowed_nodeset");
  private static final String ADVICE = "give an XML that lstopo or export() wrote";

  private final Deque<String> open = new ArrayDeque<>();
  private final Deque<Bitmap> cpusets = new ArrayDeque<>();
  private final Set<String> numbers = new HashSet<>();
  private boolean version1;
  private int objects;
  private int pus;

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
      throw HwlocException.refused("topology XML", "well-formed XML", String.valueOf(malformed.getMessage()), ADVICE);
    }
    demand(check.objects > 0 && check.pus > 0, "a machine with at least one PU", check.objects + " objects with " + check.pus + " PUs");
  }

  @Override
  public InputSource resolveEntity(String publicId, String systemId) {
    return new InputSource(new StringReader(""));
  }

  @Override
  public void startElement(String uri, String localName, String name, Attributes attributes) {
    String parent = open.peek();
    demand((parent == null) == (name.equals("topology") || name.equals("root")), "the element topology as root alone", name);
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
      cpusets.pop();
    }
  }

  private void object(String parent, Attributes attributes) {
    String type = attributes.getValue("type");
    demand(type != null, "a type of each object", "none");
    boolean top = !"object".equals(parent);
    // Version 1 knew machines that were NUMA nodes.
    demand(top ? version1 || type.equals("Machine") : !type.equals("Machine") && !type.equals("System"), "one machine around all objects", type + " in " + parent);
    demand(!top || objects == 0, "one machine", "a second");
    objects++;
    String number = attributes.getValue("gp_index");
    demand(number == null || numbers.add(number), "each gp_index once", number + " twice");
    for (int i = 0; i < attributes.getLength(); i++) {
      if (SETS.contains(attributes.getQName(i))) {
        Bitmap.parse(attributes.getValue(i));
      }
    }
    Bitmap around = cpusets.peek();
    Bitmap cpuset = attributes.getValue("cpuset") == null ? around : Bitmap.parse(attributes.getValue("cpuset"));
    demand(around == null || cpuset == null || cpuset.isIncludedIn(around), "a cpuset within its parent's", type + " with " + cpuset + " in " + around);
    if (type.equals("PU")) {
      pus++;
      String index = attributes.getValue("os_index");
      demand(index != null && Bitmap.parseList(index).equals(cpuset), "a PU that has itself as cpuset", "os_index " + index + ", cpuset " + cpuset);
    }
    cpusets.push(cpuset == null ? Bitmap.EMPTY : cpuset);
  }

  private static void demand(boolean holds, String expected, String found) {
    if (!holds) {
      throw HwlocException.refused("topology XML", expected, found, ADVICE);
    }
  }
}
