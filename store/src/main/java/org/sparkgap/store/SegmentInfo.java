// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.store;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import java.io.Serializable;

/**
 * One segment as the manifest names it.
 *
 * @param bytes size of the file
 * @param crc32c CRC-32C of the whole file, eight hex digits
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public record SegmentInfo(String host, String path, long rows, long bytes, String crc32c) implements Serializable {
  /** The same under another name of its host. */
  public SegmentInfo on(String name) {
    return new SegmentInfo(name, path, rows, bytes, crc32c);
  }
}
