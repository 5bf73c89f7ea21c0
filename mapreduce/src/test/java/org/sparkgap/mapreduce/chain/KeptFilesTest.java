// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.mapreduce.chain;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.Test;
import org.sparkgap.mapreduce.chain.KeptFiles.BlockName;

class KeptFilesTest {
    private static List<BlockName> blocks(long id, long generation, long length) {
        return List.of(new BlockName("pool", id, generation, length));
    }

    private static KeptFile file(byte[] content) {
        KeptFile made = new KeptFile();
        made.append(content, 0, content.length);
        return made;
    }

    @Test
    void aFileIsFoundByItsBlocksAsTheyWere() {
        KeptFiles files = new KeptFiles(1000);
        KeptFile one = file(new byte[400]);
        files.keep(blocks(1, 1, 400), one);
        assertSame(one, files.find(blocks(1, 1, 400)));
        assertNull(files.find(blocks(2, 1, 400)), "written anew");
        assertNull(files.find(blocks(1, 2, 400)), "of another generation");
        assertNull(files.find(blocks(1, 1, 500)), "longer");
    }

    @Test
    void whatWasNotUsedForTheLongestTimeMakesRoom() {
        KeptFiles files = new KeptFiles(1000);
        files.keep(blocks(1, 1, 400), file(new byte[400]));
        files.keep(blocks(2, 1, 400), file(new byte[400]));
        files.keep(blocks(2, 1, 400), file(new byte[400])); // once more: it counts once
        files.find(blocks(1, 1, 400));
        files.keep(blocks(3, 1, 400), file(new byte[400]));
        assertNull(files.find(blocks(2, 1, 400)));
        assertEquals(400, files.find(blocks(1, 1, 400)).length());
        assertEquals(400, files.find(blocks(3, 1, 400)).length());
    }

    @Test
    void itReadsAsWritten() throws IOException {
        Random random = new Random(5);
        byte[] content = new byte[700_001]; // two pieces, and a part of one
        random.nextBytes(content);
        KeptFile kept = new KeptFile();
        for (int at = 0; at < content.length; ) {
            int count = Math.min(1 + random.nextInt(300_000), content.length - at);
            kept.append(content, at, count);
            at += count;
        }
        FileSystem.Statistics statistics = new FileSystem.Statistics("hdfs");
        FSDataInputStream in = new FSDataInputStream(new KeptInput(kept, statistics));
        byte[] whole = new byte[content.length];
        in.readFully(whole);
        assertArrayEquals(content, whole);
        assertEquals(-1, in.read());
        assertEquals(content.length, statistics.getBytesRead(), "counted as HDFS does");
        for (int i = 0; i < 100; ++i) {
            int begin = random.nextInt(content.length);
            byte[] part = new byte[random.nextInt(content.length - begin)];
            in.readFully(begin, part);
            assertArrayEquals(Arrays.copyOfRange(content, begin, begin + part.length), part);
            in.seek(begin);
            assertEquals(content[begin] & 0xff, in.read());
            ByteBuffer some = ByteBuffer.allocate(10);
            in.seek(begin);
            int count = in.read(some);
            assertArrayEquals(Arrays.copyOfRange(content, begin, begin + count), Arrays.copyOf(some.array(), count));
        }
        in.seek(content.length - 3L);
        assertEquals(3, in.available());
        assertEquals(3, in.skip(10));
        assertThrows(EOFException.class, () -> in.seek(content.length + 1L));
        assertThrows(EOFException.class, () -> in.seek(-1));
        in.close();
        assertThrows(IOException.class, in::read);
    }
}
