// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.topology;

import java.lang.reflect.Method;

/** The conditions on the calling thread and on the topology before anything is bound. */
final class Caller {
    private static final Method IS_VIRTUAL = isVirtual();

    private Caller() {}

    /** A binding of a virtual thread would bind the carrier, and whatever runs on it next. */
    static void mustBePlatformThread(String what) {
        try {
            if (IS_VIRTUAL != null && (Boolean) IS_VIRTUAL.invoke(Thread.currentThread())) {
                throw HwlocException.refused(
                        what,
                        "a platform thread",
                        "a virtual thread, whose carrier would be bound",
                        "call it from a platform thread");
            }
        } catch (ReflectiveOperationException none) {
            throw new IllegalStateException(none);
        }
    }

    static void mustBeOnThisSystem(Topology topology, String what) {
        if (!topology.isThisSystem()) {
            throw HwlocException.refused(
                    what,
                    "a topology of this machine",
                    "one of another",
                    "load it with Topology.load(), or with the flag IS_THIS_SYSTEM where it is this one");
        }
    }

    /** JDK 21 and later have virtual threads. */
    private static Method isVirtual() {
        try {
            return Thread.class.getMethod("isVirtual");
        } catch (NoSuchMethodException none) {
            return null;
        }
    }
}
