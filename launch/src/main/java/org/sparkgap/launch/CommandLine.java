// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.launch;

import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** How a job is started: commands and environments as pure functions of the job and its parts. */
final class CommandLine {
    /** How OpenMP binds its threads, which the guard of a rank with processors of its own says. */
    private static final Set<String> BINDING = Set.of("OMP_PROC_BIND", "OMP_PLACES");

    private CommandLine() {}

    /** A job's only rank: the guard runs the program itself. */
    static List<String> rank(Path directory, Program program) {
        return List.of(
                program.guard().toString(),
                "--job",
                directory.toString(),
                "--",
                program.executable().toString());
    }

    /**
     * mpiexec, tied to us by a guard: it prints a line per host that an agent there runs, and starts nothing itself.
     * The proxies have one guard around each rank.
     *
     * @param address of this host, by which the others reach mpiexec
     */
    static List<String> launcher(Job job, Mpi mpi, String address) {
        List<String> hosts = job.hosts();
        // Without hosts, mpiexec would ask a batch system around us. The names mean nothing to it; a host's own may be
        // an address with colons.
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

    /**
     * What is set for one host's ranks, over what the agent's process has.
     *
     * @param device of the network, null where the host is alone or it is not known
     * @param cores that the ranks may use at once
     * @param present the environment of this process: where the choice is the user's, a value that is there already
     *     stays
     */
    static Map<String, String> environment(
            HostPart part,
            Path directory,
            Program program,
            Mpi mpi,
            String device,
            int cores,
            Map<String, String> present) {
        Map<String, String> set = new TreeMap<>();
        boolean isOnly = part.proxyCommand() == null;
        crowded(part.ranks(), part.threads(), cores, set);
        if (!isOnly) {
            // Messages within a host by shared memory: else each rank also listens on two TCP ports, one of them open
            // to the network. Between hosts by TCP: it was never seen
            // to hang, which another module of MPICH was.
            set.put("UCX_TLS", part.alone() ? "self,posix" : part.ranks() > 1 ? "tcp,self,posix" : "tcp,self");
            // Else Hydra describes the machine in a file in /tmp, whatever TMPDIR says, which stays there when it is
            // killed. Ranks are not bound by it.
            set.put("HWLOC_XMLFILE", "/dev/null");
        }
        if (device != null) {
            set.put("UCX_NET_DEVICES", device); // else each rank also listens on every other device
        }
        set.keySet().removeAll(present.keySet());
        set.put("SPARKGAP_JOB", directory.toString());
        set.put("OMP_NUM_THREADS", Integer.toString(part.threads()));
        // Ranks of one host that have no processors of their own would all be bound to its first.
        set.put("OMP_PROC_BIND", "false");
        // What a killed rank leaves in its temporary folder goes with the job.
        set.put("TMPDIR", temporary(directory).toString());
        if (!isOnly) {
            set.put("SPARKGAP_PROGRAM", program.executable().toString());
            if (mpi.library() != null) {
                set.put("SPARKGAP_MPI_LIBRARY", mpi.library().toString());
            }
        }
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
            // So do ranks that wait for a message; these two make MPICH sleep a microsecond after a number of looks in
            // vain.
            set.put("MPIR_CVAR_CH4_PROGRESS_THROTTLE", "1");
            set.put("MPIR_CVAR_CH4_PROGRESS_THROTTLE_NO_PROGRESS_COUNT", "64");
        }
    }
}
