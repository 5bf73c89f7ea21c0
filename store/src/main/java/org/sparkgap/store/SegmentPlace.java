// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.store;

import java.nio.file.Path;

/** Where a writer's segments go; it is asked anew for each. */
public interface SegmentPlace {
    /** The folder of a segment that begins with that many bytes. */
    Path begin(long bytes);

    /** Whether the segment may grow by that many bytes where it is; otherwise it ends, and the next one begins. */
    boolean grow(long bytes);

    /** Always the same folder. */
    static SegmentPlace of(Path folder) {
        return new SegmentPlace() {
            @Override
            public Path begin(long bytes) {
                return folder;
            }

            @Override
            public boolean grow(long bytes) {
                return true;
            }
        };
    }
}
