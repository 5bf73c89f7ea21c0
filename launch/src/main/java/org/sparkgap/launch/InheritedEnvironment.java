// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.launch;

import java.util.Set;

/**
 * The variables that programs inherit from the driver or executor that starts them: those that say where things are and
 * how MPI and OpenMP work. All others stay behind, because a key or token may have any name. A user passes further
 * variables in `env`.
 */
final class InheritedEnvironment {
    private static final Set<String> NAMES = Set.of(
            "PATH",
            "HOME",
            "USER",
            "LOGNAME",
            "SHELL",
            "HOSTNAME",
            "LANG",
            "LANGUAGE",
            "TZ",
            "TMPDIR",
            "LD_LIBRARY_PATH",
            "LD_PRELOAD",
            "VIRTUAL_ENV",
            "CONDA_PREFIX",
            "JAVA_HOME",
            "CUDA_HOME",
            "CUDA_VISIBLE_DEVICES",
            "ROCR_VISIBLE_DEVICES",
            "HIP_VISIBLE_DEVICES",
            "PYTHONPATH",
            "PYTHONHOME",
            "PYTHONUNBUFFERED",
            "PYTHONHASHSEED",
            "PYTHONDONTWRITEBYTECODE",
            "PYTHONNOUSERSITE",
            "PYTHONUSERBASE",
            "PERL5LIB",
            "R_HOME",
            "R_LIBS",
            "R_LIBS_USER",
            "JULIA_DEPOT_PATH",
            "JULIA_LOAD_PATH",
            "ASAN_OPTIONS",
            "LSAN_OPTIONS",
            "TSAN_OPTIONS",
            "UBSAN_OPTIONS",
            "SPARKGAP_MPI_LIBRARY");
    private static final String[] FAMILIES = {
        "LC_",
        "OMP_",
        "GOMP_",
        "KMP_",
        "OPENBLAS_",
        "MKL_",
        "BLIS_",
        "MPIR_",
        "MPICH_",
        "MPIEXEC_",
        "HYDRA_",
        "UCX_",
        "FI_",
        "I_MPI_",
        "HWLOC_",
        "NCCL_"
    };

    private InheritedEnvironment() {}

    static boolean has(String name) {
        if (NAMES.contains(name)) {
            return true;
        }
        for (String family : FAMILIES) {
            if (name.startsWith(family)) {
                return true;
            }
        }
        return false;
    }
}
