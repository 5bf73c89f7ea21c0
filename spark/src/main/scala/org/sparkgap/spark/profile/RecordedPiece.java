// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.profile;

import java.io.Serializable;

/** A recording of the seconds since the one before, as Java's Flight Recorder writes it. */
record RecordedPiece(String executor, byte[] recording) implements Serializable {}
