// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.topology;

/**
 * On which processors threads and processes run.
 *
 * <pre>{@code
 * CpuBinding binding = topology.cpuBinding();
 * try (CpuBinding.Pin pin = binding.pinThread(core.cpuset())) {
 *   work();                       // on that core; afterwards the thread's mask is what it was
 * }
 * binding.thread();               // where this thread may run
 * binding.lastOfThread();         // where it ran last
 * binding.bindProcess(pid, topology.numaNode(0).get().cpuset());
 * }</pre>
 *
 * <p>A mask is inherited: processes and threads that a bound thread starts have it too. A thread can be bound beyond
 * the mask that taskset gave the process, but not beyond its control group. Refused with HwlocException: a topology of
 * another machine, virtual threads, an empty set, processors that are not there.
 */
public final class CpuBinding {
    private static final int PROCESS = 1;
    private static final int THREAD = 2;
    private static final int STRICT = 4;

    private final Topology topology;

    CpuBinding(Topology topology) {
        this.topology = topology;
    }

    /** A bound thread, and the mask that it had before. Closed by that thread. */
    public final class Pin implements AutoCloseable {
        private final Thread thread = Thread.currentThread();
        private final Bitmap before;

        private Pin(Bitmap before) {
            this.before = before;
        }

        @Override
        public void close() {
            if (Thread.currentThread() != thread) {
                throw HwlocException.refused(
                        "pin",
                        "to be closed by " + thread.getName(),
                        Thread.currentThread().getName(),
                        "close it where it was made");
            }
            bindThread(before);
        }
    }

    /** Binds the calling thread until the pin is closed. */
    public Pin pinThread(Bitmap cpuset) {
        Pin pin = new Pin(thread());
        bindThread(cpuset);
        return pin;
    }

    /** Binds the calling thread. */
    public void bindThread(Bitmap cpuset) {
        bind("binding of this thread", cpuset, (address, set) -> Calls.hwloc_set_cpubind(address, set, THREAD));
    }

    /** Binds the calling thread, or fails where the system would not keep exactly to the set. */
    public void bindThreadStrictly(Bitmap cpuset) {
        bind(
                "strict binding of this thread",
                cpuset,
                (address, set) -> Calls.hwloc_set_cpubind(address, set, THREAD | STRICT));
    }

    /** Binds all threads of this process, of the JVM too. */
    public void bindProcess(Bitmap cpuset) {
        bind("binding of this process", cpuset, (address, set) -> Calls.hwloc_set_cpubind(address, set, PROCESS));
    }

    /** Binds all threads of a process. */
    public void bindProcess(long pid, Bitmap cpuset) {
        int number = Math.toIntExact(pid);
        bind(
                "binding of process " + pid,
                cpuset,
                (address, set) -> Calls.hwloc_set_proc_cpubind(address, number, set, 0));
    }

    /** Binds one thread of any process, by the system's number of it (Linux). */
    public void bindOtherThread(long tid, Bitmap cpuset) {
        int number = Math.toIntExact(tid);
        bind(
                "binding of thread " + tid,
                cpuset,
                (address, set) -> Calls.hwloc_set_proc_cpubind(address, number, set, THREAD));
    }

    public Bitmap thread() {
        return get("the mask of this thread", (address, set) -> Calls.hwloc_get_cpubind(address, set, THREAD));
    }

    /** All that its threads may use together. */
    public Bitmap process() {
        return get("the mask of this process", (address, set) -> Calls.hwloc_get_cpubind(address, set, PROCESS));
    }

    public Bitmap process(long pid) {
        int number = Math.toIntExact(pid);
        return get(
                "the mask of process " + pid, (address, set) -> Calls.hwloc_get_proc_cpubind(address, number, set, 0));
    }

    public Bitmap otherThread(long tid) {
        int number = Math.toIntExact(tid);
        return get(
                "the mask of thread " + tid,
                (address, set) -> Calls.hwloc_get_proc_cpubind(address, number, set, THREAD));
    }

    /** Where the calling thread ran last; it may have moved since. */
    public Bitmap lastOfThread() {
        return get(
                "the place of this thread", (address, set) -> Calls.hwloc_get_last_cpu_location(address, set, THREAD));
    }

    /** Where the threads of this process ran last. */
    public Bitmap lastOfProcess() {
        return get(
                "the places of this process",
                (address, set) -> Calls.hwloc_get_last_cpu_location(address, set, PROCESS));
    }

    public Bitmap lastOfProcess(long pid) {
        int number = Math.toIntExact(pid);
        return get(
                "the places of process " + pid,
                (address, set) -> Calls.hwloc_get_proc_last_cpu_location(address, number, set, 0));
    }

    private void bind(String what, Bitmap cpuset, NativeSet.Call call) {
        checked(what);
        if (cpuset.isEmpty()) {
            throw HwlocException.refused(what, "at least one processor", "none", "name one");
        }
        try (NativeSet set = NativeSet.of(cpuset)) {
            topology.handle().read(address -> {
                if (call.apply(address, set.address) != 0) {
                    throw HwlocException.failed(
                            "the " + what + " to " + cpuset.toList(),
                            "name processors of " + topology.allowedCpuset().toList());
                }
                return null;
            });
        }
    }

    private Bitmap get(String what, NativeSet.Call call) {
        checked(what);
        try (NativeSet set = NativeSet.empty()) {
            return topology.handle().read(address -> {
                if (call.apply(address, set.address) != 0) {
                    throw HwlocException.failed(what, "name a thread or process that runs");
                }
                return set.read();
            });
        }
    }

    private void checked(String what) {
        Caller.mustBeOnThisSystem(topology, what);
        Caller.mustBePlatformThread(what);
    }
}
