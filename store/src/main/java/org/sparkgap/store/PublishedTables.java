// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The tables of a host that outlive who wrote them (FORMAT.md, Published tables).
 *
 * <p>Errors: code 2 for a name that cannot be one, 3 for a damaged manifest or a segment that is not on this host, 4 where the stores cannot be written.
 */
public final class PublishedTables {
  private static final String FOLDER = "published";
  private static final String SUFFIX = ".json";
  private static final long KEPT_MILLIS = 60_000;

  private final Path memory;
  private final Path disk;

  /** @param memory the store of the memory tier. @param disk that of the disk tier, which is made where it is missing */
  public PublishedTables(Path memory, Path disk) {
    this.memory = memory;
    this.disk = StoreHome.prepare(disk);
  }

  /** The names, sorted. */
  public List<String> list() {
    return Stream.of(memory, disk).flatMap(store -> children(store.resolve(FOLDER)).stream()).map(f -> f.getFileName().toString())
        .filter(n -> n.endsWith(SUFFIX)).map(n -> n.substring(0, n.length() - SUFFIX.length())).distinct().sorted().toList();
  }

  /** The current edition, or null. */
  public Manifest get(String name) {
    String plain = TableStore.checkName(name);
    Manifest current = Manifest.read(manifest(memory, plain));
    return current != null ? current : Manifest.read(manifest(disk, plain));
  }

  /** Whether all its files are there. */
  public static boolean isWhole(Manifest table) {
    return files(table).allMatch(segment -> Files.isReadable(Path.of(segment.path())));
  }

  /** Gives a table's segments further names that outlive the writer's. Nothing is copied where the segments lie in the stores. */
  public Manifest publish(Manifest table, String name, String application) {
    TableStore.checkName(name);
    try (StoreLock held = StoreLock.take(memory)) {
      Manifest before = get(name);
      int edition = before == null ? 1 : before.published().edition() + 1;
      prune(name, edition - 1);
      List<SegmentInfo> segments = link(name, edition, "rows", table.segments());
      GraphFiles graph = table.graph();
      if (graph != null) {
        graph = new GraphFiles(graph.directed(), graph.weight(), graph.edges(), link(name, edition, "in", graph.in()), link(name, edition, "out", graph.out()));
      }
      Manifest made = new Manifest(name, table.columns(), segments, graph, new Publication(edition, application, Instant.now().truncatedTo(ChronoUnit.SECONDS).toString(), null));
      write(made);
      prune(name, edition);
      return made;
    } catch (IOException e) {
      throw StoreErrors.cannotWrite(memory, e);
    }
  }

  /** Says where an edition's rows are safe; false where it is not the current one any more. */
  public boolean setDurable(String name, int edition, String folder) {
    try (StoreLock held = StoreLock.take(memory)) {
      Manifest current = get(name);
      if (current == null || current.published().edition() != edition) {
        return false;
      }
      Publication of = current.published();
      write(new Manifest(name, current.columns(), current.segments(), current.graph(), new Publication(edition, of.application(), of.at(), folder)));
      return true;
    } catch (IOException e) {
      throw StoreErrors.cannotWrite(memory, e);
    }
  }

  /** Whether there was one. Readers that have its files open keep them. */
  public boolean drop(String name) {
    try (StoreLock held = StoreLock.take(memory)) {
      boolean found = Files.deleteIfExists(manifest(memory, TableStore.checkName(name))) | Files.deleteIfExists(manifest(disk, name));
      prune(name, 0);
      return found;
    } catch (IOException e) {
      throw StoreErrors.cannotWrite(memory, e);
    }
  }

  /** Removes editions that nobody can be reading any more and what interrupted publishers have left. */
  public void sweep() {
    try (StoreLock held = StoreLock.take(memory)) {
      List<Path> names = Stream.of(memory, disk).flatMap(store -> children(store.resolve(FOLDER)).stream()).filter(f -> Files.isDirectory(f, LinkOption.NOFOLLOW_LINKS)).toList();
      for (Path folder : names) {
        String name = folder.getFileName().toString();
        Manifest current = get(name);
        prune(name, current == null ? 0 : current.published().edition());
      }
    } catch (IOException e) {
      throw StoreErrors.cannotWrite(memory, e);
    }
  }

  private List<SegmentInfo> link(String name, int edition, String part, List<SegmentInfo> segments) throws IOException {
    List<SegmentInfo> linked = new ArrayList<>();
    for (SegmentInfo segment : segments) {
      Path file;
      try {
        file = Path.of(segment.path()).toRealPath();
      } catch (NoSuchFileException e) {
        throw new SparkGapException(SparkGapException.DATA, "segment " + segment.path(), "a file of this host", "none", "Do publish where the table was written");
      }
      Path folder = folder(file.startsWith(disk) ? disk : memory, name).resolve(Integer.toString(edition));
      StoreHome.makePrivate(folder);
      Path further = folder.resolve(String.format("%s-%05d.arrow", part, linked.size()));
      try {
        Files.createLink(further, file);
      } catch (IOException | UnsupportedOperationException e) {
        // Another device, or a file system without further names.
        Files.copy(file, further);
      }
      linked.add(new SegmentInfo(segment.host(), further.toString(), segment.rows(), segment.bytes(), segment.crc32c()));
    }
    return linked;
  }

  /** On disk first: the copy in memory is the one that counts while there is one. */
  private void write(Manifest table) throws IOException {
    for (Path store : List.of(disk, memory)) {
      StoreHome.makePrivate(store.resolve(FOLDER));
      table.write(manifest(store, table.name()));
    }
  }

  /** Leaves the current edition, 0 = none, and those before that were superseded a short while ago: who has read their manifests may not have opened them yet. */
  private void prune(String name, int current) throws IOException {
    long now = System.currentTimeMillis();
    for (Path store : List.of(memory, disk)) {
      Path folder = folder(store, name);
      for (Path edition : children(folder)) {
        int number = number(edition);
        boolean isRecent = number > 0 && number < current && now - since(name, number + 1) < KEPT_MILLIS;
        if (number != current && !isRecent) {
          StoreSweep.removeTree(edition);
        }
      }
      if (children(folder).isEmpty()) {
        Files.deleteIfExists(folder);
      }
    }
  }

  /** When an edition came; the beginning of time where it is gone. */
  private long since(String name, int edition) throws IOException {
    long last = 0;
    for (Path store : List.of(memory, disk)) {
      Path folder = folder(store, name).resolve(Integer.toString(edition));
      if (Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
        last = Math.max(last, Files.getLastModifiedTime(folder, LinkOption.NOFOLLOW_LINKS).toMillis());
      }
    }
    return last;
  }

  private static int number(Path edition) {
    try {
      return Integer.parseInt(edition.getFileName().toString());
    } catch (NumberFormatException none) {
      return -1;
    }
  }

  private static Stream<SegmentInfo> files(Manifest table) {
    return Stream.concat(table.segments().stream(), table.graph() == null ? Stream.empty() : table.graph().segments().stream());
  }

  private static Path folder(Path store, String name) {
    return store.resolve(FOLDER).resolve(name);
  }

  private static Path manifest(Path store, String name) {
    return store.resolve(FOLDER).resolve(name + SUFFIX);
  }

  private static List<Path> children(Path folder) {
    try (Stream<Path> all = Files.list(folder)) {
      return all.toList();
    } catch (NoSuchFileException none) {
      return List.of();
    } catch (IOException e) {
      throw StoreErrors.cannotWrite(folder, e);
    }
  }
}
