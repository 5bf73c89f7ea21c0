// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.launch;

import java.util.List;
import org.sparkgap.store.SparkGapException;

/** A job was ended by its deadline or by whoever cancelled it: it is not tried again, whatever else was lost meanwhile. */
public final class StoppedException extends JobException {
  private static final long serialVersionUID = 1L;

  /** @param host may be null where it says nothing */
  public StoppedException(String text, String host, List<String> logTail) {
    super(SparkGapException.LOST, text, null, host, null, logTail);
  }
}
