// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.store;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The folders below {@code published} of both tiers. Removes only folders of editions and incomplete manifests, never
 * files of other names, and never behind a link. The caller holds the locks of both stores.
 */
final class Editions {
    static final String PUBLISHED = "published";
    static final String SUFFIX = ".json";
    private static final String PART = SUFFIX + ".part";
    private static final long KEPT_MILLIS = 60_000;

    private final List<Path> stores;

    Editions(List<Path> stores) {
        this.stores = List.copyOf(stores);
    }

    /** Where an edition's segments stand in a store. */
    static Path folder(Path store, String name) {
        return store.resolve(PUBLISHED).resolve(name);
    }

    /** The names that have a manifest in one of the stores, in no order. */
    List<String> named() {
        return below(PUBLISHED).stream()
                .filter(file -> !isFolder(file))
                .map(Editions::name)
                .filter(n -> n.endsWith(SUFFIX))
                .map(n -> n.substring(0, n.length() - SUFFIX.length()))
                .filter(TableStore::isName)
                .distinct()
                .toList();
    }

    /** The names that have a folder. */
    List<String> withFolders() {
        return below(PUBLISHED).stream()
                .filter(Editions::isFolder)
                .map(Editions::name)
                .filter(TableStore::isName)
                .distinct()
                .toList();
    }

    /** Removes manifests of interrupted publishes, which were not renamed into place. */
    void removeParts() throws IOException {
        for (Path file : below(PUBLISHED)) {
            String name = name(file);
            if (name.endsWith(PART)
                    && TableStore.isName(name.substring(0, name.length() - PART.length()))
                    && Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
                Files.deleteIfExists(file);
            }
        }
    }

    /**
     * Removes all editions but those that the manifests name (an interrupted publish leaves two) and those superseded a
     * short while ago: a reader may have read their manifests and not yet opened them.
     */
    void prune(String name, List<Publication> manifests) throws IOException {
        List<Path> editions = below(PUBLISHED, name).stream()
                .filter(f -> isFolder(f) && Publication.edition(name(f)) > 0)
                .toList();
        Map<Integer, Long> came = new HashMap<>();
        for (Path edition : editions) {
            came.merge(
                    Publication.edition(name(edition)),
                    Files.getLastModifiedTime(edition, LinkOption.NOFOLLOW_LINKS)
                            .toMillis(),
                    Math::max);
        }
        int last = manifests.stream().mapToInt(Publication::edition).max().orElse(0);
        long now = System.currentTimeMillis();
        for (Path edition : editions) {
            int number = Publication.edition(name(edition));
            boolean isNamed = manifests.stream().anyMatch(its -> its.folder().equals(name(edition)));
            boolean isRecent = number < last && now - came.getOrDefault(number + 1, 0L) < KEPT_MILLIS;
            if (!isNamed && !isRecent) {
                StoreSweep.removeTree(edition);
            }
        }
        for (Path store : stores) {
            Path folder = folder(store, name);
            if (isFolder(folder.getParent())
                    && isFolder(folder)
                    && children(folder).isEmpty()) {
                Files.deleteIfExists(folder);
            }
        }
    }

    /** The content of a folder in all stores; nothing if it, or a folder above it, is a link. */
    private List<Path> below(String... way) {
        List<Path> found = new ArrayList<>();
        for (Path store : stores) {
            Path folder = store;
            for (int i = 0; i < way.length && folder != null; i++) {
                folder = isFolder(folder.resolve(way[i])) ? folder.resolve(way[i]) : null;
            }
            if (folder != null) {
                found.addAll(children(folder));
            }
        }
        return found;
    }

    private static List<Path> children(Path folder) {
        List<Path> found = new ArrayList<>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(folder)) {
            all.forEach(found::add);
        } catch (NoSuchFileException gone) {
            return List.of();
        } catch (IOException e) {
            throw StoreErrors.cannotWrite(folder, e);
        }
        return found;
    }

    static boolean isFolder(Path path) {
        return Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS);
    }

    private static String name(Path path) {
        return path.getFileName().toString();
    }
}
