// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.mapreduce.task;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.io.WritableComparator;
import org.apache.hadoop.util.ReflectionUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What Hadoop remembers of classes for as long as its JVM lives, which is one task there. Here it would keep the
 * classes of every task, with all that their static fields hold.
 */
final class HadoopCaches {
    private static final Logger LOG = LoggerFactory.getLogger("sparkgap");
    private static final List<Map<Class<?>, ?>> ALL = new ArrayList<>();

    static {
        add(ReflectionUtils.class, "CONSTRUCTOR_CACHE");
        add(WritableComparator.class, "comparators");
    }

    private HadoopCaches() {}

    @SuppressWarnings("unchecked")
    private static void add(Class<?> owner, String name) {
        try {
            Field field = owner.getDeclaredField(name);
            field.setAccessible(true);
            ALL.add((Map<Class<?>, ?>) field.get(null));
        } catch (ReflectiveOperationException | RuntimeException e) {
            LOG.warn("{} has no {}: classes of tasks stay in memory until their executor ends", owner, name);
        }
    }

    /** Forgets the classes of a loader that no task has any more. */
    static void forget(ClassLoader loader) {
        ALL.forEach(cache -> cache.keySet().removeIf(type -> type.getClassLoader() == loader));
    }
}
