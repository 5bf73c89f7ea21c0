// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.launch;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.sparkgap.store.SparkGapException;

/**
 * The MPI of this host.
 *
 * @param library the libmpi_abi.so.1 that belongs to mpiexec; null if none lies beside it, and then the loader's path
 *     decides
 */
public record Mpi(Path mpiexec, Path library) {
    private static final String PROXY = "hydra_pmi_proxy";
    private static final String LIBRARY = "libmpi_abi.so.1";

    /**
     * The mpiexec that the setting names, or the first in {@code searchPath} (a PATH) if the setting is empty.
     *
     * <p>Errors: code 5 where there is none.
     */
    public static Mpi find(String setting, String searchPath) {
        if (!setting.isBlank()) {
            Path given = Path.of(setting.strip());
            if (!isProgram(given)) {
                throw missing("a program at spark.sparkgap.launch.mpiexec", "no such program " + given);
            }
            return at(given);
        }
        for (String folder : searchPath == null ? new String[0] : searchPath.split(":")) {
            Path candidate = Path.of(folder.isEmpty() ? "." : folder).resolve("mpiexec");
            if (isProgram(candidate)) {
                return at(candidate);
            }
        }
        throw missing("mpiexec from the mpich package", "none in PATH");
    }

    /** Its hydra_pmi_proxy, which starts the ranks of one host. Errors: code 5 if there is none. */
    public Path proxy() {
        Path real;
        try {
            real = mpiexec.toRealPath();
        } catch (IOException e) {
            real = mpiexec;
        }
        for (Path beside : List.of(mpiexec, real)) {
            Path found = beside.resolveSibling(PROXY);
            if (isProgram(found)) {
                return found;
            }
        }
        throw missing(PROXY + " beside " + mpiexec, "none");
    }

    private static Mpi at(Path mpiexec) {
        Path program = mpiexec.toAbsolutePath();
        Path real;
        try {
            real = program.toRealPath();
        } catch (IOException e) {
            real = program;
        }
        // The wheel puts libraries into lib/mpich beside bin; an installation of MPI has lib or lib64.
        for (Path bin : List.of(program.getParent(), real.getParent())) {
            for (String folder : List.of("lib/mpich", "lib", "lib64")) {
                Path library = bin.resolveSibling(folder).resolve(LIBRARY);
                if (Files.isRegularFile(library)) {
                    return new Mpi(program, library.normalize());
                }
            }
        }
        return new Mpi(program, null);
    }

    private static boolean isProgram(Path path) {
        return Files.isRegularFile(path) && Files.isExecutable(path);
    }

    private static SparkGapException missing(String expected, String found) {
        return new SparkGapException(
                SparkGapException.LOST,
                "launch",
                expected,
                found,
                "Do pip install mpich==5.0.2 or set spark.sparkgap.launch.mpiexec to its path");
    }
}
