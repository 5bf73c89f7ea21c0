// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.launch;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.sparkgap.store.SparkGapException;

/**
 * A file, or a folder of files, that a program leaves in its working folder. That folder is the job's, and is removed
 * with it.
 *
 * @param where for errors, as the user knows it
 * @param file its name there, which {@link #check} accepted
 * @param to where it is moved when all ranks have succeeded
 */
public record LeftFile(String where, String file, Path to) {
    /** Files of the job itself in that folder. */
    private static final Pattern OURS = Pattern.compile(
            "job\\.json|progress\\.jsonl|launcher\\.log|full|tmp|(rank|exit|error|done|arguments|cpus)-.*");

    /** Errors: code 2 for a name that does not lie in the working folder. */
    public static void check(String where, String file) {
        Path path;
        try {
            path = Path.of(file).normalize();
        } catch (InvalidPathException e) {
            throw refused(where, "'" + file.replaceAll("\\p{Cntrl}", "?") + "'");
        }
        if (file.isBlank()
                || path.isAbsolute()
                || path.toString().isEmpty()
                || Path.of(file).startsWith("..")
                || path.startsWith("..")) {
            throw refused(where, "'" + file + "'");
        }
        if (OURS.matcher(path.getName(0).toString()).matches()) {
            throw refused(where, "'" + file + "', which the job itself has");
        }
    }

    /**
     * Moves it out of the folder; a missing file is no error here. Errors: code 3 if a link leads out of the folder.
     */
    public void moveFrom(Path folder) throws IOException {
        Path source = folder.resolve(file);
        if (!Files.exists(source)) {
            return;
        }
        Path real = source.toRealPath();
        if (!real.startsWith(folder.toRealPath()) || real.equals(folder.toRealPath())) {
            throw behindLink(source);
        }
        if (Files.isDirectory(real)) {
            try (DirectoryStream<Path> entries = Files.newDirectoryStream(real)) {
                for (Path entry : entries) {
                    if (Files.isSymbolicLink(entry)) {
                        throw behindLink(entry);
                    }
                }
            }
        } else if (!Files.isRegularFile(real, LinkOption.NOFOLLOW_LINKS)) {
            throw new SparkGapException(
                    SparkGapException.DATA,
                    where + " (" + file + ")",
                    "a file or a folder of files",
                    "something else",
                    "Do let the program write a file");
        }
        Files.move(real, to);
    }

    private SparkGapException behindLink(Path link) {
        return new SparkGapException(
                SparkGapException.DATA,
                where + " (" + file + ")",
                "a file in the working folder itself",
                "the link " + link.getFileName() + ", which leads out of it or stands in a folder of files",
                "Do let the program write the file there");
    }

    private static SparkGapException refused(String where, String found) {
        return new SparkGapException(
                SparkGapException.ARGUMENTS,
                where,
                "the name of a file in the program's working folder, such as 'out/mode1.mat'",
                found,
                "Do correct the name");
    }
}
