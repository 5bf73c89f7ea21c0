// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.topology;

/**
 * What an object is. Normal types make the tree from the machine down to its PUs (processing units: hardware threads);
 * memory, I/O and Misc objects hang beside it. The names are hwloc's own; its numbers differ between versions and are
 * not shown.
 */
public enum ObjectType {
    MACHINE("Machine"),
    PACKAGE("Package"),
    DIE("Die"),
    CORE("Core"),
    PU("PU"),
    L1CACHE("L1Cache"),
    L2CACHE("L2Cache"),
    L3CACHE("L3Cache"),
    L4CACHE("L4Cache"),
    L5CACHE("L5Cache"),
    L1ICACHE("L1iCache"),
    L2ICACHE("L2iCache"),
    L3ICACHE("L3iCache"),
    GROUP("Group"),
    NUMANODE("NUMANode"),
    MEMCACHE("MemCache"),
    BRIDGE("Bridge"),
    PCI_DEVICE("PCIDev"),
    OS_DEVICE("OSDev"),
    MISC("Misc");

    private final String hwlocName;

    ObjectType(String hwlocName) {
        this.hwlocName = hwlocName;
    }

    /** As hwloc and its XML spell it, e.g. NUMANode. */
    public String hwlocName() {
        return hwlocName;
    }

    /** Errors: IllegalArgumentException for a name that hwloc does not have. Case does not matter. */
    public static ObjectType named(String name) {
        for (ObjectType type : values()) {
            if (type.hwlocName.equalsIgnoreCase(name)) {
                return type;
            }
        }
        throw new IllegalArgumentException("object type: expected a name such as Package, Core or L3Cache, found "
                + name + ". Do use hwloc's names.");
    }

    public boolean isDataCache() {
        return ordinal() >= L1CACHE.ordinal() && ordinal() <= L5CACHE.ordinal();
    }

    public boolean isInstructionCache() {
        return ordinal() >= L1ICACHE.ordinal() && ordinal() <= L3ICACHE.ordinal();
    }

    public boolean isCache() {
        return isDataCache() || isInstructionCache();
    }

    public boolean isMemory() {
        return this == NUMANODE || this == MEMCACHE;
    }

    public boolean isIo() {
        return this == BRIDGE || this == PCI_DEVICE || this == OS_DEVICE;
    }

    /** In the tree of processors: has a depth from 0 on, and sets of its own. */
    public boolean isNormal() {
        return !isMemory() && !isIo() && this != MISC;
    }
}
