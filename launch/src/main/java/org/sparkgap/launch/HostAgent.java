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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.sparkgap.store.Manifest;
import org.sparkgap.store.SparkGapException;
import org.sparkgap.topology.ProcessLimits;

/**
 * Runs one host's part of a job on that host: the proxy of mpiexec under a guard, and each of its ranks under another;
 * or a single rank under its guard.
 *
 * <p>Each guard ends its process when the parent process dies, with this JVM at the top. On old kernels the guards die
 * with the thread that started them, so that thread waits for the end of the part and closes it. Not thread-safe.
 */
public final class HostAgent implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();

    private static final long LOOK_MILLIS = 10;

    private final HostPart part;
    private final JobFolder folder;
    private final boolean isDrivers;
    private final Process proxy;
    private final FileTime begin;
    private final String host;
    private final boolean isUsers;
    private boolean started;
    private boolean full;

    private HostAgent(
            HostPart part,
            JobFolder folder,
            boolean isDrivers,
            Process proxy,
            FileTime begin,
            String host,
            boolean isUsers) {
        this.part = part;
        this.folder = folder;
        this.isDrivers = isDrivers;
        this.proxy = proxy;
        this.begin = begin;
        this.host = host;
        this.isUsers = isUsers;
    }

    /**
     * Starts the part.
     *
     * <p>Errors: code 4 if the job's folder cannot be made, 5 if the proxy cannot be started.
     *
     * @param directory the job's folder on this host; it exists only if it is the driver's
     * @param isDrivers whether JobRun is in this process: then it makes the folder, reads it and removes it
     * @param output where the ranks write their segments; exists
     * @param brought the paths on this host of segments that were fetched from other hosts or made for this one, by
     *     their paths in the part
     * @param program with this host's invocation if it is a user's program
     * @param address of this host, where the others reach it
     * @param cpus of its ranks
     * @param hasLeastMemory whether its ranks must do with the least that their kernel needs (process/least_memory.h)
     */
    public static HostAgent start(
            HostPart part,
            Path directory,
            boolean isDrivers,
            Path output,
            Map<String, String> brought,
            Program program,
            Mpi mpi,
            String address,
            RankCpus cpus,
            boolean hasLeastMemory) {
        JobFolder folder = isDrivers ? new JobFolder(directory) : JobFolder.create(directory);
        try {
            folder.putJob(jobOnThisHost(part, output, brought, program.invocation()));
            if (program.isUsers()) {
                folder.putInvocation(program.invocation(), part.firstRank(), part.ranks());
            }
            folder.putCpus(cpus, part.firstRank(), part.ranks());
            ProcessBuilder builder = new ProcessBuilder(
                    part.proxyCommand() == null
                            ? CommandLine.rank(directory, program)
                            : ManualLaunch.guarded(part.proxyCommand(), program, mpi));
            String device = part.alone() ? null : device(address);
            Map<String, String> set = CommandLine.environment(
                    part, directory, program, mpi, device, ProcessLimits.read().usableCpus(), System.getenv());
            CommandLine.apply(builder.environment(), set, cpus);
            if (hasLeastMemory) {
                builder.environment().put("SPARKGAP_MEMORY", "least");
            }
            FileTime begin = FileTime.from(Instant.now());
            return new HostAgent(
                    part,
                    folder,
                    isDrivers,
                    ManualLaunch.started(builder, folder, part.program()),
                    begin,
                    address,
                    program.isUsers());
        } catch (RuntimeException e) {
            if (!isDrivers) {
                folder.remove();
            }
            throw e;
        }
    }

    /**
     * Waits until the part has ended, or until `goOn`, which gets each report, returns false. Returns the last report.
     */
    public HostReport await(Predicate<HostReport> goOn) throws InterruptedException {
        HostReport report = report();
        while (!report.ended() && goOn.test(report)) {
            proxy.waitFor(LOOK_MILLIS, TimeUnit.MILLISECONDS);
            report = report();
        }
        return report;
    }

    /** The current report. */
    public HostReport report() {
        boolean ended = !proxy.isAlive();
        started = started || ended || allStarted();
        full = full || !isDrivers && folder.isFull(); // after the ranks' end, their space is free again
        // On a full device, the record of a failed rank is still missing when all ranks have ended.
        boolean failed = ends().anyMatch(end -> end.failed() && (ended || end.recorded()));
        String progress = part.firstRank() == 0 && !isDrivers ? folder.lastProgress() : null;
        List<HostReport.LeftFile> left =
                (ended || failed) && !isDrivers ? folder.left(host, isUsers ? part.ranks() : 0, full) : List.of();
        return new HostReport(
                started, progress, failed, ended, ended ? proxy.exitValue() : 0, left, 0, null, JobFolder.now());
    }

    /**
     * How each rank of the host ended that failed and was not told to end, with the last lines that it printed: for the
     * host's own log.
     */
    public List<String> failures() {
        return ends().filter(end -> end.recorded() && end.failed() && !end.asked())
                .map(end -> {
                    String how = end.signal() != 0 ? "signal " + Signals.text(end.signal()) : "exit " + end.code();
                    List<String> said = folder.logTail(end.rank());
                    String first = "rank " + end.rank() + " of " + part.program() + ": " + how;
                    return said.isEmpty() ? first : first + ". Its last lines:\n  " + String.join("\n  ", said);
                })
                .toList();
    }

    /** Ends every process of the part, and removes its folder unless it is the driver's. */
    @Override
    public void close() {
        end();
        if (!isDrivers) {
            folder.remove();
        }
    }

    /** Ends every process of the part. */
    public void end() {
        boolean interrupted =
                Thread.interrupted(); // an interrupted thread cannot read files, so it would miss processes
        boolean sound = !proxy.isAlive()
                && proxy.exitValue() == 0
                && ends().noneMatch(RankEnd::failed); // a proxy may end with 0 although a rank failed
        try {
            if (!sound) {
                new ProcessTree(proxy, folder.path()).kill();
            }
            // A user's program may use MPI on one rank too, and succeed without MPI_Finalize.
            if (!sound && (isUsers || part.proxyCommand() != null)) {
                MpichLeftovers.sweepAfterKill(begin);
            } else if (isUsers) {
                MpichLeftovers.sweep(begin);
            }
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

    /**
     * The job.json of a part, with the paths of this host: see {@link #start}.
     *
     * @param invocation null for a kernel
     */
    public static String jobOnThisHost(HostPart part, Path output, Map<String, String> brought, Invocation invocation) {
        try {
            ObjectNode root = (ObjectNode) JSON.readTree(part.jobJson());
            ((ObjectNode) root.get("output")).put("directory", output.toString());
            for (ObjectNode segment : segments(root)) {
                String path = brought.get(segment.path("path").asText());
                if (path != null) {
                    segment.put("path", path).put("bytes", Files.size(Path.of(path)));
                }
            }
            if (invocation != null) {
                ObjectNode outputs = root.putObject("outputs");
                invocation.outputs().forEach((name, own) -> outputs.putObject(name)
                        .put("directory", own.directory().toString())
                        .set("schema", Manifest.schemaJson(own.columns())));
            }
            return root.toPrettyString();
        } catch (IOException e) {
            throw noJson(e);
        }
    }

    /** Bytes of the segments that a host's ranks map: its own, and those that it has fetched. */
    public static long mappedBytes(HostPart part, String host, Set<String> brought) {
        try {
            return segments(JSON.readTree(part.jobJson())).stream()
                    .filter(segment -> segment.path("host").asText().equals(host)
                            || brought.contains(segment.path("path").asText()))
                    .mapToLong(segment -> segment.path("bytes").asLong())
                    .sum();
        } catch (IOException e) {
            throw noJson(e);
        }
    }

    /** Bytes of stored graphs below a folder that a host's ranks map, which they may read more than once. */
    public static long graphBytes(HostPart part, String host, Path below) {
        try {
            long bytes = 0;
            for (JsonNode input : JSON.readTree(part.jobJson()).get("inputs")) {
                JsonNode graph = input.path("graph");
                for (JsonNode segments : List.of(graph.path("in"), graph.path("out"))) {
                    for (JsonNode segment : segments) {
                        if (segment.path("host").asText().equals(host)
                                && Path.of(segment.path("path").asText()).startsWith(below)) {
                            bytes += segment.path("bytes").asLong();
                        }
                    }
                }
            }
            return bytes;
        } catch (IOException e) {
            throw noJson(e);
        }
    }

    private static List<ObjectNode> segments(JsonNode job) {
        List<ObjectNode> found = new ArrayList<>();
        for (JsonNode input : job.get("inputs")) {
            for (JsonNode segments : List.of(
                    input.path("segments"),
                    input.path("graph").path("in"),
                    input.path("graph").path("out"))) {
                segments.forEach(segment -> found.add((ObjectNode) segment));
            }
        }
        return found;
    }

    private static SparkGapException noJson(IOException e) {
        return new SparkGapException(
                SparkGapException.BUG, "job.json", "JSON", String.valueOf(e.getMessage()), "Do report it");
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
