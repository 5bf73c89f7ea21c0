// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.store;

import java.io.Serializable;

/** A column of a table: its name as the user knows it, its type, and whether it may hold nulls. */
public record Column(String name, ColumnType type, boolean nullable) implements Serializable {}
