// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.store;

import com.google.flatbuffers.FlatBufferBuilder;
import com.google.flatbuffers.Table;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.flatbuf.Binary;
import org.apache.arrow.flatbuf.Bool;
import org.apache.arrow.flatbuf.Date;
import org.apache.arrow.flatbuf.DateUnit;
import org.apache.arrow.flatbuf.Decimal;
import org.apache.arrow.flatbuf.Endianness;
import org.apache.arrow.flatbuf.Field;
import org.apache.arrow.flatbuf.FloatingPoint;
import org.apache.arrow.flatbuf.Int;
import org.apache.arrow.flatbuf.Precision;
import org.apache.arrow.flatbuf.Schema;
import org.apache.arrow.flatbuf.Struct_;
import org.apache.arrow.flatbuf.TimeUnit;
import org.apache.arrow.flatbuf.Timestamp;
import org.apache.arrow.flatbuf.Type;
import org.apache.arrow.flatbuf.Utf8;
import org.sparkgap.store.ColumnType.Kind;

/**
 * Columns as an Arrow schema in flatbuffers, and back.
 *
 * <p>This file and {@link ArrowMetadata} use Arrow's generated classes, which are not a stable interface. Arrow's own
 * writer aligns only to 8 bytes and its reader copies, so we write and read the metadata around our buffers here.
 */
final class ArrowSchema {
    private static final String UTC = "UTC";

    private int fieldsLeft;
    private int nameBytesLeft;

    private ArrowSchema(int bytes) {
        fieldsLeft = bytes / Integer.BYTES;
        nameBytesLeft = bytes;
    }

    /** Offset of the schema table in the builder. */
    static int write(FlatBufferBuilder builder, List<Column> columns) {
        int vector = Schema.createFieldsVector(builder, writeFields(builder, columns));
        Schema.startSchema(builder);
        Schema.addEndianness(builder, Endianness.Little);
        Schema.addFields(builder, vector);
        return Schema.endSchema(builder);
    }

    /**
     * @param bytes of the footer, an upper bound for the fields: damaged ones may share their children and their names
     */
    static List<Column> read(Schema schema, int bytes) {
        if (schema.endianness() != Endianness.Little) {
            throw new CorruptSegmentException("little endian", "big endian");
        }
        ArrowSchema reader = new ArrowSchema(bytes);
        List<Column> columns = new ArrayList<>();
        for (int i = 0; i < schema.fieldsLength(); i++) {
            columns.add(reader.readField(schema.fields(i), 1));
        }
        return columns;
    }

    private static int[] writeFields(FlatBufferBuilder builder, List<Column> columns) {
        int[] fields = new int[columns.size()];
        for (int i = 0; i < fields.length; i++) {
            Column column = columns.get(i);
            int name = builder.createString(column.name());
            int type = writeType(builder, column.type());
            int children = Field.createChildrenVector(
                    builder, writeFields(builder, column.type().children()));
            Field.startField(builder);
            Field.addName(builder, name);
            Field.addNullable(builder, column.nullable());
            Field.addTypeType(builder, tag(column.type().kind()));
            Field.addType(builder, type);
            Field.addChildren(builder, children);
            fields[i] = Field.endField(builder);
        }
        return fields;
    }

    /** Damaged fields may contain themselves or each other, so depth and number are limited. */
    private Column readField(Field field, int depth) {
        ByteBuffer itsName = field.nameAsByteBuffer();
        String name = itsName == null ? "" : field.name();
        nameBytesLeft -= itsName == null ? 0 : itsName.remaining();
        if (nameBytesLeft < 0) {
            throw new CorruptSegmentException("names that the footer can hold", "longer ones");
        }
        if (--fieldsLeft < 0 || depth > ColumnType.MAX_DEPTH) {
            throw new CorruptSegmentException(
                    "types at most " + ColumnType.MAX_DEPTH + " deep, as many as the footer can list",
                    "more in column " + field.name());
        }
        if (field.dictionary() != null) {
            throw new CorruptSegmentException("plain column " + field.name(), "a dictionary");
        }
        return new Column(name, readType(field, depth), field.nullable());
    }

    private ColumnType readNested(Field field, int depth) {
        List<Column> children = new ArrayList<>();
        for (int i = 0; i < field.childrenLength(); i++) {
            children.add(readField(field.children(i), depth + 1));
        }
        boolean isArray = field.typeType() == Type.List;
        if (isArray ? children.size() != 1 : children.isEmpty()) {
            throw new CorruptSegmentException(
                    "one element or some fields in column " + field.name(), children.size() + " children");
        }
        return isArray
                ? ColumnType.array(children.get(0).type(), children.get(0).nullable())
                : ColumnType.struct(children);
    }

    private static byte tag(Kind kind) {
        return switch (kind) {
            case BOOLEAN -> Type.Bool;
            case TINYINT, SMALLINT, INT, BIGINT -> Type.Int;
            case FLOAT, DOUBLE -> Type.FloatingPoint;
            case DECIMAL -> Type.Decimal;
            case DATE -> Type.Date;
            case TIMESTAMP, TIMESTAMP_NTZ -> Type.Timestamp;
            case STRING -> Type.Utf8;
            case BINARY -> Type.Binary;
            case ARRAY -> Type.List;
            case STRUCT -> Type.Struct_;
        };
    }

    private static int writeType(FlatBufferBuilder builder, ColumnType type) {
        switch (type.kind()) {
            case BOOLEAN:
                Bool.startBool(builder);
                return Bool.endBool(builder);
            case TINYINT, SMALLINT, INT, BIGINT:
                return Int.createInt(builder, type.width() * 8, true);
            case FLOAT:
                return FloatingPoint.createFloatingPoint(builder, Precision.SINGLE);
            case DOUBLE:
                return FloatingPoint.createFloatingPoint(builder, Precision.DOUBLE);
            case DECIMAL:
                return Decimal.createDecimal(builder, type.precision(), type.scale(), 128);
            case DATE:
                return Date.createDate(builder, DateUnit.DAY);
            case TIMESTAMP:
                return Timestamp.createTimestamp(builder, TimeUnit.MICROSECOND, builder.createString(UTC));
            case TIMESTAMP_NTZ:
                return Timestamp.createTimestamp(builder, TimeUnit.MICROSECOND, 0);
            case STRING:
                Utf8.startUtf8(builder);
                return Utf8.endUtf8(builder);
            case BINARY:
                Binary.startBinary(builder);
                return Binary.endBinary(builder);
            case ARRAY:
                org.apache.arrow.flatbuf.List.startList(builder);
                return org.apache.arrow.flatbuf.List.endList(builder);
            case STRUCT:
                Struct_.startStruct_(builder);
                return Struct_.endStruct_(builder);
            default:
                throw new IllegalArgumentException(type.ddl());
        }
    }

    private ColumnType readType(Field field, int depth) {
        ColumnType type =
                switch (field.typeType()) {
                    case Type.Bool -> ColumnType.of(Kind.BOOLEAN);
                    case Type.Int -> readInt(part(field, new Int()));
                    case Type.FloatingPoint -> readFloat(part(field, new FloatingPoint()));
                    case Type.Decimal -> readDecimal(part(field, new Decimal()));
                    case Type.Date -> readDate(part(field, new Date()));
                    case Type.Timestamp -> readTimestamp(part(field, new Timestamp()));
                    case Type.Utf8 -> ColumnType.of(Kind.STRING);
                    case Type.Binary -> ColumnType.of(Kind.BINARY);
                    case Type.List, Type.Struct_ -> readNested(field, depth);
                    default -> null;
                };
        if (type == null) {
            String name = field.typeType() >= 0 && field.typeType() < Type.names.length
                    ? Type.name(field.typeType())
                    : "type " + field.typeType();
            throw new CorruptSegmentException("a type of store/FORMAT.md in column " + field.name(), "Arrow's " + name);
        }
        return type;
    }

    @SuppressWarnings("unchecked")
    private static <T extends Table> T part(Field field, T into) {
        Table found = field.type(into);
        if (found == null) {
            throw new CorruptSegmentException("a type in column " + field.name(), "none");
        }
        return (T) found;
    }

    private static ColumnType readDate(Date date) {
        return date.unit() == DateUnit.DAY ? ColumnType.of(Kind.DATE) : null;
    }

    private static ColumnType readInt(Int type) {
        if (!type.isSigned()) {
            return null;
        }
        return switch (type.bitWidth()) {
            case 8 -> ColumnType.of(Kind.TINYINT);
            case 16 -> ColumnType.of(Kind.SMALLINT);
            case 32 -> ColumnType.of(Kind.INT);
            case 64 -> ColumnType.of(Kind.BIGINT);
            default -> null;
        };
    }

    private static ColumnType readFloat(FloatingPoint type) {
        return switch (type.precision()) {
            case Precision.SINGLE -> ColumnType.of(Kind.FLOAT);
            case Precision.DOUBLE -> ColumnType.of(Kind.DOUBLE);
            default -> null;
        };
    }

    private static ColumnType readDecimal(Decimal type) {
        return type.bitWidth() == 128
                ? ColumnType.find("decimal(" + type.precision() + "," + type.scale() + ")")
                : null;
    }

    private static ColumnType readTimestamp(Timestamp type) {
        if (type.unit() != TimeUnit.MICROSECOND) {
            return null;
        }
        String zone = type.timezone();
        if (zone == null || zone.isEmpty()) {
            return ColumnType.of(Kind.TIMESTAMP_NTZ);
        }
        return zone.equals(UTC) ? ColumnType.of(Kind.TIMESTAMP) : null;
    }
}
