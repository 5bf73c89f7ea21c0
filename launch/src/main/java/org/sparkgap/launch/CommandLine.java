// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.launch;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** How a job is started: command and environment as pure functions of the job. */
final class CommandLine {
  private CommandLine() {}

  /** One rank: the guard runs the program itself. More: the guard ties mpiexec to us, and one guard stands around each rank. */
  static List<String> of(Job job, Mpi mpi) {
    List<String> rank = List.of(job.program().guard().toString(), "--job", job.directory().toString(), "--", job.program().executable().toString());
    if (job.ranks() == 1) {
      return rank;
    }
    List<String> command = new ArrayList<>(List.of(job.program().guard().toString(), "--exec", "--", mpi.mpiexec().toString()));
    // Without these two, mpiexec would ask a batch system around us and might start ranks on other hosts.
    command.addAll(List.of("-launcher", "fork", "-hosts", "localhost:" + job.ranks()));
    command.addAll(List.of("-n", Integer.toString(job.ranks())));
    command.addAll(rank);
    return List.copyOf(command);
  }

  /**
   * What is set for the job, over what this process has.
   *
   * @param cores that the job may use at once
   * @param present the environment of this process: where the choice is the user's, a value that is there already stays
   */
  static Map<String, String> environment(Job job, Mpi mpi, int cores, Map<String, String> present) {
    Map<String, String> set = new TreeMap<>();
    if (job.ranks() * (long) job.threads() > cores) {
      // Threads that wait would spin on the cores that others need to get there.
      set.put("OMP_WAIT_POLICY", "passive");
      // So do ranks that wait for a message; these two make MPICH sleep a microsecond after so many looks in vain.
      set.put("MPIR_CVAR_CH4_PROGRESS_THROTTLE", "1");
      set.put("MPIR_CVAR_CH4_PROGRESS_THROTTLE_NO_PROGRESS_COUNT", "64");
    }
    if (job.ranks() > 1) {
      // All ranks are on this host: shared memory only, else each rank also listens on two TCP ports, one of them open to the network.
      set.put("UCX_TLS", "self,posix");
      // Else Hydra describes the machine in a file in /tmp, whatever TMPDIR says, which stays there when it is killed. Ranks are not bound by it.
      set.put("HWLOC_XMLFILE", "/dev/null");
    }
    set.keySet().removeAll(present.keySet());
    set.put("SPARKGAP_JOB", job.directory().toString());
    set.put("OMP_NUM_THREADS", Integer.toString(job.threads()));
    // Ranks of one host would all be bound to its first processors.
    set.put("OMP_PROC_BIND", "false");
    // What a killed rank leaves in its temporary folder goes with the job.
    set.put("TMPDIR", temporary(job).toString());
    if (job.ranks() > 1 && mpi.library() != null) {
      set.put("SPARKGAP_MPI_LIBRARY", mpi.library().toString());
    }
    return set;
  }

  static Path temporary(Job job) {
    return job.directory().resolve("tmp");
  }
}
