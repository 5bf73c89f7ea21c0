// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The tables of one home by name.
 *
 * <p>A writer reserves the name of a table first: if two want one name at once, one gets it. All TableStores of a home
 * share its names.
 *
 * <p>Errors: code 2 for an invalid name, 3 for a damaged manifest, 4 if the store cannot be written.
 */
public final class TableStore {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_-]{0,127}");
    private static final String SUFFIX = ".json";

    private final StoreHome home;
    private final List<Path> others;

    public TableStore(StoreHome home) {
        this(home, List.of());
    }

    /** @param others other stores that may hold segments of these tables */
    public TableStore(StoreHome home, List<Path> others) {
        this.home = home;
        this.others = List.copyOf(others);
    }

    /** The names, sorted. */
    public List<String> list() {
        try (Stream<Path> files = Files.list(home.tables())) {
            return files.map(f -> f.getFileName().toString())
                    .filter(n -> n.endsWith(SUFFIX))
                    .map(n -> n.substring(0, n.length() - SUFFIX.length()))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw StoreErrors.cannotWrite(home.tables(), e);
        }
    }

    /** The table of that name, or null, also for an invalid name. */
    public Manifest get(String name) {
        return isName(name) ? Manifest.read(file(name)) : null;
    }

    /**
     * Reserves a free name for the caller until it is closed. Errors: code 2 for a name that is taken or reserved.
     *
     * @param where the user's word for the name, for errors
     */
    public Reservation reserve(String where, String name) {
        synchronized (home.reserved()) {
            if (Files.exists(file(checkName(name)))) {
                throw new SparkGapException(
                        SparkGapException.ARGUMENTS,
                        where,
                        "a name that is free",
                        "a table '" + name + "'",
                        "Do drop that table or choose another name");
            }
            return new Reservation(where, name);
        }
    }

    /** The same for a name that a table may have already, which {@link Reservation#put} will replace. */
    public Reservation reserveToReplace(String where, String name) {
        synchronized (home.reserved()) {
            return new Reservation(where, checkName(name));
        }
    }

    /**
     * Replaces a table by another. Returns false and changes nothing if the name now belongs to a third table, or to
     * none.
     */
    public boolean replace(Manifest present, Manifest table) {
        synchronized (home.reserved()) {
            if (!present.equals(get(present.name()))) {
                return false;
            }
            table.write(file(present.name()));
            return true;
        }
    }

    /**
     * Drops the table, and returns it or null. The manifest is removed first, so no reader sees a table without its
     * segments.
     */
    public Manifest drop(String name) {
        return drop(name, null);
    }

    /** The same for this table only: returns null and changes nothing if another table has its name by now. */
    public Manifest drop(Manifest present) {
        return drop(present.name(), present);
    }

    private Manifest drop(String name, Manifest only) {
        Manifest table;
        synchronized (home.reserved()) {
            table = get(name);
            if (table == null || only != null && !only.equals(table)) {
                return null;
            }
            try {
                Files.deleteIfExists(file(name));
            } catch (IOException e) {
                throw StoreErrors.cannotWrite(home.tables(), e);
            }
        }
        deleteSegments(table.segments());
        if (table.graph() != null) {
            deleteSegments(table.graph().segments());
        }
        return table;
    }

    /** A name for a table in the making. Closing it before {@link #put} frees it. */
    public final class Reservation implements AutoCloseable {
        private final String name;
        private boolean closed;

        /** With the lock of the names held. */
        private Reservation(String where, String name) {
            if (!home.reserved().add(name)) {
                throw new SparkGapException(
                        SparkGapException.ARGUMENTS,
                        where,
                        "a name that is free",
                        "'" + name + "' being made by another call",
                        "Do wait for its end or choose another name");
            }
            this.name = name;
        }

        public String name() {
            return name;
        }

        /** Gives the table its name. Returns the table that had it before, or null. */
        public Manifest put(Manifest table) {
            if (!table.name().equals(name)) {
                throw new IllegalArgumentException("'" + table.name() + "' was to be '" + name + "'");
            }
            synchronized (home.reserved()) {
                Manifest before = get(name);
                table.write(file(name));
                return before;
            }
        }

        @Override
        public void close() {
            synchronized (home.reserved()) {
                if (!closed) {
                    closed = true;
                    home.reserved().remove(name);
                }
            }
        }
    }

    /**
     * Removes segment files of this store. A path outside of it, or one that a linked folder leads out, is left alone,
     * even if a manifest names it.
     */
    public void deleteSegments(List<SegmentInfo> segments) {
        for (SegmentInfo segment : segments) {
            Path file = Path.of(segment.path()).toAbsolutePath().normalize();
            try {
                if (!file.toString().endsWith(".arrow") || !isOurs(file.getParent())) {
                    continue;
                }
                Files.deleteIfExists(file);
                deleteIfEmpty(file.getParent());
            } catch (IOException e) {
                throw StoreErrors.cannotWrite(file.getParent(), e);
            }
        }
    }

    /** Whether it is a valid table name. */
    static boolean isName(String name) {
        return NAME.matcher(name).matches();
    }

    /** The name itself. Errors: code 2 if it is no valid table name. */
    public static String checkName(String name) {
        if (!isName(name)) {
            throw new SparkGapException(
                    SparkGapException.ARGUMENTS,
                    "table '" + name + "'",
                    "letters, digits, _ and -, at most 128 of them",
                    "'" + name + "'",
                    "Do choose another name");
        }
        return name;
    }

    private Path file(String name) {
        return home.tables().resolve(name + SUFFIX);
    }

    private boolean isOurs(Path folder) throws IOException {
        return (folder.startsWith(home.store()) || others.stream().anyMatch(folder::startsWith))
                && (!Files.exists(folder) || folder.toRealPath().equals(folder));
    }

    private static void deleteIfEmpty(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            return; // another host's
        }
        try (Stream<Path> rest = Files.list(directory)) {
            if (rest.findAny().isPresent()) {
                return;
            }
        }
        Files.deleteIfExists(directory);
    }
}
