// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
/** Takes the arguments of a CALL, and gives them checked by the kernel's Spec. */
package org.sparkgap.spark.call;
