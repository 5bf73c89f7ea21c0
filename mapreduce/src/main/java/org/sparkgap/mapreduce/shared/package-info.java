// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
/** A session that several programs share: takes their calls over a socket of one user, gives them to one Spark. */
package org.sparkgap.mapreduce.shared;
