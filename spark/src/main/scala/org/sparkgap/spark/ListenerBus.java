// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark;

import org.apache.spark.SparkContext;
import org.apache.spark.scheduler.SparkListenerEvent;

/** Tells Spark's listeners something. Spark has no public call for it, and hides its own from Scala but not from Java. */
final class ListenerBus {
  private ListenerBus() {}

  static void post(SparkContext context, SparkListenerEvent event) {
    context.listenerBus().post(event);
  }
}
