// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.store;

import com.google.flatbuffers.FlatBufferBuilder;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.apache.arrow.flatbuf.Block;
import org.apache.arrow.flatbuf.Buffer;
import org.apache.arrow.flatbuf.FieldNode;
import org.apache.arrow.flatbuf.Footer;
import org.apache.arrow.flatbuf.Message;
import org.apache.arrow.flatbuf.MessageHeader;
import org.apache.arrow.flatbuf.MetadataVersion;
import org.apache.arrow.flatbuf.RecordBatch;

/**
 * The messages between the buffers of a segment: schema, record batch, end, footer. See {@link ArrowSchema} for the
 * why.
 */
final class ArrowMetadata {
    static final byte[] MAGIC = {'A', 'R', 'R', 'O', 'W', '1'};
    static final int CONTINUATION = 0xFFFFFFFF;
    /** Continuation mark and length before each message. */
    static final int PREFIX_BYTES = 8;

    /** Where a record batch stands: metadata bytes include the prefix and the padding. */
    record BlockPlace(long offset, int metadataBytes, long bodyBytes) {}

    private ArrowMetadata() {}

    /** The first bytes of a file: magic and schema, up to a multiple of 64. */
    static ByteBuffer head(List<Column> columns) {
        FlatBufferBuilder builder = new FlatBufferBuilder(1024);
        int schema = ArrowSchema.write(builder, columns);
        finishMessage(builder, MessageHeader.Schema, schema, 0);
        ByteBuffer message = message(builder, 8);
        ByteBuffer head = NativeMemory.allocate(8 + message.remaining());
        head.put(0, MAGIC).position(8).put(message);
        return head.clear();
    }

    /**
     * The message before a record batch's body, up to a multiple of 64. Buffers stand one after the other, each padded
     * to 64; columns are depth-first.
     */
    static ByteBuffer recordBatch(int rows, List<ColumnBuffer> columns) {
        FlatBufferBuilder builder = new FlatBufferBuilder(256 + 64 * columns.size());
        int buffers = columns.stream().mapToInt(c -> c.lengths().length).sum();
        long[] starts = new long[buffers];
        long[] lengths = new long[buffers];
        long body = 0;
        int at = 0;
        for (ColumnBuffer column : columns) {
            for (long length : column.lengths()) {
                starts[at] = body;
                lengths[at++] = length;
                body += Alignment.up(length);
            }
        }
        RecordBatch.startNodesVector(builder, columns.size());
        for (int i = columns.size() - 1; i >= 0; i--) {
            FieldNode.createFieldNode(
                    builder, columns.get(i).rows(), columns.get(i).nulls());
        }
        int nodes = builder.endVector();
        RecordBatch.startBuffersVector(builder, buffers);
        for (int i = buffers - 1; i >= 0; i--) {
            Buffer.createBuffer(builder, starts[i], lengths[i]);
        }
        int places = builder.endVector();
        RecordBatch.startRecordBatch(builder);
        RecordBatch.addLength(builder, rows);
        RecordBatch.addNodes(builder, nodes);
        RecordBatch.addBuffers(builder, places);
        finishMessage(builder, MessageHeader.RecordBatch, RecordBatch.endRecordBatch(builder), body);
        return message(builder, 0);
    }

    /** The last bytes of a file: end of stream, footer, its length, magic. */
    static ByteBuffer tail(List<Column> columns, List<BlockPlace> batches) {
        FlatBufferBuilder builder = new FlatBufferBuilder(1024 + 32 * batches.size());
        int schema = ArrowSchema.write(builder, columns);
        Footer.startDictionariesVector(builder, 0);
        int dictionaries = builder.endVector();
        Footer.startRecordBatchesVector(builder, batches.size());
        for (int i = batches.size() - 1; i >= 0; i--) {
            BlockPlace place = batches.get(i);
            Block.createBlock(builder, place.offset(), place.metadataBytes(), place.bodyBytes());
        }
        int blocks = builder.endVector();
        Footer.startFooter(builder);
        Footer.addVersion(builder, MetadataVersion.V5);
        Footer.addSchema(builder, schema);
        Footer.addDictionaries(builder, dictionaries);
        Footer.addRecordBatches(builder, blocks);
        Footer.finishFooterBuffer(builder, Footer.endFooter(builder));
        ByteBuffer footer = builder.dataBuffer();
        int bytes = footer.remaining();
        ByteBuffer tail = ByteBuffer.allocateDirect(PREFIX_BYTES + bytes + Integer.BYTES + MAGIC.length)
                .order(ByteOrder.LITTLE_ENDIAN);
        tail.putInt(CONTINUATION).putInt(0).put(footer).putInt(bytes).put(MAGIC);
        return tail.flip();
    }

    private static void finishMessage(FlatBufferBuilder builder, byte kind, int header, long bodyBytes) {
        Message.startMessage(builder);
        Message.addVersion(builder, MetadataVersion.V5);
        Message.addHeaderType(builder, kind);
        Message.addHeader(builder, header);
        Message.addBodyLength(builder, bodyBytes);
        Message.finishMessageBuffer(builder, Message.endMessage(builder));
    }

    /** Prefix, message and zeros, so long that {@code before} bytes and this end at a multiple of 64. */
    private static ByteBuffer message(FlatBufferBuilder builder, int before) {
        ByteBuffer body = builder.dataBuffer();
        int bytes = (int) Alignment.up(before + PREFIX_BYTES + body.remaining()) - before;
        ByteBuffer message = ByteBuffer.allocateDirect(bytes).order(ByteOrder.LITTLE_ENDIAN);
        message.putInt(CONTINUATION).putInt(bytes - PREFIX_BYTES).put(body);
        return message.clear();
    }
}
