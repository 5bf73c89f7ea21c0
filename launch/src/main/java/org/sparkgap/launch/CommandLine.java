// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.launch;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** How a job is started: command and environment as pure functions of the job. */
final class CommandLine {
    /** How OpenMP binds its threads, which the guard of a rank with processors of its own says. */
    private static final Set<String> BINDING = Set.of("OMP_PROC_BIND", "OMP_PLACES");

    private CommandLine() {}

    /**
     * One rank: the guard runs the program itself. More: the guard ties mpiexec to us; its proxy, which we start, has
     * one guard around each rank.
     */
    static List<String> of(Job job, Mpi mpi) {
        List<String> rank = new ArrayList<>(List.of(
                job.program().guard().toString(),
                "--job",
                job.directory().toString(),
                "--",
                job.program().executable().toString()));
        if (job.ranks() == 1) {
            return List.copyOf(rank);
        }
        List<String> command = new ArrayList<>(List.of(
                job.program().guard().toString(), "--exec", "--", mpi.mpiexec().toString()));
        // Without these, mpiexec would ask a batch system around us and might start ranks on other hosts.
        command.addAll(List.of("-launcher", "manual", "-localhost", "127.0.0.1", "-hosts", "localhost:" + job.ranks()));
        // Ranks have the environment of their proxy, which we start.
        command.addAll(List.of("-genvnone", "-n", Integer.toString(job.ranks())));
        command.addAll(rank);
        return List.copyOf(command);
    }

    /**
     * mpiexec for ranks on several hosts: it prints a line per host that an agent there runs, and starts nothing
     * itself.
     *
     * @param address of this host, by which the others reach mpiexec
     */
    static List<String> manual(Job job, Mpi mpi, String address) {
        List<String> hosts = job.hosts();
        // The names mean nothing to mpiexec; a host's own may be an address with colons.
        String ranksOn = IntStream.range(0, hosts.size())
                .mapToObj(i -> "host" + i + ":" + Collections.frequency(job.rankHosts(), hosts.get(i)))
                .collect(Collectors.joining(","));
        String guard = job.program().guard().toString();
        // The ranks take their environment from the agents: this one's means nothing elsewhere. The folder is one that
        // every host has.
        return List.of(
                guard,
                "--exec",
                "--",
                mpi.mpiexec().toString(),
                "-launcher",
                "manual",
                "-localhost",
                address,
                "-hosts",
                ranksOn,
                "-genvnone",
                "-wdir",
                "/",
                "-n",
                Integer.toString(job.ranks()),
                guard,
                "--here",
                "--");
    }

    /** What is set for one host's ranks where there are several hosts, over what the agent's process has. */
    static Map<String, String> hostEnvironment(
            HostPart part,
            Path directory,
            Program program,
            Mpi mpi,
            String device,
            int cores,
            Map<String, String> present) {
        Map<String, String> set = new TreeMap<>();
        crowded(part.ranks(), part.threads(), cores, set);
        // Messages between hosts by TCP: it was never seen to hang, which another module of MPICH was, and by shared
        // memory within one.
        set.put("UCX_TLS", part.ranks() > 1 ? "tcp,self,posix" : "tcp,self");
        if (device != null) {
            set.put("UCX_NET_DEVICES", device); // else each rank also listens on every other device
        }
        set.put("HWLOC_XMLFILE", "/dev/null");
        set.keySet().removeAll(present.keySet());
        own(directory, part.threads(), mpi, set);
        set.put("SPARKGAP_PROGRAM", program.executable().toString());
        return set;
    }

    /**
     * What is set for the job, over what this process has.
     *
     * @param cores that the job may use at once
     * @param present the environment of this process: where the choice is the user's, a value that is there already
     *     stays
     */
    static Map<String, String> environment(Job job, Mpi mpi, int cores, Map<String, String> present) {
        Map<String, String> set = new TreeMap<>();
        crowded(job.ranks(), job.threads(), cores, set);
        if (job.ranks() > 1) {
            // All ranks are on this host: shared memory only, else each rank also listens on two TCP ports, one of them
            // open to the network.
            set.put("UCX_TLS", "self,posix");
            // Else Hydra describes the machine in a file in /tmp, whatever TMPDIR says, which stays there when it is
            // killed. Ranks are not bound by it.
            set.put("HWLOC_XMLFILE", "/dev/null");
        }
        set.keySet().removeAll(present.keySet());
        own(job.directory(), job.threads(), job.ranks() > 1 ? mpi : null, set);
        return set;
    }

    /**
     * The environment of the processes that start one host's ranks: what these inherit of this process, and `set` over
     * it. What the user says of a program of his is set by the guard, for the program alone.
     */
    static void apply(Map<String, String> environment, Map<String, String> set, RankCpus cpus) {
        environment.keySet().removeIf(name -> !InheritedEnvironment.has(name));
        environment.putAll(set);
        if (cpus.bind()) {
            environment.keySet().removeAll(BINDING);
        }
    }

    static Path temporary(Path directory) {
        return directory.resolve("tmp");
    }

    private static void crowded(int ranks, int threads, int cores, Map<String, String> set) {
        if (ranks * (long) threads > cores) {
            // Threads that wait would spin on the cores that others need to get there.
            set.put("OMP_WAIT_POLICY", "passive");
            // So do ranks that wait for a message; these two make MPICH sleep a microsecond after so many looks in
            // vain.
            set.put("MPIR_CVAR_CH4_PROGRESS_THROTTLE", "1");
            set.put("MPIR_CVAR_CH4_PROGRESS_THROTTLE_NO_PROGRESS_COUNT", "64");
        }
    }

    private static void own(Path directory, int threads, Mpi mpi, Map<String, String> set) {
        set.put("SPARKGAP_JOB", directory.toString());
        set.put("OMP_NUM_THREADS", Integer.toString(threads));
        // Ranks of one host that have no processors of their own would all be bound to its first.
        set.put("OMP_PROC_BIND", "false");
        // What a killed rank leaves in its temporary folder goes with the job.
        set.put("TMPDIR", temporary(directory).toString());
        if (mpi != null && mpi.library() != null) {
            set.put("SPARKGAP_MPI_LIBRARY", mpi.library().toString());
        }
    }
}
