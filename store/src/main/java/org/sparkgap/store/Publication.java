// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.store;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;

/**
 * What the manifest of a published table says of its publication (FORMAT.md, Published tables).
 *
 * @param edition counted from 1
 * @param application that published it
 * @param at when, ISO 8601
 * @param durable folder of the rows as Parquet, null where there is none (yet)
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public record Publication(int edition, String application, String at, String durable) {}
