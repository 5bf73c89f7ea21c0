// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Collectors;
import java.util.zip.CRC32C;
import org.apache.arrow.flatbuf.Block;
import org.apache.arrow.flatbuf.Footer;
import org.apache.arrow.flatbuf.Message;
import org.apache.arrow.flatbuf.MessageHeader;
import org.apache.arrow.flatbuf.RecordBatch;

/**
 * A mapped segment: the addresses of each column's buffers of each batch. Nothing is copied.
 *
 * <p>A reader of an address must keep a reference to the Segment: the mapping ends when the collector finds none, never
 * earlier. Opening checks addresses and lengths against the file's size, but not the offsets of strings and arrays: a
 * reader compares each with {@link #dataBytes} or the rows of the elements.
 *
 * <p>Errors: code 3 if the file is missing or breaks FORMAT.md.
 */
public final class Segment {
    /** The advice if one is lost. */
    public static final String AGAIN =
            "Do make the table again; the result of a call is made anew when it is queried again";

    private static final int BLOCK_BYTES = 24;
    private static final int TAIL_BYTES = Integer.BYTES + ArrowMetadata.MAGIC.length;

    private final Path path;
    private final MappedByteBuffer mapping;
    private final long start;
    private List<Column> columns;
    private int[] rows;
    private List<List<ColumnPlace>> places;

    private Segment(Path path, MappedByteBuffer mapping) {
        this.path = path;
        this.mapping = mapping;
        this.start = NativeMemory.address(mapping);
    }

    public static Segment open(Path path) {
        Segment segment;
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            long bytes = channel.size();
            if (bytes > Integer.MAX_VALUE) {
                throw wrong(path, "at most " + SegmentWriter.MAX_SEGMENT_BYTES + " bytes", bytes + " bytes", null);
            }
            segment = new Segment(path, channel.map(FileChannel.MapMode.READ_ONLY, 0, bytes));
        } catch (NoSuchFileException e) {
            throw wrong(path, "a segment", "no such file: its table was dropped or its owner has ended", e);
        } catch (IOException e) {
            throw wrong(path, "a segment that can be read", String.valueOf(e.getMessage()), e);
        }
        try {
            segment.parse();
        } catch (CorruptSegmentException e) {
            throw wrong(path, e.expected, e.found, e);
        } catch (RuntimeException e) {
            // On damaged bytes Flatbuffers throws various runtime exceptions.
            throw wrong(path, "an Arrow file with a sound footer", "damaged metadata (" + e + ")", e);
        }
        return segment;
    }

    /**
     * The segment of a manifest. Errors: as {@link #open(Path)}, and code 3 if size, rows or columns differ from the
     * manifest.
     */
    public static Segment open(Path path, long bytes, long rows, List<Column> columns) {
        Segment segment = open(path);
        segment.require(bytes, rows, columns, false);
        return segment;
    }

    /**
     * Errors: code 3 if it differs from its manifest.
     *
     * @param narrow whether it may hold ints for a bigint column, as copies for a single job do (FORMAT.md)
     */
    public void require(long bytes, long rows, List<Column> wanted, boolean narrow) {
        if (bytes() != bytes || totalRows() != rows) {
            throw wrong(
                    path,
                    rows + " rows in " + bytes + " bytes, as its table says",
                    totalRows() + " rows in " + bytes() + " bytes",
                    null);
        }
        boolean same = columns.size() == wanted.size();
        for (int i = 0; same && i < columns.size(); i++) {
            ColumnType found = columns.get(i).type();
            ColumnType type = wanted.get(i).type();
            same = columns.get(i).name().equals(wanted.get(i).name())
                    && (found.equals(type)
                            || narrow && type.kind() == ColumnType.Kind.BIGINT && found.kind() == ColumnType.Kind.INT);
        }
        if (!same) {
            throw wrong(path, "columns " + words(wanted) + ", as its table says", words(columns), null);
        }
    }

    public List<Column> columns() {
        return columns;
    }

    /** Of the file. */
    public long bytes() {
        return mapping.capacity();
    }

    /** Ends the mapping at once: no address may be read after this. */
    void unmap() {
        NativeMemory.release(mapping);
    }

    public int batches() {
        return rows.length;
    }

    public int rows(int batch) {
        return rows[batch];
    }

    public long totalRows() {
        long total = 0;
        for (int n : rows) {
            total += n;
        }
        return total;
    }

    /** All of the following, and of an array or a struct what it is made of. */
    public ColumnPlace place(int batch, int column) {
        return places.get(batch).get(column);
    }

    public long nulls(int batch, int column) {
        return place(batch, column).nulls();
    }

    /** Address of the validity bits, or 0 if no row of the batch is null. */
    public long validity(int batch, int column) {
        return place(batch, column).validity();
    }

    /** Address of the int32 offsets, or 0 for types without. */
    public long offsets(int batch, int column) {
        return place(batch, column).offsets();
    }

    /** Address of the values, or of the characters behind offsets. */
    public long values(int batch, int column) {
        return place(batch, column).values();
    }

    /** Bytes at {@link #values}. */
    public long dataBytes(int batch, int column) {
        return place(batch, column).dataBytes();
    }

    /** CRC-32C of the whole file as eight hex digits; reads all of it. */
    public String checksum() {
        CRC32C checksum = new CRC32C();
        checksum.update(mapping.duplicate().clear());
        return HexFormat.of().toHexDigits((int) checksum.getValue());
    }

    private void parse() {
        int size = mapping.capacity();
        if (size < ArrowMetadata.PREFIX_BYTES + TAIL_BYTES
                || !magicAt(0)
                || !magicAt(size - ArrowMetadata.MAGIC.length)) {
            throw new CorruptSegmentException("an Arrow file", "bytes without its mark at both ends");
        }
        ByteBuffer bytes = mapping.duplicate().order(ByteOrder.LITTLE_ENDIAN);
        int footerBytes = bytes.getInt(size - TAIL_BYTES);
        if (footerBytes <= 0 || footerBytes > size - TAIL_BYTES - ArrowMetadata.PREFIX_BYTES) {
            throw new CorruptSegmentException("a footer inside the file", "one of " + footerBytes + " bytes");
        }
        Footer footer = Footer.getRootAsFooter(part(bytes, size - TAIL_BYTES - footerBytes, footerBytes));
        if (footer.dictionariesLength() > 0) {
            throw new CorruptSegmentException("no dictionaries", footer.dictionariesLength() + " of them");
        }
        int batches = footer.recordBatchesLength();
        // A count must fit into the footer, or damaged bytes could request all memory.
        if (batches < 0
                || (long) batches * BLOCK_BYTES > footerBytes
                || (long) footer.schema().fieldsLength() * Integer.BYTES > footerBytes) {
            throw new CorruptSegmentException(
                    "as many batches and columns as a footer of " + footerBytes + " bytes can list",
                    batches + " batches");
        }
        columns = List.copyOf(ArrowSchema.read(footer.schema(), footerBytes));
        rows = new int[batches];
        places = new ArrayList<>();
        // Batches that shared their bytes could be more than memory holds, whatever the size of the file.
        long bytesLeft = size;
        for (int i = 0; i < batches; i++) {
            bytesLeft = parseBatch(i, footer.recordBatches(i), bytes, bytesLeft);
        }
    }

    /**
     * A block may hold any numbers, so they are checked to lie inside the file before they are added. Returns the bytes
     * left for other blocks.
     */
    private long parseBatch(int index, Block block, ByteBuffer bytes, long bytesLeft) {
        long offset = block.offset();
        long metadata = block.metaDataLength();
        long size = bytes.capacity();
        boolean inside = offset >= 0
                && offset <= size
                && metadata >= ArrowMetadata.PREFIX_BYTES
                && metadata <= size - offset
                && block.bodyLength() >= 0
                && block.bodyLength() <= size - offset - metadata;
        if (!inside || bytes.getInt((int) offset) != ArrowMetadata.CONTINUATION) {
            throw new CorruptSegmentException(
                    "batch " + index + " inside the file",
                    "offset " + offset + ", " + metadata + " + " + block.bodyLength() + " bytes");
        }
        long body = offset + metadata;
        if (metadata + block.bodyLength() > bytesLeft) {
            throw new CorruptSegmentException("batches that lie beside each other", "batch " + index + " upon others");
        }
        int prefix = ArrowMetadata.PREFIX_BYTES;
        Message message = Message.getRootAsMessage(part(bytes, (int) offset + prefix, (int) metadata - prefix));
        if (message.headerType() != MessageHeader.RecordBatch) {
            throw new CorruptSegmentException(
                    "a record batch as batch " + index, "message kind " + message.headerType());
        }
        RecordBatch batch = (RecordBatch) message.header(new RecordBatch());
        if (batch.compression() != null) {
            throw new CorruptSegmentException("no compression", "compressed buffers in batch " + index);
        }
        places.add(new BatchPlaces(batch, index, start, body, block.bodyLength()).read(columns));
        rows[index] = (int) batch.length();
        return bytesLeft - metadata - block.bodyLength();
    }

    private boolean magicAt(int offset) {
        for (int i = 0; i < ArrowMetadata.MAGIC.length; i++) {
            if (mapping.get(offset + i) != ArrowMetadata.MAGIC[i]) {
                return false;
            }
        }
        return true;
    }

    private static ByteBuffer part(ByteBuffer bytes, int from, int count) {
        return bytes.slice(from, count).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static String words(List<Column> columns) {
        return columns.stream()
                .map(column -> column.name() + " " + column.type().ddl())
                .collect(Collectors.joining(", "));
    }

    private static SparkGapException wrong(Path path, String expected, String found, Throwable cause) {
        String text = SparkGapException.sentence("segment " + path, expected, found, AGAIN);
        return new SparkGapException(SparkGapException.DATA, text, cause);
    }
}
