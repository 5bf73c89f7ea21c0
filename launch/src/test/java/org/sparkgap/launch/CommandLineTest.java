// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.sparkgap.store.Column;
import org.sparkgap.store.ColumnType;
import org.sparkgap.store.Manifest;
import org.sparkgap.store.SegmentInfo;
import org.sparkgap.topology.Bitmap;

/** Commands, environments and job.json as text, without a process. */
class CommandLineTest {
    private static final Program PROGRAM =
            new Program("degree", Path.of("/k/sparkgap-degree"), Path.of("/k/sparkgap-rank"));
    private static final Mpi MPI =
            new Mpi(Path.of("/opt/mpi/bin/mpiexec"), Path.of("/opt/mpi/lib/mpich/libmpi_abi.so.1"));

    @Test
    void oneRankIsStartedDirectly() {
        assertEquals(
                "/k/sparkgap-rank --job /s/jobs/7 -- /k/sparkgap-degree",
                String.join(" ", CommandLine.rank(Path.of("/s/jobs/7"), PROGRAM)));
        assertEquals(
                "{OMP_NUM_THREADS=3, OMP_PROC_BIND=false, SPARKGAP_JOB=/s/jobs/7, TMPDIR=/s/jobs/7/tmp}",
                environment(1, 3, Map.of()).toString());
    }

    @Test
    void severalRanksAreConnectedByMpiexec() {
        assertEquals(
                "/k/sparkgap-rank --exec -- /opt/mpi/bin/mpiexec -launcher manual -localhost 10.0.0.1 -hosts host0:4 "
                        + "-genvnone -wdir / -n 4 sparkgap-rank --here --",
                String.join(" ", CommandLine.launcher(job(4), MPI, "10.0.0.1")));
        assertEquals(
                "{HWLOC_XMLFILE=/dev/null, OMP_NUM_THREADS=3, OMP_PROC_BIND=false, PATH=/k, SPARKGAP_JOB=/s/jobs/7, "
                        + "SPARKGAP_MPI_LIBRARY=/opt/mpi/lib/mpich/libmpi_abi.so.1, SPARKGAP_PATH=, "
                        + "SPARKGAP_PROGRAM=/k/sparkgap-degree, TMPDIR=/s/jobs/7/tmp, UCX_TLS=self,posix}",
                environment(4, 12, Map.of()).toString());
        assertFalse(CommandLine.environment(
                        part(4, true), Path.of("/s/jobs/7"), PROGRAM, new Mpi(MPI.mpiexec(), null), null, 12, Map.of())
                .containsKey("SPARKGAP_MPI_LIBRARY"));
    }

    @Test
    void hostsTalkByTcpThroughTheOneDevice() {
        assertEquals("tcp,self,posix eth0", transport(4));
        assertEquals("tcp,self eth0", transport(1));
    }

    private static String transport(int ranks) {
        Map<String, String> set =
                CommandLine.environment(part(ranks, false), Path.of("/s/jobs/7"), PROGRAM, MPI, "eth0", 12, Map.of());
        return set.get("UCX_TLS") + " " + set.get("UCX_NET_DEVICES");
    }

    @Test
    void threadsThatWaitSleepWhereThereAreMoreThanCores() {
        assertEquals("passive", environment(1, 2, Map.of()).get("OMP_WAIT_POLICY"));
        assertEquals("passive", environment(4, 11, Map.of()).get("OMP_WAIT_POLICY"));
        assertFalse(environment(4, 12, Map.of()).containsKey("OMP_WAIT_POLICY"));
    }

    @Test
    void whatTheUserHasSetStays() {
        Map<String, String> own = Map.of(
                "OMP_WAIT_POLICY",
                "active",
                "MPIR_CVAR_CH4_PROGRESS_THROTTLE",
                "0",
                "MPIR_CVAR_CH4_PROGRESS_THROTTLE_NO_PROGRESS_COUNT",
                "9",
                "UCX_TLS",
                "self,sysv",
                "HWLOC_XMLFILE",
                "/m.xml",
                "OMP_NUM_THREADS",
                "64",
                "TMPDIR",
                "/t",
                "PATH",
                "/bin:/usr/bin");
        assertEquals(
                "{OMP_NUM_THREADS=3, OMP_PROC_BIND=false, PATH=/k:/bin:/usr/bin, SPARKGAP_JOB=/s/jobs/7, "
                        + "SPARKGAP_MPI_LIBRARY=/opt/mpi/lib/mpich/libmpi_abi.so.1, SPARKGAP_PATH=/bin:/usr/bin, "
                        + "SPARKGAP_PROGRAM=/k/sparkgap-degree, TMPDIR=/s/jobs/7/tmp}",
                environment(4, 2, own).toString());
    }

    @Test
    void keysAndTokensStayBehind() {
        Map<String, String> driver = new TreeMap<>();
        for (String name : List.of(
                "AWS_SECRET_ACCESS_KEY",
                "AWS_SESSION_TOKEN",
                "AZURE_STORAGE_KEY",
                "GOOGLE_APPLICATION_CREDENTIALS",
                "HADOOP_TOKEN_FILE_LOCATION",
                "KRB5CCNAME",
                "PGPASSWORD",
                "_SPARK_AUTH_SECRET",
                "PYSPARK_GATEWAY_SECRET",
                "SPARK_CONNECT_AUTHENTICATE_TOKEN",
                "SLURM_JWT",
                "HTTPS_PROXY",
                "ANYTHING",
                "PATH",
                "LC_ALL",
                "OMP_STACKSIZE",
                "GOMP_CPU_AFFINITY",
                "UCX_TLS",
                "OMP_PLACES",
                "LD_LIBRARY_PATH")) {
            driver.put(name, "x");
        }
        Map<String, String> bound = new TreeMap<>(driver);
        CommandLine.apply(driver, Map.of("SPARKGAP_JOB", "/j", "PATH", "/bin"), RankCpus.NONE);
        assertEquals(
                "{GOMP_CPU_AFFINITY=x, LC_ALL=x, LD_LIBRARY_PATH=x, OMP_PLACES=x, OMP_STACKSIZE=x, PATH=/bin, "
                        + "SPARKGAP_JOB=/j, UCX_TLS=x}",
                driver.toString());
        CommandLine.apply(bound, Map.of(), new RankCpus(List.of(Bitmap.of(0)), 1));
        assertFalse(bound.containsKey("OMP_PLACES"), "the guard says it");
    }

    @Test
    void jobJsonSaysWhatTheContractSays() throws Exception {
        JsonNode json = new ObjectMapper().readTree(JobFile.text(job(2)));
        assertEquals(1, json.get("version").asInt());
        assertEquals("degree", json.get("program").asText());
        assertEquals("[\"node1\",\"node1\"]", json.get("rank_hosts").toString());
        assertEquals(
                "{\"src\":\"from\",\"weight\":null,\"directed\":true,\"damping\":0.85,\"max_iterations\":20,"
                        + "\"source_ids\":[\"1\",\"b\"]}",
                json.get("parameters").toString());
        assertEquals(
                "{\"rows\":17,\"segments\":[{\"host\":\"node1\",\"path\":\"/s/a.arrow\",\"rows\":17,\"bytes\":1344}]}",
                json.get("inputs").get("edges").toString());
        assertTrue(json.get("inputs").get("vertices").isNull());
        assertEquals("{\"segment_bytes\":1048576}", json.get("output").toString());
        assertEquals(
                "progress.jsonl done-%d.json",
                json.get("progress").asText() + " " + json.get("done").asText());
    }

    private static Map<String, String> environment(int ranks, int cores, Map<String, String> present) {
        return CommandLine.environment(
                part(ranks, true), Path.of("/s/jobs/7"), PROGRAM, ranks > 1 ? MPI : null, null, cores, present);
    }

    private static HostPart part(int ranks, boolean alone) {
        return new HostPart("7", "degree", ranks == 1 && alone ? null : "hydra_pmi_proxy", "{}", 0, ranks, 3, alone);
    }

    private static Job job(int ranks) {
        Map<String, Object> parameters = new LinkedHashMap<>();
        parameters.put("src", "from");
        parameters.put("weight", null);
        parameters.put("directed", true);
        parameters.put("damping", 0.85);
        parameters.put("max_iterations", 20L);
        parameters.put("source_ids", Arrays.asList("1", "b"));
        Map<String, Manifest> inputs = new LinkedHashMap<>();
        inputs.put(
                "edges",
                new Manifest(
                        "edges",
                        List.of(new Column("from", ColumnType.of(ColumnType.Kind.BIGINT), false)),
                        List.of(new SegmentInfo("localhost", "/s/a.arrow", 17, 1344, "9ae0daaf"))));
        inputs.put("vertices", null);
        return new Job(
                "7",
                PROGRAM,
                Path.of("/s/jobs/7"),
                3,
                Collections.nCopies(ranks, "node1"),
                parameters,
                inputs,
                1 << 20,
                Duration.ofSeconds(5));
    }
}
