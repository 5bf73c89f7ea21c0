// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.mapreduce.task;

import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.util.ApplicationClassLoader;

/**
 * The classes of one job: a loader of their own for each task that runs at the same time as others, for jobs written
 * for a JVM per task keep state in static fields. The next task takes over the loader of one that has ended, if what
 * was loaded by it keeps nothing ({@link StaticState}); the setting {@value #KEY} says otherwise: {@value #PER_TASK} is
 * a new one each time, {@value #PER_SLOT} never. A job that brought no classes has those of its JVM.
 */
final class JobClasses {
    static final String KEY = "sparkgap.mapreduce.classes";
    static final String PER_TASK = "task";
    static final String PER_SLOT = "slot";

    private final JobConf conf;
    private final URL[] classPath;
    private final ArrayDeque<ClassLoader> free = new ArrayDeque<>();

    JobClasses(JobConf conf, List<URL> classPath) {
        this.conf = conf;
        this.classPath = classPath.toArray(URL[]::new);
    }

    /** A loader that no other task has. */
    synchronized ClassLoader take() {
        ClassLoader found = free.poll();
        return found == null ? made() : found;
    }

    /** For the next task, if that may have it. */
    void giveBack(ClassLoader loader) {
        String rule = conf.get(KEY, "");
        boolean keepsNothing =
                !(loader instanceof Loaded own) || own.loaded().stream().allMatch(StaticState::isConstant);
        if (rule.equals(PER_SLOT) || (!rule.equals(PER_TASK) && keepsNothing)) {
            synchronized (this) {
                free.push(loader);
            }
        } else {
            discard(loader);
        }
    }

    /** One that no task is to have again. */
    void discard(ClassLoader loader) {
        if (loader instanceof Loaded) {
            HadoopCaches.forget(loader);
        }
    }

    /** The job has no more tasks here. */
    synchronized void close() {
        free.forEach(this::discard);
        free.clear();
    }

    private ClassLoader made() {
        if (classPath.length == 0) {
            return Thread.currentThread().getContextClassLoader();
        }
        // This one has Hadoop, Spark and us, but not the job's jar, which the client's class path may have.
        ClassLoader parent = JobClasses.class.getClassLoader();
        boolean isOwnFirst = conf.getBoolean(MRJobConfig.MAPREDUCE_JOB_CLASSLOADER, false)
                || conf.getBoolean(MRJobConfig.MAPREDUCE_JOB_USER_CLASSPATH_FIRST, false);
        if (!isOwnFirst) {
            return new ParentFirst(classPath, parent);
        }
        String[] systems = conf.getStrings(MRJobConfig.MAPREDUCE_JOB_CLASSLOADER_SYSTEM_CLASSES);
        return new OwnFirst(classPath, parent, systems == null ? null : Arrays.asList(systems));
    }

    /** A loader that knows which classes are its own. */
    private interface Loaded {
        Queue<Class<?>> loaded();
    }

    private static final class ParentFirst extends URLClassLoader implements Loaded {
        private final Queue<Class<?>> loaded = new ConcurrentLinkedQueue<>();

        ParentFirst(URL[] urls, ClassLoader parent) {
            super(urls, parent);
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            Class<?> found = super.findClass(name);
            loaded.add(found);
            return found;
        }

        @Override
        public Queue<Class<?>> loaded() {
            return loaded;
        }
    }

    private static final class OwnFirst extends ApplicationClassLoader implements Loaded {
        private final Queue<Class<?>> loaded = new ConcurrentLinkedQueue<>();

        OwnFirst(URL[] urls, ClassLoader parent, List<String> systems) {
            super(urls, parent, systems);
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            Class<?> found = super.findClass(name);
            loaded.add(found);
            return found;
        }

        @Override
        public Queue<Class<?>> loaded() {
            return loaded;
        }
    }
}
