// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.profile;

import java.io.Serializable;

/** An executor has sent all that it had. */
record ExecutorEnded(String executor) implements Serializable {}
