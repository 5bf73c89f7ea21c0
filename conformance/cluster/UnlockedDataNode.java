// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0

import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.io.nativeio.NativeIO;

/** Hadoop's DataNode, which may have blocks in memory without Hadoop's native library: it locks no pages. */
public final class UnlockedDataNode {
    private UnlockedDataNode() {}

    public static void main(String[] words) {
        NativeIO.POSIX.setCacheManipulator(new NativeIO.POSIX.NoMlockCacheManipulator());
        DataNode.main(words);
    }
}
