// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.topology;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;

/**
 * Which machine to load, and how much of it.
 *
 * <pre>{@code
 * Topology all = Topology.builder().filterAll(TypeFilter.KEEP_ALL).flags(TopologyFlag.INCLUDE_DISALLOWED).load();
 * Topology devices = Topology.builder().filterIo(TypeFilter.KEEP_IMPORTANT).load();
 * Topology other = Topology.builder().xml(Path.of("machine.xml")).load();
 * }</pre>
 *
 * <p>The last of xml, synthetic and pid counts; none of them is this machine.
 */
public final class TopologyBuilder {
    private static final int TERMINATOR = 1;

    private final Map<ObjectType, TypeFilter> filters = new EnumMap<>(ObjectType.class);
    private final Set<TopologyFlag> flags = EnumSet.noneOf(TopologyFlag.class);
    private TypeFilter all;
    private boolean mayChangeBinding;
    private String without;
    private String xml;
    private String synthetic;
    private long pid;

    TopologyBuilder() {}

    /** As lstopo or {@link TopologyExport} writes it. hwloc 2 reads versions 1 and 2, hwloc 3 versions 2 and 3. */
    public TopologyBuilder xml(Path file) {
        try {
            return xml(Files.readString(file));
        } catch (IOException unreadable) {
            throw new UncheckedIOException(
                    "topology: expected a readable XML, found none in " + file + ". Do name one that lstopo wrote.",
                    unreadable);
        }
    }

    public TopologyBuilder xml(String text) {
        source(text, null, 0);
        return this;
    }

    /** Levels from the machine down, e.g. {@code "pack:2 [numa] l3:1 core:8 pu:2"}. At most 2^14 objects in a level. */
    public TopologyBuilder synthetic(String description) {
        source(null, description, 0);
        return this;
    }

    /** This machine, as far as another process may use it. */
    public TopologyBuilder pid(long process) {
        source(null, null, process);
        return this;
    }

    public TopologyBuilder filter(ObjectType type, TypeFilter filter) {
        filters.put(type, filter);
        return this;
    }

    /**
     * For all types, as far as each can: PUs, NUMA nodes and the machine always stay, groups are never all kept.
     * Filters that follow it count more.
     */
    public TopologyBuilder filterAll(TypeFilter filter) {
        filters.clear();
        all = filter;
        return this;
    }

    /** Bridges, PCI and OS devices; none are kept by default. */
    public TopologyBuilder filterIo(TypeFilter filter) {
        return filter(ObjectType.BRIDGE, filter)
                .filter(ObjectType.PCI_DEVICE, filter)
                .filter(ObjectType.OS_DEVICE, filter);
    }

    public TopologyBuilder flags(TopologyFlag... more) {
        flags.addAll(Arrays.asList(more));
        return this;
    }

    /**
     * Lets hwloc move this thread from processor to processor while it looks; on x86 it then tells a little more about
     * caches.
     */
    public TopologyBuilder mayChangeBinding() {
        mayChangeBinding = true;
        return this;
    }

    /** Leaves out parts of hwloc, e.g. "pci,opencl". */
    public TopologyBuilder withoutComponents(String names) {
        without = names;
        return this;
    }

    /**
     * Errors: HwlocException where there is no hwloc, the XML or description is none, or hwloc cannot do what is asked.
     */
    public Topology load() {
        Hwloc.require();
        long[] made = new long[1];
        check(Calls.hwloc_topology_init(made), "hwloc_topology_init", "give the process more memory");
        boolean done = false;
        try {
            configure(made[0]);
            check(
                    Calls.hwloc_topology_load(made[0]),
                    "loading " + what(),
                    "look whether this version of hwloc, " + Hwloc.version() + ", reads it");
            Topology topology = new Topology(made[0]);
            done = true;
            return topology;
        } finally {
            if (!done) {
                Calls.hwloc_topology_destroy(made[0]);
            }
        }
    }

    private void configure(long topology) {
        Set<TopologyFlag> chosen = EnumSet.noneOf(TopologyFlag.class);
        chosen.addAll(flags);
        if (xml == null && synthetic == null && !mayChangeBinding && TopologyFlag.DONT_CHANGE_BINDING.isKnown()) {
            chosen.add(TopologyFlag.DONT_CHANGE_BINDING);
        }
        check(
                Calls.hwloc_topology_set_flags(topology, TopologyFlag.bits(chosen)),
                "the flags " + chosen,
                "leave out those that exclude each other");
        if (all != null) {
            check(
                    Calls.hwloc_topology_set_all_types_filter(topology, all.ordinal()),
                    "the filter " + all,
                    "choose another");
        }
        filters.forEach((type, filter) -> check(
                Calls.hwloc_topology_set_type_filter(topology, AttributeLayout.number(type), filter.ordinal()),
                "the filter " + filter + " for " + type.hwlocName(),
                "choose one that this type can have"));
        if (without != null) {
            for (String name : without.split(",")) {
                check(
                        Calls.hwloc_topology_set_components(topology, 1, name.strip()),
                        "leaving out the component " + name,
                        "name one that this hwloc has");
            }
        }
        if (xml != null) {
            XmlCheck.check(xml);
            byte[] text = xml.getBytes(StandardCharsets.UTF_8);
            byte[] terminated = Arrays.copyOf(text, text.length + TERMINATOR);
            check(
                    Calls.hwloc_topology_set_xmlbuffer(topology, terminated, terminated.length),
                    "reading the XML",
                    "give one that lstopo wrote");
        } else if (synthetic != null) {
            SyntheticCheck.check(synthetic);
            check(
                    Calls.hwloc_topology_set_synthetic(topology, synthetic),
                    "the synthetic description \"" + synthetic + "\"",
                    "write levels such as pack:2 core:4 pu:2");
        } else if (pid != 0) {
            check(
                    Calls.hwloc_topology_set_pid(topology, Math.toIntExact(pid)),
                    "the view of process " + pid,
                    "name a process of this machine");
        }
    }

    private void source(String newXml, String newSynthetic, long newPid) {
        xml = newXml;
        synthetic = newSynthetic;
        pid = newPid;
    }

    private String what() {
        return xml != null ? "the XML" : synthetic != null ? "\"" + synthetic + "\"" : "this machine";
    }

    private static void check(int result, String call, String advice) {
        if (result != 0) {
            throw HwlocException.failed(call, advice);
        }
    }
}
