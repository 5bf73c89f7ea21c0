// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.mapreduce.task;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.charset.Charset;
import java.util.Set;
import java.util.regex.Pattern;

/** Whether a class keeps anything between two tasks that run one after the other. */
final class StaticState {
    private static final Set<Class<?>> CONSTANTS = Set.of(
            String.class,
            Boolean.class,
            Byte.class,
            Character.class,
            Short.class,
            Integer.class,
            Long.class,
            Float.class,
            Double.class,
            Class.class,
            Pattern.class,
            Charset.class);
    /** By name, for a job may bring its own. */
    private static final Set<String> LOGGERS = Set.of("org.slf4j.Logger", "org.apache.commons.logging.Log");

    private StaticState() {}

    /** Whether all static fields are final and of types that nothing can change; what cannot be told is no. */
    static boolean isConstant(Class<?> type) {
        try {
            for (Field field : type.getDeclaredFields()) {
                if (Modifier.isStatic(field.getModifiers()) && !field.isSynthetic() && !isConstant(field)) {
                    return false;
                }
            }
            return true;
        } catch (LinkageError e) {
            return false; // a field is of a class that is not there
        }
    }

    private static boolean isConstant(Field field) {
        Class<?> type = field.getType();
        boolean isUnchanging =
                type.isPrimitive() || type.isEnum() || CONSTANTS.contains(type) || LOGGERS.contains(type.getName());
        return Modifier.isFinal(field.getModifiers()) && isUnchanging;
    }
}
