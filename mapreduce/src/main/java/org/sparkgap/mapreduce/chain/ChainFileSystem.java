// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.mapreduce.chain;

import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Options.ChecksumOpt;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.DFSOutputStream;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.client.HdfsDataInputStream;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.mapreduce.lib.output.FileOutputCommitter;
import org.apache.hadoop.util.Progressable;
import org.apache.spark.SparkEnv;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sparkgap.mapreduce.chain.KeptFiles.BlockName;

/**
 * HDFS, of which this JVM keeps what its tasks write as output of their jobs: the next job of a chain reads that from
 * memory. All of it is written to HDFS as well, which keeps it in memory for a while, too, where Spark's setting asks
 * for that. The NameNode is asked for a file each time that it is opened, so rights count as always; who may not read a
 * file does not get its copy.
 */
public final class ChainFileSystem extends DistributedFileSystem {
    /**
     * Where HDFS puts what tasks write: {@value #WRITTEN}, on its disks, which is the default; or {@value #IN_MEMORY},
     * the first replica of each block in its DataNode's memory, and on the disk some time after that. What a chain
     * deletes before is never written to a disk.
     */
    public static final String CHAIN = "spark.sparkgap.mapreduce.chain";

    /** The default of {@link #CHAIN}. */
    public static final String WRITTEN = "written";
    /** The other value of {@link #CHAIN}. */
    public static final String IN_MEMORY = "memory";

    private static final AtomicBoolean IS_DISK_SAID = new AtomicBoolean();
    private static final String IMPLEMENTATION = "fs.hdfs.impl";
    private static final String OF_TASKS = "/" + FileOutputCommitter.PENDING_DIR_NAME + "/";
    private static final Logger LOG = LoggerFactory.getLogger("sparkgap");

    /** Refuses a value of {@link #CHAIN} that is none. */
    public static void check(String chain) throws IOException {
        if (!chain.equals(WRITTEN) && !chain.equals(IN_MEMORY)) {
            throw new IOException(CHAIN + ": expected " + WRITTEN + " or " + IN_MEMORY + ", found \"" + chain
                    + "\". Do name one of them.");
        }
    }

    /** Makes it the HDFS of a configuration that names none, before anything has been read with that. */
    public static void use(Configuration conf) {
        Class<?> own = ChainFileSystem.class;
        if (conf.get(IMPLEMENTATION) == null && conf.getClassByNameOrNull(own.getName()) == own) {
            conf.set(IMPLEMENTATION, own.getName());
        }
    }

    @Override
    public FSDataOutputStream create(
            Path file,
            FsPermission permission,
            EnumSet<CreateFlag> flags,
            int bufferSize,
            short replication,
            long blockSize,
            Progressable progress,
            ChecksumOpt checksum)
            throws IOException {
        boolean isOfTask = file.toString().contains(OF_TASKS) && !flags.contains(CreateFlag.APPEND);
        boolean isInMemory = isOfTask && isInMemory();
        EnumSet<CreateFlag> asked = EnumSet.copyOf(flags);
        if (isInMemory) {
            asked.add(CreateFlag.LAZY_PERSIST);
        }
        FSDataOutputStream out =
                super.create(file, permission, asked, bufferSize, replication, blockSize, progress, checksum);
        // What is encrypted there stays so.
        if (!isOfTask || !(out.getWrappedStream() instanceof DFSOutputStream plain)) {
            return out;
        }
        long id = plain.getFileId();
        CopiedOutput copied = new CopiedOutput(out, KeptFiles.HERE.longest(), copy -> {
            if (isInMemory) {
                sayIfOnDisk(file);
            }
            if (copy != null) {
                keep(file, id, copy);
            }
        });
        return new FSDataOutputStream(copied, null, 0); // the file system's own stream counts
    }

    private static boolean isInMemory() {
        SparkEnv spark = SparkEnv.get();
        return spark != null && spark.conf().get(CHAIN, WRITTEN).equals(IN_MEMORY);
    }

    /** Once, of the first file that is on no DataNode's RAM_DISK. */
    private void sayIfOnDisk(Path file) {
        if (IS_DISK_SAID.get()) {
            return;
        }
        try {
            for (BlockLocation block : getFileBlockLocations(file, 0, Long.MAX_VALUE)) {
                if (!List.of(block.getStorageTypes()).contains(StorageType.RAM_DISK)
                        && IS_DISK_SAID.compareAndSet(false, true)) {
                    LOG.warn(
                            "mapreduce: {}={}: {} is on a disk: its DataNodes have no RAM_DISK, or no room there",
                            CHAIN,
                            IN_MEMORY,
                            file);
                }
            }
        } catch (IOException | RuntimeException e) { // it has been removed meanwhile, for example
            LOG.debug("{}: where it is was not found", file, e);
        }
    }

    @Override
    public FSDataInputStream open(Path file, int bufferSize) throws IOException {
        FSDataInputStream in = super.open(file, bufferSize);
        if (KeptFiles.HERE.isEmpty()) {
            return in;
        }
        try {
            List<BlockName> blocks = blocks(in);
            KeptFile kept = blocks.isEmpty() ? null : KeptFiles.HERE.find(blocks);
            if (kept == null) {
                return in;
            }
            in.close();
            LOG.debug("{}: read from memory", file);
            return new FSDataInputStream(new KeptInput(kept, statistics));
        } catch (IOException | RuntimeException e) {
            in.close();
            throw e;
        }
    }

    /**
     * All is well without the copy, so nothing of this ends a task. Another may have written a file of this name
     * meanwhile: what is there after its blocks were asked for must still be the file of that id.
     */
    private void keep(Path file, long id, KeptFile copy) {
        try (FSDataInputStream in = super.open(file, 0)) {
            List<BlockName> blocks = blocks(in);
            boolean isWhole = blocks.stream().mapToLong(BlockName::length).sum() == copy.length();
            if (isWhole && getFileStatus(file) instanceof HdfsFileStatus now && now.getFileId() == id) {
                KeptFiles.HERE.keep(blocks, copy);
            }
        } catch (IOException | RuntimeException e) {
            LOG.debug("{}: not kept in memory", file, e);
        }
    }

    /** Of a file that may be kept; none of another. */
    private static List<BlockName> blocks(FSDataInputStream in) throws IOException {
        List<BlockName> found = new ArrayList<>();
        if (in instanceof HdfsDataInputStream hdfs && hdfs.getVisibleLength() <= KeptFiles.HERE.longest()) {
            for (LocatedBlock each : hdfs.getAllBlocks()) {
                ExtendedBlock block = each.getBlock();
                found.add(new BlockName(
                        block.getBlockPoolId(), block.getBlockId(), block.getGenerationStamp(), block.getNumBytes()));
            }
        }
        return found;
    }
}
