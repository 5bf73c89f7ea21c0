// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.launch;

import java.util.List;
import org.sparkgap.store.SparkGapException;

/** A job failed because an agent, its executor or its host was lost: without it, the job may be tried again. */
public final class LostHostException extends JobException {
    private static final long serialVersionUID = 1L;

    /** @param host may be null if unknown */
    public LostHostException(String text, String host) {
        super(SparkGapException.LOST, text, null, host, null, List.of());
    }
}
