// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.launch;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.sparkgap.store.SparkGapException;

/**
 * The programs and the MPI that the jar carries for each architecture. They are unpacked once for each host, user and
 * content: into a folder that nobody else can write to, under a name that holds the checksum of all of it. A folder
 * that is there already is checked before it is used: owner, modes, sizes and checksums.
 */
public final class CarriedPrograms {
    /** In the jar: {@code ROOT/<architecture>/}; dev/one_jar.py writes it. */
    static final String ROOT = "sparkgap/native";

    /** Its lines: SHA-256, x or -, bytes, path. */
    static final String INDEX = "index";

    private static final Map<String, String> ARCHITECTURES = Map.of("amd64", "x86_64", "aarch64", "aarch64");
    private static final Set<PosixFilePermission> OWN_FOLDER = PosixFilePermissions.fromString("rwx------");
    private static final Set<PosixFilePermission> OTHERS_WRITE = PosixFilePermissions.fromString("----w--w-");
    private static final int NAME_LENGTH = 16;
    private static final long TRY_SECONDS = 10;
    /** Of {@code sparkgap-rank --confined}: yes or no, and so it runs. */
    private static final Set<Integer> ANSWERS = Set.of(0, 5);

    private static final String ASIDE = ".aside-";

    private final ClassLoader loader;
    private final String folder;
    private final String checksum;
    private final List<Entry> entries;

    private record Entry(String sha256, boolean runs, long bytes, String path) {}

    private CarriedPrograms(ClassLoader loader, String folder, String checksum, List<Entry> entries) {
        this.loader = loader;
        this.folder = folder;
        this.checksum = checksum;
        this.entries = entries;
    }

    /** What the jar carries for this machine; null where it carries nothing for it. */
    public static CarriedPrograms here() {
        return of(CarriedPrograms.class.getClassLoader(), System.getProperty("os.arch"));
    }

    static CarriedPrograms of(ClassLoader loader, String architecture) {
        String folder = ROOT + "/" + ARCHITECTURES.getOrDefault(architecture, architecture) + "/";
        try (InputStream index = loader.getResourceAsStream(folder + INDEX)) {
            if (index == null) {
                return null;
            }
            byte[] text = index.readAllBytes();
            List<Entry> entries = new String(text, StandardCharsets.UTF_8)
                    .lines()
                    .map(line -> line.split(" ", 4))
                    .map(words -> new Entry(words[0], "x".equals(words[1]), Long.parseLong(words[2]), words[3]))
                    .toList();
            return new CarriedPrograms(loader, folder, hex(sha256().digest(text)), entries);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * The folder of the programs, in the first of these places that takes it.
     *
     * <p>Errors: code 5 where none does, with the reason of each.
     *
     * @param places folders of this host that may be missing
     */
    public Path unpacked(List<Path> places) {
        List<String> reasons = new ArrayList<>();
        for (Path place : places) {
            try {
                return unpackedIn(place);
            } catch (Refused e) {
                reasons.add(place + " " + e.getMessage());
            } catch (IOException e) {
                reasons.add(place + ": " + reason(e));
            }
        }
        throw new SparkGapException(
                SparkGapException.LOST,
                "launch",
                "a folder where the jar's programs can be unpacked and run",
                String.join("; ", reasons),
                "Do set spark.local.dir to one with " + (bytes() >> 20) + " MiB free, and not mounted noexec");
    }

    private Path unpackedIn(Path place) throws IOException, Refused {
        Files.createDirectories(place);
        Path own = place.resolve("sparkgap-" + uid() + "-native");
        try {
            Files.createDirectory(own, PosixFilePermissions.asFileAttribute(OWN_FOLDER));
        } catch (FileAlreadyExistsException e) {
            // Of an earlier process, or it will be refused.
        }
        requireOurs(own);
        Path made = own.resolve(checksum.substring(0, NAME_LENGTH));
        if (Files.exists(made, LinkOption.NOFOLLOW_LINKS) && !isSound(made)) {
            discard(made);
        }
        if (!Files.exists(made, LinkOption.NOFOLLOW_LINKS)) {
            unpack(own, made);
        }
        requireRuns(made.resolve(Program.GUARD));
        return made;
    }

    /** Files are made aside, and their folder gets its name when they are complete: others see all of it or nothing. */
    private void unpack(Path own, Path made) throws IOException, Refused {
        sweep(own);
        Path aside = Files.createTempDirectory(own, ASIDE, PosixFilePermissions.asFileAttribute(OWN_FOLDER));
        try {
            for (Entry entry : entries) {
                write(entry, aside);
            }
            Files.move(aside, made, StandardCopyOption.ATOMIC_MOVE);
        } catch (FileSystemException e) {
            // Another process was first, which the system says in several ways, or the place is full or read-only.
            if (!Files.isDirectory(made, LinkOption.NOFOLLOW_LINKS)) {
                throw e;
            }
            if (!isSound(made)) {
                throw new Refused("has other files in " + made + " than the jar");
            }
        } finally {
            discard(aside);
        }
    }

    private void write(Entry entry, Path aside) throws IOException, Refused {
        Path file = aside.resolve(entry.path).normalize();
        if (!file.startsWith(aside)) {
            throw new Refused("would get a file outside its folder, " + entry.path);
        }
        Files.createDirectories(file.getParent(), PosixFilePermissions.asFileAttribute(OWN_FOLDER));
        MessageDigest digest = sha256();
        try (InputStream from = loader.getResourceAsStream(folder + entry.path)) {
            if (from == null) {
                throw new Refused("lacks " + entry.path + " of the jar's index");
            }
            try (OutputStream to = Files.newOutputStream(file, StandardOpenOption.CREATE_NEW)) {
                new DigestInputStream(from, digest).transferTo(to);
            }
        }
        if (!hex(digest.digest()).equals(entry.sha256)) {
            throw new Refused("got a damaged " + entry.path + " from the jar");
        }
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(entry.runs ? "rwx------" : "rw-------"));
    }

    /** Whether all files are there as they were unpacked. */
    private boolean isSound(Path made) throws IOException, Refused {
        requireOurs(made);
        try {
            return entries.parallelStream().allMatch(entry -> isSound(entry, made.resolve(entry.path)));
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    private boolean isSound(Entry entry, Path file) {
        try {
            if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) || Files.size(file) != entry.bytes) {
                return false;
            }
            Set<PosixFilePermission> mode = Files.getPosixFilePermissions(file, LinkOption.NOFOLLOW_LINKS);
            if (!isOurs(file) || mode.stream().anyMatch(OTHERS_WRITE::contains)) {
                return false;
            }
            if (entry.runs && !mode.contains(PosixFilePermission.OWNER_EXECUTE)) {
                return false;
            }
            MessageDigest digest = sha256();
            try (InputStream from = Files.newInputStream(file)) {
                new DigestInputStream(from, digest).transferTo(OutputStream.nullOutputStream());
            }
            return hex(digest.digest()).equals(entry.sha256);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void requireOurs(Path path) throws IOException, Refused {
        if (!Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
            throw new Refused("has something at " + path + " that is no folder");
        }
        if (!isOurs(path)) {
            throw new Refused("has " + path + " of another user");
        }
        if (!Files.getPosixFilePermissions(path, LinkOption.NOFOLLOW_LINKS).equals(OWN_FOLDER)) {
            throw new Refused("has " + path + " with a mode other than rwx------");
        }
    }

    /** A file system that is mounted noexec, or a C library that is too old, is found here and not by the first job. */
    private static void requireRuns(Path program) throws IOException, Refused {
        Process process;
        try {
            process = new ProcessBuilder(program.toString(), "--confined")
                    .redirectErrorStream(true)
                    .start();
        } catch (IOException e) {
            throw new Refused("does not let programs run (" + reason(e) + ")");
        }
        try {
            if (!process.waitFor(TRY_SECONDS, TimeUnit.SECONDS)) {
                throw new Refused("has a " + program.getFileName() + " that does not end");
            }
            if (!ANSWERS.contains(process.exitValue())) {
                String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
                throw new Refused("has programs that this host cannot run ("
                        + said.lines().findFirst().orElse("status " + process.exitValue()) + ")");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Refused("was not waited for");
        } finally {
            process.destroyForcibly();
        }
    }

    private long bytes() {
        return entries.stream().mapToLong(Entry::bytes).sum();
    }

    /** What processes that were killed have left. */
    private static void sweep(Path own) throws IOException {
        long hourAgo = System.currentTimeMillis() - TimeUnit.HOURS.toMillis(1);
        try (DirectoryStream<Path> all = Files.newDirectoryStream(own, ASIDE + "*")) {
            for (Path left : all) {
                if (Files.getLastModifiedTime(left, LinkOption.NOFOLLOW_LINKS).toMillis() < hourAgo) {
                    discard(left);
                }
            }
        } catch (NoSuchFileException e) {
            // Another process sweeps too.
        }
    }

    private static void discard(Path folder) throws IOException {
        if (Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
            try (DirectoryStream<Path> all = Files.newDirectoryStream(folder)) {
                for (Path inside : all) {
                    discard(inside);
                }
            } catch (NoSuchFileException e) {
                // Another process does the same.
            }
        }
        Files.deleteIfExists(folder);
    }

    private static boolean isOurs(Path path) throws IOException {
        return Files.getAttribute(path, "unix:uid", LinkOption.NOFOLLOW_LINKS).equals(uid());
    }

    private static Object uid() throws IOException {
        return Files.getAttribute(Path.of("/proc/self"), "unix:uid");
    }

    private static String reason(IOException e) {
        return e instanceof FileSystemException of && of.getReason() != null
                ? of.getReason()
                : String.valueOf(e.getMessage());
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }

    /** Why a place does not do. */
    private static final class Refused extends Exception {
        private static final long serialVersionUID = 1;

        Refused(String reason) {
            super(reason);
        }
    }
}
