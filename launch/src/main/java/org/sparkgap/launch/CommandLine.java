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
    /** How OpenMP pins its threads. The guard of a rank with processors of its own sets it. */
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
     * mpiexec, under a guard that ends it with this process. It prints a line for each host, which the agent there
     * runs, and starts nothing itself. Each proxy starts its ranks under one guard each.
     *
     * @param address of this host, where the others reach mpiexec
     */
    static List<String> launcher(Job job, Mpi mpi, String address) {
        List<String> hosts = job.hosts();
        // Without -hosts, mpiexec would ask the batch system that we run in. The names are made up, because a host's
        // real name may be an address with colons.
        String ranksOn = IntStream.range(0, hosts.size())
                .mapToObj(i -> "host" + i + ":" + Collections.frequency(job.rankHosts(), hosts.get(i)))
                .collect(Collectors.joining(","));
        String guard = job.program().guard().toString();
        // The ranks take their environment from the agents, because ours means nothing on other hosts, and their guard
        // from the agent's PATH, because each host has a folder of its own for it. The working folder is one that every
        // host has.
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
                Program.GUARD,
                "--here",
                "--");
    }

    /**
     * The variables set for one host's ranks, on top of those of the agent's process.
     *
     * @param device network device; null for a single host, or if unknown
     * @param cores that the ranks may use at once
     * @param present the environment of this process: a value that the user has set is kept
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
            // Within a host messages go through shared memory: otherwise each rank also listens on two TCP ports, one
            // of them open to the network. Between hosts they go by TCP: it was never seen to hang, which another
            // module of MPICH was.
            set.put("UCX_TLS", part.alone() ? "self,posix" : part.ranks() > 1 ? "tcp,self,posix" : "tcp,self");
            // Otherwise Hydra describes the machine in a file in /tmp, regardless of TMPDIR, and the file stays if
            // Hydra is killed. Hydra pins no ranks.
            set.put("HWLOC_XMLFILE", "/dev/null");
        }
        if (device != null) {
            set.put("UCX_NET_DEVICES", device); // otherwise each rank also listens on every other device
        }
        set.keySet().removeAll(present.keySet());
        set.put("SPARKGAP_JOB", directory.toString());
        set.put("OMP_NUM_THREADS", Integer.toString(part.threads()));
        // Without this, ranks of one host that have no processors of their own would all be pinned to its first ones.
        set.put("OMP_PROC_BIND", "false");
        // The temporary folder is removed with the job, with anything that a killed rank leaves in it.
        set.put("TMPDIR", temporary(directory).toString());
        if (!isOnly) {
            String path = present.getOrDefault("PATH", "");
            set.put("PATH", program.guard().getParent() + (path.isEmpty() ? "" : ":" + path));
            set.put("SPARKGAP_PATH", path); // which the guard gives back to the program
            set.put("SPARKGAP_PROGRAM", program.executable().toString());
            if (mpi.library() != null) {
                set.put("SPARKGAP_MPI_LIBRARY", mpi.library().toString());
            }
        }
        return set;
    }

    /**
     * The environment of the processes that start one host's ranks: what they inherit from this process, and `set` over
     * it. The guard sets the user's own variables, for the program alone.
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
            // Waiting threads would spin on cores that the others need to make progress.
            set.put("OMP_WAIT_POLICY", "passive");
            // Ranks that wait for a message spin too. With these two, MPICH sleeps a microsecond after a number of
            // failed polls.
            set.put("MPIR_CVAR_CH4_PROGRESS_THROTTLE", "1");
            set.put("MPIR_CVAR_CH4_PROGRESS_THROTTLE_NO_PROGRESS_COUNT", "64");
        }
    }
}
