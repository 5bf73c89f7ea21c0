// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * The tables of a host that outlive who wrote them (FORMAT.md, Published tables).
 *
 * <p>Errors: code 2 for a name that cannot be one, 3 for a damaged manifest or a segment that is not on this host, 4
 * where the stores cannot be written.
 */
public final class PublishedTables {
    private final Path memory;
    private final Path disk;
    private final Editions editions;

    /**
     * @param memory the store of the memory tier. @param disk that of the disk tier, which is made where it is missing
     */
    public PublishedTables(Path memory, Path disk) {
        this.memory = memory;
        this.disk = StoreHome.prepare(disk);
        editions = new Editions(List.copyOf(new LinkedHashSet<>(List.of(this.memory, this.disk))));
    }

    /** The names, sorted. */
    public List<String> list() {
        return editions.named().stream().sorted().toList();
    }

    /** The current edition, or null. */
    public Manifest get(String name) {
        String plain = TableStore.checkName(name);
        Manifest current = read(memory, plain);
        return current != null ? current : read(disk, plain);
    }

    /** Whether all its files are there, each as long as the manifest says. */
    public static boolean isWhole(Manifest table) {
        return files(table).allMatch(PublishedTables::isThere);
    }

    public static boolean isThere(SegmentInfo segment) {
        Path file = Path.of(segment.path());
        try {
            return Files.isReadable(file) && Files.size(file) == segment.bytes();
        } catch (IOException gone) {
            return false;
        }
    }

    /**
     * Gives a table's segments further names that outlive the writer's. Nothing is copied where the segments lie in the
     * stores.
     */
    public Manifest publish(Manifest table, String name, String application) {
        TableStore.checkName(name);
        syncOnDisk(table);
        try (StoreLock held = StoreLock.take(memory, disk)) {
            return put(table, name, application, get(name), null);
        } catch (IOException e) {
            throw StoreErrors.cannotWrite(memory, e);
        }
    }

    /**
     * Publishes the rows of an edition's durable copy in its place, unless the table was published, dropped or
     * recovered since.
     *
     * @param lost the edition whose files are gone
     * @return the current edition of the name; null if the table was dropped
     */
    public Manifest recover(Manifest lost, Manifest rows, String application) {
        syncOnDisk(rows);
        try (StoreLock held = StoreLock.take(memory, disk)) {
            Manifest current = get(lost.name());
            boolean isLost = current != null
                    && current.published().folder().equals(lost.published().folder())
                    && !isWhole(current);
            return isLost
                    ? put(
                            rows,
                            lost.name(),
                            application,
                            current,
                            lost.published().durable())
                    : current;
        } catch (IOException e) {
            throw StoreErrors.cannotWrite(memory, e);
        }
    }

    /** Notes where an edition's durable copy lies; false if it is no longer the current edition. */
    public boolean setDurable(Manifest edition, String folder) {
        try (StoreLock held = StoreLock.take(memory, disk)) {
            Manifest current = get(edition.name());
            if (current == null
                    || !current.published().folder().equals(edition.published().folder())) {
                return false;
            }
            write(new Manifest(
                    current.name(),
                    current.columns(),
                    current.segments(),
                    current.graph(),
                    current.published().durableIn(folder)));
            return true;
        } catch (IOException e) {
            throw StoreErrors.cannotWrite(memory, e);
        }
    }

    /** Drops the table; false if there was none. Readers keep the files that they have open. */
    public boolean drop(String name) {
        try (StoreLock held = StoreLock.take(memory, disk)) {
            boolean found = dropManifest(memory, TableStore.checkName(name)) | dropManifest(disk, name);
            if (found) {
                editions.prune(name, List.of());
            }
            return found;
        } catch (IOException e) {
            throw StoreErrors.cannotWrite(memory, e);
        }
    }

    /** Removes editions that no reader can be opening any more, and the files of interrupted publishers. */
    public void sweep() {
        try (StoreLock held = StoreLock.take(memory, disk)) {
            editions.removeParts();
            for (String name : editions.withFolders()) {
                try {
                    prune(name);
                } catch (IOException | SparkGapException e) {
                    // A table whose manifest cannot be read keeps its editions: its owner may want to repair it. A file
                    // that the system does not remove does not stop the others.
                }
            }
        } catch (IOException e) {
            throw StoreErrors.cannotWrite(memory, e);
        }
    }

    /** The next edition. Its files on disk are synced before its manifest is. */
    private Manifest put(Manifest table, String name, String application, Manifest before, String durable)
            throws IOException {
        requireFolders(name);
        int edition = before == null ? 1 : before.published().edition() + 1;
        String folder = Publication.newFolder(edition);
        prune(name);
        List<SegmentInfo> segments = link(name, folder, "rows", table.segments());
        GraphFiles graph = table.graph();
        if (graph != null) {
            graph = new GraphFiles(
                    graph.directed(),
                    graph.weight(),
                    graph.edges(),
                    link(name, folder, "in", graph.in()),
                    link(name, folder, "out", graph.out()));
        }
        for (Path store : List.of(memory, disk)) {
            Path own = Editions.folder(store, name).resolve(folder);
            for (Path made = own; Files.isDirectory(own) && !made.equals(store.getParent()); made = made.getParent()) {
                DiskSync.sync(made);
            }
        }
        String now = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
        Manifest made = new Manifest(
                name, table.columns(), segments, graph, new Publication(edition, folder, application, now, durable));
        write(made);
        prune(name);
        return made;
    }

    /** Before the lock is taken: otherwise all others would wait for gigabytes that the kernel has not written yet. */
    private void syncOnDisk(Manifest table) {
        try {
            for (SegmentInfo segment : files(table).toList()) {
                Path file = Path.of(segment.path());
                if (Files.exists(file)) { // link() reports what is missing
                    DiskSync.sync(file);
                }
            }
        } catch (IOException e) {
            throw StoreErrors.cannotWrite(disk, e);
        }
    }

    private List<SegmentInfo> link(String name, String folder, String part, List<SegmentInfo> segments)
            throws IOException {
        List<SegmentInfo> linked = new ArrayList<>();
        for (SegmentInfo segment : segments) {
            Path file;
            try {
                file = Path.of(segment.path()).toRealPath();
            } catch (NoSuchFileException e) {
                throw new SparkGapException(
                        SparkGapException.DATA,
                        "segment " + segment.path(),
                        "a file of this host",
                        "none",
                        "Do publish where the table was written");
            }
            if (Files.size(file) != segment.bytes()) {
                throw new SparkGapException(
                        SparkGapException.DATA,
                        "segment " + segment.path(),
                        segment.bytes() + " bytes",
                        Files.size(file) + " bytes",
                        "Do make the table again");
            }
            Path place =
                    Editions.folder(file.startsWith(disk) ? disk : memory, name).resolve(folder);
            StoreHome.makePrivate(place);
            Path further = place.resolve(String.format("%s-%05d.arrow", part, linked.size()));
            try {
                Files.createLink(further, file);
            } catch (IOException | UnsupportedOperationException e) {
                // Another device, or a file system without further names.
                Files.copy(file, further, StandardCopyOption.COPY_ATTRIBUTES);
            }
            DiskSync.sync(further);
            linked.add(new SegmentInfo(
                    segment.host(), further.toString(), segment.rows(), segment.bytes(), segment.crc32c()));
        }
        return linked;
    }

    /** On disk first, because the manifest in memory takes precedence while it exists. */
    private void write(Manifest table) throws IOException {
        for (Path store : List.of(disk, memory)) {
            StoreHome.makePrivate(store.resolve(Editions.PUBLISHED));
            table.write(manifest(store, table.name()), true);
            DiskSync.sync(store);
        }
    }

    /** Synced before segments go, or a loss of power would bring the name back without them. */
    private static boolean dropManifest(Path store, String name) throws IOException {
        Path file = manifest(store, name);
        if (!Editions.isFolder(file.getParent()) || Editions.isFolder(file) || !Files.deleteIfExists(file)) {
            return false;
        }
        DiskSync.sync(file.getParent());
        return true;
    }

    private void prune(String name) throws IOException {
        editions.prune(
                name,
                Stream.of(memory, disk)
                        .map(store -> read(store, name))
                        .filter(Objects::nonNull)
                        .map(Manifest::published)
                        .toList());
    }

    /** Published files are never written through a link. */
    private void requireFolders(String name) {
        for (Path folder : Stream.of(memory, disk)
                .map(store -> Editions.folder(store, name))
                .flatMap(own -> Stream.of(own.getParent(), own))
                .toList()) {
            if (Files.exists(folder, LinkOption.NOFOLLOW_LINKS) && !Editions.isFolder(folder)) {
                throw StoreErrors.unusable(
                        folder, "a folder", Files.isSymbolicLink(folder) ? "a link" : "something else", null);
            }
        }
    }

    private static Stream<SegmentInfo> files(Manifest table) {
        return Stream.concat(
                table.segments().stream(), table.graph() == null ? Stream.empty() : table.graph().segments().stream());
    }

    private static Manifest read(Path store, String name) {
        Path file = manifest(store, name);
        Manifest found = Editions.isFolder(file.getParent()) ? Manifest.read(file) : null;
        if (found != null && found.published() == null) {
            throw new SparkGapException(
                    SparkGapException.DATA,
                    "table " + file,
                    "the manifest of a published table",
                    "no entry 'published'",
                    "Do publish it again");
        }
        return found;
    }

    private static Path manifest(Path store, String name) {
        return Editions.folder(store, name + Editions.SUFFIX);
    }
}
