// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.mapreduce.task;

import java.io.File;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileUtil;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.filecache.DistributedCache;
import org.apache.hadoop.util.RunJar;

/**
 * A job's jar and the files of its distributed cache on this host: one copy for all tasks of a JVM, under plain paths
 * as on YARN. Archives are unpacked.
 */
final class JobFiles {
    /** What of a job's jar is unpacked: it may have classes and jars of its own in there. */
    private static final Pattern OF_JAR = Pattern.compile("(?:classes/|lib/).*");

    /** In place of a file's name: all files of a folder. Hadoop's client names a job's libraries so. */
    private static final String ALL = "*";

    private final Path folder;
    private final Map<String, Path> copies = new LinkedHashMap<>();
    private final List<URL> classPath = new ArrayList<>();

    private int folders;

    private JobFiles(Path folder) {
        this.folder = folder;
    }

    /**
     * Fetches all files into a new folder, and tells the configuration where they are. Jars without a file system are
     * in that of the job's folder of the staging area.
     */
    static JobFiles fetch(JobConf conf, String staging, Path folder) throws IOException {
        JobFiles files = new JobFiles(folder);
        String jar = conf.getJar();
        if (jar != null) {
            files.addJar(files.copy(new org.apache.hadoop.fs.Path(staging, jar), conf, folder.resolve("job.jar")));
        }
        conf.set(MRJobConfig.CACHE_LOCALFILES, files.cached(DistributedCache.getCacheFiles(conf), conf, false));
        conf.set(MRJobConfig.CACHE_LOCALARCHIVES, files.cached(DistributedCache.getCacheArchives(conf), conf, true));
        files.addLibraries(DistributedCache.getFileClassPaths(conf), conf, staging);
        files.addLibraries(DistributedCache.getArchiveClassPaths(conf), conf, staging);
        return files;
    }

    /** Where classes of the job are, in the order of its class path; empty where it brought none. */
    List<URL> classPath() {
        return classPath;
    }

    Path folder() {
        return folder;
    }

    /** Links to all cached files by their names, in a task's folder; of two of one name to the first, as on YARN. */
    void link(Path into) throws IOException {
        for (Path copy : copies.values()) {
            Path link = into.resolve(copy.getFileName());
            if (!Files.exists(link, LinkOption.NOFOLLOW_LINKS)) {
                Files.createSymbolicLink(link, copy);
            }
        }
    }

    private void addJar(Path jar) throws IOException {
        File unpacked = folder.resolve("jar").toFile();
        RunJar.unJar(jar.toFile(), unpacked, OF_JAR);
        classPath.add(url(jar));
        classPath.add(url(unpacked.toPath().resolve("classes")));
        File[] libraries = new File(unpacked, "lib").listFiles();
        for (File library : libraries == null ? new File[0] : libraries) {
            classPath.add(url(library.toPath()));
        }
    }

    /**
     * Local paths of cached files, in their order; of all files of a folder, the folder's. A local name without a root
     * is in the folder that its client worked in, which no executor does; any other in the user's home, as on Hadoop.
     */
    private String cached(URI[] uris, JobConf conf, boolean isArchive) throws IOException {
        List<String> paths = new ArrayList<>();
        for (URI uri : uris == null ? new URI[0] : uris) {
            org.apache.hadoop.fs.Path source =
                    new org.apache.hadoop.fs.Path(uri.getScheme(), uri.getAuthority(), uri.getPath());
            boolean isLocal = source.getFileSystem(conf).getUri().getScheme().equals("file");
            if (isLocal && !source.isUriPathAbsolute()) {
                source = new org.apache.hadoop.fs.Path(conf.getWorkingDirectory(), source);
            }
            Path place = newFolder();
            if (source.getName().equals(ALL)) {
                copyAll(source.getParent(), conf, place);
                paths.add(place.toString());
                continue;
            }
            String name = uri.getFragment() == null ? source.getName() : uri.getFragment();
            if (name.contains("/") || name.equals("..") || name.equals(".")) {
                throw new IOException(
                        "distributed cache: expected a plain name behind #, found " + uri + ". Do name a file.");
            }
            Path copy = isArchive ? unpacked(source, conf, place, name) : copy(source, conf, place.resolve(name));
            copies.put(uri.getPath(), copy);
            paths.add(copy.toString());
        }
        return String.join(",", paths);
    }

    private Path newFolder() throws IOException {
        return Files.createDirectory(folder.resolve("files-" + folders++));
    }

    private void copyAll(org.apache.hadoop.fs.Path from, JobConf conf, Path place) throws IOException {
        for (FileStatus file : from.getFileSystem(conf).listStatus(from)) {
            org.apache.hadoop.fs.Path source = file.getPath();
            copies.put(source.toUri().getPath(), copy(source, conf, place.resolve(source.getName())));
        }
    }

    private Path unpacked(org.apache.hadoop.fs.Path source, JobConf conf, Path place, String name) throws IOException {
        File packed =
                copy(source, conf, place.resolve("packed-" + source.getName())).toFile();
        File target = place.resolve(name).toFile();
        String kind = source.getName().toLowerCase(java.util.Locale.ROOT);
        if (kind.endsWith(".jar")) {
            RunJar.unJar(packed, target, RunJar.MATCH_ANY);
        } else if (kind.endsWith(".zip")) {
            FileUtil.unZip(packed, target);
        } else if (kind.endsWith(".tar") || kind.endsWith(".tar.gz") || kind.endsWith(".tgz")) {
            FileUtil.unTar(packed, target);
        } else {
            return Files.move(packed.toPath(), target.toPath());
        }
        Files.delete(packed.toPath());
        return target.toPath();
    }

    /** Libraries are among the cached files; what is not was put on the class path alone. */
    private void addLibraries(org.apache.hadoop.fs.Path[] libraries, JobConf conf, String staging) throws IOException {
        for (org.apache.hadoop.fs.Path library : libraries == null ? new org.apache.hadoop.fs.Path[0] : libraries) {
            if (library.getName().equals(ALL)) {
                addAllOf(library.getParent().toUri().getPath());
                continue;
            }
            Path copy = copies.get(library.toUri().getPath());
            if (copy == null) {
                copy = copy(
                        new org.apache.hadoop.fs.Path(staging, library),
                        conf,
                        newFolder().resolve(library.getName()));
            }
            classPath.add(url(copy));
        }
    }

    private void addAllOf(String parent) {
        copies.forEach((source, copy) -> {
            if (source.substring(0, source.lastIndexOf('/')).equals(parent)) {
                classPath.add(url(copy));
            }
        });
    }

    private static Path copy(org.apache.hadoop.fs.Path source, JobConf conf, Path target) throws IOException {
        FileUtil.copy(source.getFileSystem(conf), source, target.toFile(), false, conf);
        return target;
    }

    private static URL url(Path path) {
        try {
            return path.toUri().toURL();
        } catch (MalformedURLException e) {
            throw new IllegalStateException(e);
        }
    }
}
