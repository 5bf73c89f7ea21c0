// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.mapreduce.shuffle;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import org.apache.spark.serializer.DeserializationStream;
import org.apache.spark.serializer.SerializationStream;
import org.apache.spark.serializer.Serializer;
import org.apache.spark.serializer.SerializerInstance;
import scala.reflect.ClassTag;

/** By which Spark's shuffle writes a partition's number and a chunk: as they are. */
public final class ChunkSerializer extends Serializer implements Serializable {
    private static final long serialVersionUID = 1;

    @Override
    public boolean supportsRelocationOfSerializedObjects() {
        return true;
    }

    @Override
    public SerializerInstance newInstance() {
        return new Instance();
    }

    private static final class Instance extends SerializerInstance {
        @Override
        public <T> ByteBuffer serialize(T value, ClassTag<T> tag) {
            throw new UnsupportedOperationException();
        }

        @Override
        public <T> T deserialize(ByteBuffer bytes, ClassTag<T> tag) {
            throw new UnsupportedOperationException();
        }

        @Override
        public <T> T deserialize(ByteBuffer bytes, ClassLoader loader, ClassTag<T> tag) {
            throw new UnsupportedOperationException();
        }

        @Override
        public SerializationStream serializeStream(OutputStream out) {
            return new Writing(new DataOutputStream(out));
        }

        @Override
        public DeserializationStream deserializeStream(InputStream in) {
            return new Reading(new DataInputStream(in));
        }
    }

    private static final class Writing extends SerializationStream {
        private final DataOutputStream out;

        Writing(DataOutputStream out) {
            this.out = out;
        }

        @Override
        public <T> SerializationStream writeObject(T value, ClassTag<T> tag) {
            try {
                if (value instanceof Integer partition) {
                    out.writeInt(partition);
                } else {
                    byte[] chunk = (byte[]) value;
                    out.writeInt(chunk.length);
                    out.write(chunk);
                }
                return this;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void flush() {
            try {
                out.flush();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void close() {
            try {
                out.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** Spark takes an EOFException for the end. */
    private static final class Reading extends DeserializationStream {
        private final DataInputStream in;

        Reading(DataInputStream in) {
            this.in = in;
        }

        @Override
        public <T> T readObject(ClassTag<T> tag) {
            throw new UnsupportedOperationException();
        }

        @Override
        @SuppressWarnings("unchecked")
        public <T> T readKey(ClassTag<T> tag) {
            try {
                return (T) Integer.valueOf(in.readInt());
            } catch (IOException e) {
                throw Reading.<RuntimeException>as(e);
            }
        }

        @Override
        @SuppressWarnings("unchecked")
        public <T> T readValue(ClassTag<T> tag) {
            try {
                int length = in.readInt();
                byte[] chunk = in.readNBytes(length);
                if (chunk.length < length) {
                    // An EOFException would be taken for the end.
                    throw new IOException("shuffle: expected a chunk of " + length + " bytes, found " + chunk.length);
                }
                return (T) chunk;
            } catch (IOException e) {
                throw Reading.<RuntimeException>as(e);
            }
        }

        @Override
        public void close() {
            try {
                in.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        /** Scala's methods throw such an exception without saying so, and Spark expects it as it is. */
        @SuppressWarnings("unchecked")
        private static <E extends Exception> E as(IOException e) throws E {
            throw (E) e;
        }
    }
}
