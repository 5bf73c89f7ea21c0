// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.launch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.sparkgap.store.SparkGapException;
import org.sparkgap.topology.ProcessLimits;

/**
 * Runs one host's part of a job on that host: the proxy of mpiexec under a guard, whose ranks stand under guards of
 * their own.
 *
 * <p>The guards tie every process to the one above it, this JVM on top: whatever dies, what is below goes. Not
 * thread-safe.
 */
public final class HostAgent implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final HostPart part;
    private final JobFolder folder;
    private final Process proxy;
    private final FileTime begin;
    private final String host;
    private final boolean foreign;
    private boolean started;
    private boolean full;

    private HostAgent(HostPart part, JobFolder folder, Process proxy, FileTime begin, String host, boolean foreign) {
        this.part = part;
        this.folder = folder;
        this.proxy = proxy;
        this.begin = begin;
        this.host = host;
        this.foreign = foreign;
    }

    /**
     * Starts the part.
     *
     * <p>Errors: code 4 where the job's folder cannot be made, 5 where the proxy cannot be started.
     *
     * @param directory the job's folder on this host, not made yet
     * @param output where the ranks write their segments; exists
     * @param brought where segments that came from other hosts, or were made for this one, lie here, by the paths that
     *     the part gives them
     * @param program with an invocation where it is none of ours: that of this host
     * @param address this host's, by which the others reach it
     * @param cpus of its ranks
     */
    public static HostAgent start(
            HostPart part,
            Path directory,
            Path output,
            Map<String, String> brought,
            Program program,
            Mpi mpi,
            String address,
            RankCpus cpus) {
        JobFolder folder =
                JobFolder.create(directory, onThisHost(part.jobJson(), output, brought, program.invocation()));
        try {
            if (program.invocation() != null) {
                folder.putInvocation(program.invocation(), part.firstRank(), part.ranks());
            }
            folder.putCpus(cpus, part.firstRank(), part.ranks());
            ProcessBuilder builder = new ProcessBuilder(ManualLaunch.guarded(part.proxyCommand(), program, mpi));
            Map<String, String> set = CommandLine.hostEnvironment(
                    part,
                    directory,
                    program,
                    mpi,
                    device(address),
                    ProcessLimits.read().usableCpus(),
                    System.getenv());
            CommandLine.apply(builder.environment(), set, cpus);
            FileTime begin = FileTime.from(Instant.now());
            return new HostAgent(
                    part,
                    folder,
                    ManualLaunch.started(builder, folder, part.program()),
                    begin,
                    address,
                    program.mayBeSilent());
        } catch (RuntimeException e) {
            try {
                folder.delete();
            } catch (IOException left) {
                e.addSuppressed(left);
            }
            throw e;
        }
    }

    /** How it stands now. */
    public HostReport report() {
        boolean ended = !proxy.isAlive();
        started = started || ended || allStarted();
        full = full || folder.isFull(); // when its ranks have ended, what they held is free again
        // Where no room is left for it, a failed rank's record is missing when all have ended.
        boolean failed = ends().anyMatch(end -> end.failed() && (ended || end.recorded()));
        String progress = part.firstRank() == 0 ? folder.lastProgress() : null;
        List<HostReport.LeftFile> left =
                ended || failed ? folder.left(host, foreign ? part.ranks() : 0, full) : List.of();
        return new HostReport(
                started, progress, failed, ended, ended ? proxy.exitValue() : 0, left, 0, null, JobFolder.now());
    }

    /** Ends every process of the part and removes its folder. */
    @Override
    public void close() {
        boolean interrupted =
                Thread.interrupted(); // a thread that is interrupted can read no file, so it would miss processes
        boolean sound = !proxy.isAlive()
                && proxy.exitValue() == 0
                && ends().noneMatch(RankEnd::failed); // a proxy's 0 says nothing of its ranks
        try {
            if (!sound) {
                new ProcessTree(proxy, folder.path()).kill();
                MpichLeftovers.sweepAfterKill(begin);
            } else if (foreign) {
                MpichLeftovers.sweep(begin);
            }
            folder.delete();
        } catch (IOException e) {
            // A rank's last breath may still add a file; the home's sweep takes it.
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private Stream<RankEnd> ends() {
        return IntStream.range(part.firstRank(), part.firstRank() + part.ranks())
                .mapToObj(rank -> RankEnd.read(folder, rank));
    }

    private boolean allStarted() {
        for (int rank = part.firstRank(); rank < part.firstRank() + part.ranks(); rank++) {
            if (!Files.exists(folder.rankLog(rank))) {
                return false;
            }
        }
        return true;
    }

    /** The job's description with the paths of this host. */
    private static String onThisHost(String jobJson, Path output, Map<String, String> brought, Invocation invocation) {
        try {
            ObjectNode root = (ObjectNode) JSON.readTree(jobJson);
            ((ObjectNode) root.get("output")).put("directory", output.toString());
            for (JsonNode input : root.get("inputs")) {
                for (JsonNode segments : List.of(
                        input.path("segments"),
                        input.path("graph").path("in"),
                        input.path("graph").path("out"))) {
                    for (JsonNode segment : segments) {
                        String path = brought.get(segment.path("path").asText());
                        if (path != null) {
                            ((ObjectNode) segment).put("path", path).put("bytes", Files.size(Path.of(path)));
                        }
                    }
                }
            }
            if (invocation != null) {
                invocation.outputs().forEach((name, here) -> ((ObjectNode)
                                root.get("outputs").get(name))
                        .put("directory", here.directory().toString()));
            }
            return root.toPrettyString();
        } catch (IOException e) {
            throw new SparkGapException(
                    SparkGapException.BUG, "job.json", "JSON", String.valueOf(e.getMessage()), "Do report it");
        }
    }

    /** The network device with that address, or null. */
    private static String device(String address) {
        try {
            NetworkInterface found = NetworkInterface.getByInetAddress(InetAddress.getByName(address));
            return found == null || found.isLoopback() ? null : found.getName();
        } catch (IOException unknown) {
            return null;
        }
    }
}
