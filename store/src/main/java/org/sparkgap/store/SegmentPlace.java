// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.store;

import java.nio.file.Path;

/** The folder for a writer's segments; asked again for each segment. */
public interface SegmentPlace {
    /** The folder of a segment whose first part has that many bytes. */
    Path begin(long bytes);

    /** Whether the segment may grow by that many bytes in its folder; if not, it ends and the next one begins. */
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
