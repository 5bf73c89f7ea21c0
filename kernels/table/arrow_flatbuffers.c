/* Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0 */
#include "table/arrow_flatbuffers.h"

#include <nanoarrow/ipc/flatcc_generated.h>
#include <stdlib.h>

#define ns(x) FLATBUFFERS_WRAP_NAMESPACE(org_apache_arrow_flatbuf, x)

static int encode(flatcc_builder_t* builder, int64_t rows, const struct sparkgap_node* nodes, size_t n_nodes,
                  const struct sparkgap_extent* buffers, size_t n_buffers, int64_t body_bytes) {
  if (ns(Message_start_as_root(builder)) || ns(Message_version_add(builder, ns(MetadataVersion_V5))) ||
      ns(Message_header_RecordBatch_start(builder)) || ns(RecordBatch_length_add(builder, rows)))
    return -1;

  if (ns(RecordBatch_nodes_start(builder))) return -1;
  ns(FieldNode_t)* encoded = ns(RecordBatch_nodes_extend(builder, n_nodes));
  if (encoded == NULL && n_nodes > 0) return -1;
  for (size_t i = 0; i < n_nodes; ++i) ns(FieldNode_assign_to_pe(&encoded[i], nodes[i].length, nodes[i].null_count));
  if (ns(RecordBatch_nodes_end(builder))) return -1;

  if (ns(RecordBatch_buffers_start(builder))) return -1;
  ns(Buffer_t)* extents = ns(RecordBatch_buffers_extend(builder, n_buffers));
  if (extents == NULL && n_buffers > 0) return -1;
  for (size_t i = 0; i < n_buffers; ++i) ns(Buffer_assign_to_pe(&extents[i], buffers[i].offset, buffers[i].length));
  if (ns(RecordBatch_buffers_end(builder))) return -1;

  if (ns(Message_header_RecordBatch_end(builder)) || ns(Message_bodyLength_add(builder, body_bytes))) return -1;
  return ns(Message_end_as_root(builder)) ? 0 : -1;
}

void* sparkgap_encode_record_batch(int64_t rows, const struct sparkgap_node* nodes, size_t n_nodes,
                                   const struct sparkgap_extent* buffers, size_t n_buffers, int64_t body_bytes,
                                   size_t* size) {
  flatcc_builder_t builder;
  if (flatcc_builder_init(&builder)) return NULL;
  void* message = NULL;
  if (encode(&builder, rows, nodes, n_nodes, buffers, n_buffers, body_bytes) == 0) {
    *size = flatcc_builder_get_buffer_size(&builder);
    message = malloc(*size);
    if (message != NULL) flatcc_builder_copy_buffer(&builder, message, *size);
  }
  flatcc_builder_clear(&builder);
  return message;
}

int sparkgap_is_record_batch(const void* message, int64_t body_bytes) {
  ns(Message_table_t) root = ns(Message_as_root(message));
  if (root == NULL || ns(Message_header_type(root)) != ns(MessageHeader_RecordBatch) ||
      ns(Message_header(root)) == NULL)
    return 0;
  ns(RecordBatch_table_t) batch = (ns(RecordBatch_table_t))ns(Message_header(root));
  ns(Buffer_vec_t) buffers = ns(RecordBatch_buffers(batch));
  if (ns(RecordBatch_nodes(batch)) == NULL || buffers == NULL) return 0;
  for (size_t i = 0; i < ns(Buffer_vec_len(buffers)); ++i) {
    ns(Buffer_struct_t) buffer = ns(Buffer_vec_at(buffers, i));
    const int64_t offset = ns(Buffer_offset(buffer)), length = ns(Buffer_length(buffer));
    if (offset < 0 || length < 0 || offset > body_bytes || length > body_bytes - offset) return 0;
  }
  return 1;
}

static int are_pairs(ns(KeyValue_vec_t) metadata) {
  for (size_t i = 0; i < ns(KeyValue_vec_len(metadata)); ++i) {
    ns(KeyValue_table_t) pair = ns(KeyValue_vec_at(metadata, i));
    if (pair == NULL || ns(KeyValue_key(pair)) == NULL || ns(KeyValue_value(pair)) == NULL) return 0;
  }
  return 1;
}

static int are_columns(ns(Field_vec_t) fields) {
  for (size_t i = 0; i < ns(Field_vec_len(fields)); ++i) {
    ns(Field_table_t) field = ns(Field_vec_at(fields, i));
    if (field == NULL || ns(Field_type_type(field)) == ns(Type_NONE) || ns(Field_type(field)) == NULL ||
        ns(Field_dictionary(field)) != NULL || !are_pairs(ns(Field_custom_metadata(field))) ||
        !are_columns(ns(Field_children(field))))
      return 0;
  }
  return 1;
}

int sparkgap_footer_has_columns(const void* footer) {
  ns(Footer_table_t) root = ns(Footer_as_root(footer));
  ns(Schema_table_t) schema = root != NULL ? ns(Footer_schema(root)) : NULL;
  return schema != NULL && are_pairs(ns(Schema_custom_metadata(schema))) && are_columns(ns(Schema_fields(schema)));
}
