// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.launch;

import java.nio.file.Path;

/**
 * An executable that keeps docs/program-contract.md.
 *
 * @param name as job.json names it
 * @param guard the sparkgap-rank that stands around each rank
 */
public record Program(String name, Path executable, Path guard) {}
