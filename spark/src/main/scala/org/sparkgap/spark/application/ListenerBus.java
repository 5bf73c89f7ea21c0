// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.application;

import org.apache.spark.SparkContext;
import org.apache.spark.scheduler.SparkListenerEvent;

/**
 * Posts an event to Spark's listeners. Spark has no public call for it, and hides its own from Scala but not from Java.
 */
public final class ListenerBus {
    private ListenerBus() {}

    public static void post(SparkContext context, SparkListenerEvent event) {
        context.listenerBus().post(event);
    }
}
