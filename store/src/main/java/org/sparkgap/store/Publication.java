// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.store;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;

/**
 * What the manifest of a published table says of its publication (FORMAT.md, Published tables).
 *
 * @param edition counted from 1; a table that is published after it was dropped begins anew
 * @param folder in which the segments stand, never used again
 * @param application that published it
 * @param at when, ISO 8601
 * @param durable folder of the rows as Parquet, null where there is none (yet)
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public record Publication(int edition, String folder, String application, String at, String durable) {
  public Publication {
    if (folder == null) {
      folder = Integer.toString(edition);  // as 0.1.0 wrote it
    }
  }

  /** A name for an edition's folder that no other has, whoever made it and wherever it is gone. */
  static String newFolder(int edition) {
    return edition + "-" + HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong());
  }

  Publication durableIn(String where) {
    return new Publication(edition, folder, application, at, where);
  }
}
