// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.topology;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** Live: what the kernel says in /proc after each call. */
class CpuBindingTest {
    private static final Topology TOPOLOGY = Topology.load();
    private static final CpuBinding BINDING = TOPOLOGY.cpuBinding();

    @AfterAll
    static void close() {
        TOPOLOGY.close();
    }

    @Test
    void aThreadIsWhereItWasBoundAndThenBack() throws Exception {
        Bitmap before = inProc("thread-self");
        assertEquals(before.and(TOPOLOGY.cpuset()), BINDING.thread().and(TOPOLOGY.cpuset()));
        for (int pu : before.and(TOPOLOGY.allowedCpuset()).stream().toArray()) {
            Bitmap one = Bitmap.of(pu);
            try (CpuBinding.Pin pin = BINDING.pinThread(one)) {
                assertEquals(one, inProc("thread-self"));
                assertEquals(one, BINDING.thread());
                assertEquals(one, BINDING.lastOfThread(), pin.toString());
            }
            assertEquals(before, inProc("thread-self"));
        }
        BINDING.bindThreadStrictly(before);
        assertEquals(before, inProc("thread-self"));
        assertTrue(BINDING.lastOfThread().isIncludedIn(before));
        assertEquals(1, BINDING.lastOfThread().weight());
    }

    @Test
    void anotherProcessAndAnotherThread() throws Exception {
        Bitmap one = inProc("thread-self").singlify();
        Process other = new ProcessBuilder("sleep", "30").start();
        try {
            BINDING.bindProcess(other.pid(), one);
            assertEquals(one, inProc(Long.toString(other.pid())));
            assertEquals(one, BINDING.process(other.pid()));
            assertTrue(BINDING.lastOfProcess(other.pid()).isIncludedIn(TOPOLOGY.cpuset()));
            BINDING.bindOtherThread(other.pid(), inProc("thread-self"));
            assertEquals(inProc("thread-self"), inProc(Long.toString(other.pid())));
            assertEquals(inProc("thread-self"), BINDING.otherThread(other.pid()));
        } finally {
            other.destroyForcibly().waitFor();
        }
        assertThrows(HwlocException.class, () -> BINDING.process(other.pid()));
        assertTrue(one.isIncludedIn(BINDING.process()));
        assertTrue(BINDING.lastOfProcess().isIncludedIn(TOPOLOGY.cpuset()));
    }

    @Test
    void whatCannotBeIsRefusedAndChangesNothing() throws Exception {
        Bitmap before = inProc("thread-self");
        assertThrows(HwlocException.class, () -> BINDING.bindThread(Bitmap.EMPTY));
        assertEquals(
                "EINVAL",
                assertThrows(HwlocException.class, () -> BINDING.bindThread(Bitmap.of(5000)))
                        .errnoName());
        try (Topology other = Topology.builder().synthetic("pack:2 core:2 pu:1").load()) {
            HwlocException refused =
                    assertThrows(HwlocException.class, () -> other.cpuBinding().bindThread(Bitmap.of(0)));
            assertTrue(refused.getMessage().contains("expected a topology of this machine"), refused.getMessage());
            assertThrows(HwlocException.class, () -> other.cpuBinding().thread());
            assertThrows(HwlocException.class, () -> other.memoryBinding().thread());
        }
        assertEquals(before, inProc("thread-self"));
        CpuBinding.Pin pin = BINDING.pinThread(before);
        AtomicReference<Throwable> elsewhere = new AtomicReference<>();
        Thread closer = new Thread(() -> elsewhere.set(assertThrows(HwlocException.class, pin::close)));
        closer.start();
        closer.join();
        assertTrue(elsewhere.get() instanceof HwlocException);
        pin.close();
    }

    /** On JDK 21 and later; before, there are none, and nothing to refuse. */
    @Test
    void virtualThreadsAreRefused() throws Exception {
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        Runnable bind = () -> {
            try {
                BINDING.bindThread(TOPOLOGY.cpuset());
            } catch (Throwable refused) {
                thrown.set(refused);
            }
        };
        Thread thread;
        try {
            thread = (Thread)
                    Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, bind);
        } catch (NoSuchMethodException beforeJdk21) {
            assertTrue(Runtime.version().feature() < 21);
            return;
        }
        thread.join();
        assertTrue(
                thrown.get() instanceof HwlocException
                        && thrown.get().getMessage().contains("virtual"),
                String.valueOf(thrown.get()));
    }

    @Test
    void memoryOfThisThreadAndOfBuffers() {
        MemoryBinding memory = TOPOLOGY.memoryBinding();
        Support support = TOPOLOGY.support();
        Bitmap node = TOPOLOGY.allowedNodeset().singlify();
        if (support.has("membind.set_thisthread_membind")) {
            MemoryBinding.Placement before = memory.thread();
            memory.bindThread(node, MemoryPolicy.BIND);
            assertEquals(new MemoryBinding.Placement(node, MemoryPolicy.BIND), memory.thread());
            memory.bindThread(TOPOLOGY.nodeset(), MemoryPolicy.DEFAULT);
            assertEquals(before, memory.thread());
        }
        assertTrue(support.has("membind.alloc_membind"), support.toString());
        try (MemoryBinding.Area area = memory.allocate(1 << 16, node, MemoryPolicy.BIND)) {
            ByteBuffer bytes = area.bytes();
            for (int i = 0; i < bytes.capacity(); i++) {
                bytes.put(i, (byte) i);
            }
            assertEquals(node, memory.location(bytes));
            assertEquals(new MemoryBinding.Placement(node, MemoryPolicy.BIND), memory.of(bytes));
        }
        assertThrows(HwlocException.class, () -> memory.location(ByteBuffer.allocate(1)));
        assertThrows(HwlocException.class, () -> memory.bindThread(Bitmap.EMPTY, MemoryPolicy.BIND));
    }

    /** As the kernel has it, by nothing of ours but the list's form. */
    private static Bitmap inProc(String process) throws Exception {
        for (String line : Files.readAllLines(Path.of("/proc", process, "status"))) {
            if (line.startsWith("Cpus_allowed_list:")) {
                return Bitmap.parseList(line.substring(line.indexOf(':') + 1));
            }
        }
        throw new AssertionError("no mask in /proc");
    }
}
