/* Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where a buffer lies in the body of its batch. */
struct sparkgap_extent {
  int64_t offset, length;
};

/* How many values a column of a batch has, or the elements of its arrays, and how many of them are null. */
struct sparkgap_node {
  int64_t length, null_count;
};

/* Encodes the flatbuffer of an Arrow RecordBatch message; nodes in the order of the fields, depth first. nanoarrow's
   own encoder copies the buffers into a body of its own and aligns them to 8 bytes; ours are written from where they
   are and aligned to 64. Returns memory for free(), its length in *size, or NULL when there is no memory. */
void* sparkgap_encode_record_batch(int64_t rows, const struct sparkgap_node* nodes, size_t n_nodes,
                                   const struct sparkgap_extent* buffers, size_t n_buffers, int64_t body_bytes,
                                   size_t* size);

/* A flatbuffer passes verification with parts missing and numbers wrong that nanoarrow takes for granted. These tell
   whether a verified message is a record batch with all its parts and its buffers inside the body, and whether all
   columns of a verified footer have types, no dictionaries, and metadata (theirs and the schema's) with keys and
   values. */
int sparkgap_is_record_batch(const void* message, int64_t body_bytes);
int sparkgap_footer_has_columns(const void* footer);

#ifdef __cplusplus
}
#endif
