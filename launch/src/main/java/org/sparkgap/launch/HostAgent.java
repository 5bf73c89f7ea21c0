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
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.sparkgap.store.Manifest;
import org.sparkgap.store.SparkGapException;
import org.sparkgap.topology.ProcessLimits;

/**
 * Runs one host's part of a job on that host: the proxy of mpiexec under a guard, whose ranks stand under guards of
 * their own; or the one rank under its guard.
 *
 * <p>The guards tie every process to the one above it, this JVM on top: whatever dies, what is below goes. Where the
 * kernel is old they die with the thread that started the part, so that thread waits for its end and closes it. Not
 * thread-safe.
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
     * <p>Errors: code 4 where the job's folder cannot be made, 5 where the proxy cannot be started.
     *
     * @param directory the job's folder on this host, not made yet unless it is the driver's
     * @param isDrivers whether JobRun is in this very process: it has made the folder, reads there what the ranks
     *     leave, and removes it
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
            boolean isDrivers,
            Path output,
            Map<String, String> brought,
            Program program,
            Mpi mpi,
            String address,
            RankCpus cpus) {
        JobFolder folder = isDrivers ? new JobFolder(directory) : JobFolder.create(directory);
        try {
            folder.putJob(onThisHost(part.jobJson(), output, brought, program.invocation()));
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

    /** Waits until the part has ended, or `goOn`, which hears how it stands, says no: how it stands then. */
    public HostReport await(Predicate<HostReport> goOn) throws InterruptedException {
        HostReport report = report();
        while (!report.ended() && goOn.test(report)) {
            proxy.waitFor(LOOK_MILLIS, TimeUnit.MILLISECONDS);
            report = report();
        }
        return report;
    }

    /** How it stands now. */
    public HostReport report() {
        boolean ended = !proxy.isAlive();
        started = started || ended || allStarted();
        full = full || !isDrivers && folder.isFull(); // when its ranks have ended, what they held is free again
        // Where no room is left for it, a failed rank's record is missing when all have ended.
        boolean failed = ends().anyMatch(end -> end.failed() && (ended || end.recorded()));
        String progress = part.firstRank() == 0 && !isDrivers ? folder.lastProgress() : null;
        List<HostReport.LeftFile> left =
                (ended || failed) && !isDrivers ? folder.left(host, isUsers ? part.ranks() : 0, full) : List.of();
        return new HostReport(
                started, progress, failed, ended, ended ? proxy.exitValue() : 0, left, 0, null, JobFolder.now());
    }

    /** Ends every process of the part, and removes its folder where that is not the driver's. */
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
                Thread.interrupted(); // a thread that is interrupted can read no file, so it would miss processes
        boolean sound = !proxy.isAlive()
                && proxy.exitValue() == 0
                && ends().noneMatch(RankEnd::failed); // a proxy's 0 says nothing of its ranks
        try {
            if (!sound) {
                new ProcessTree(proxy, folder.path()).kill();
            }
            // A program that need not know us may use MPI on one rank too, and end well without taking leave of it.
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
                ObjectNode outputs = root.putObject("outputs");
                invocation.outputs().forEach((name, own) -> outputs.putObject(name)
                        .put("directory", own.directory().toString())
                        .set("schema", Manifest.schemaJson(own.columns())));
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
