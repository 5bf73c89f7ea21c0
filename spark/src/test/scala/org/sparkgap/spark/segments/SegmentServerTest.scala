// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.segments

import java.io.IOException
import java.net.{InetSocketAddress, Socket}
import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path, Paths}

import org.apache.spark.SparkEnv
import org.apache.spark.network.server.NoOpRpcHandler
import org.apache.spark.sql.SparkSession
import org.junit.jupiter.api.Assertions.{assertEquals, assertFalse, assertThrows, assertTrue}
import org.junit.jupiter.api.{BeforeEach, Test}
import org.junit.jupiter.api.io.TempDir
import org.sparkgap.spark.LocalSpark
import org.sparkgap.spark.application.LocalHost
import org.sparkgap.spark.published.Published

/** Segments through real sockets: what comes, and what does not for whom. */
class SegmentServerTest {
  private val token = Array.tabulate[Byte](SegmentServer.TokenBytes)(i => (i * 7).toByte)
  private val local = "localhost"
  private var scratch: Path = _

  @BeforeEach def folder(@TempDir made: Path): Unit = scratch = made

  /** A session with one table, a server of its home and a client. */
  private def served(settings: (String, String)*)(
      body: (org.sparkgap.store.SegmentInfo, SegmentServer, SegmentClient) => Unit): Unit = {
    val spark = LocalSpark.start(scratch.resolve("store"), settings: _*)
    try {
      spark.range(0, 300000, 1, 1).write.format("sparkgap").save("t")
      val server = new SegmentServer(SparkEnv.get, local, token, () => Homes().all.map(_.path))
      val client = new SegmentClient(SparkEnv.get)
      try body(Homes().tables().get("t").segments.get(0), server, client)
      finally {
        client.close()
        server.close()
      }
    } finally {
      spark.stop()
    }
  }

  private def refused(why: String)(fetch: => Unit): Unit = {
    val e = assertThrows(classOf[IOException], () => fetch)
    assertTrue(e.getMessage.contains(why), e.getMessage)
    assertEquals(Seq.empty, LocalSpark.filesUnder(scratch.resolve("copies")), "nothing is left")
  }

  @Test def onlySegmentsOfTheHomesForTheTokenAlone(): Unit = served() { (segment, server, client) =>
    val copies = Files.createDirectory(scratch.resolve("copies"))
    val target = copies.resolve("copy.arrow")
    def fetch(path: String = segment.path, shown: Array[Byte] = token, bytes: Long = segment.bytes,
        crc: String = segment.crc32c): Unit =
      client.fetch(local, server.port, shown, path, bytes, crc, target)
    for (crc <- Seq(segment.crc32c, "", null)) {
      fetch(crc = crc)
      assertEquals(-1L, Files.mismatch(target, Paths.get(segment.path)))
      Files.delete(target)
    }
    for (wrong <- Seq(token.map(b => (b ^ 1).toByte), Array.emptyByteArray, token.take(15), token :+ 0.toByte))
      refused(SegmentServer.Refusal)(fetch(shown = wrong))

    val folder = Paths.get(segment.path).getParent
    val home = Homes().current().path
    val outside = Files.copy(Paths.get(segment.path), scratch.resolve("outside.arrow"))
    Files.createSymbolicLink(folder.resolve("escape.arrow"), outside)
    Files.createSymbolicLink(home.resolve("segments").resolve("way"), scratch)
    Files.createDirectory(folder.resolve("folder.arrow"))
    Files.write(home.resolve("segments").resolve("loose.arrow"), Array[Byte](1))
    val name = Paths.get(segment.path).getFileName
    val forbidden = Seq(
      "/etc/passwd",
      outside.toString,
      home.resolve("lock").toString,
      home.resolve("tables").resolve("t.json").toString,
      home.resolve("segments").resolve("loose.arrow").toString,
      folder.resolve("escape.arrow").toString,
      home.resolve("segments").resolve("way").resolve("outside.arrow").toString,
      folder.resolve("folder.arrow").toString,
      folder.resolve("none.arrow").toString,
      s"$folder/../t/$name",
      s"$folder/./$name",
      s"$folder//../../../../../outside.arrow",
      segment.path.stripPrefix("/"),
      segment.path + "\u0000",
      "",
      ".arrow"
    )
    for (path <- forbidden) refused(SegmentServer.Refusal)(fetch(path = path))

    Files.move(Paths.get(segment.path), Homes().current(Tier.Disk).segments("t").resolve(name))
    Files.createSymbolicLink(Paths.get(segment.path), Homes().current(Tier.Disk).segments("t").resolve(name))
    fetch()
    assertEquals(-1L, Files.mismatch(target, outside), "what has moved to the disk tier is found there")
    Files.delete(target)

    refused("with crc32c")(fetch(crc = "00000000"))
    refused("with crc32c")(fetch(bytes = segment.bytes - 1))
    assertThrows(classOf[IOException],
      () => new Socket().connect(new InetSocketAddress("127.0.0.2", server.port), 2000),
      "it is bound to its address alone")
  }

  @Test def filesOfPublishedTablesWhereItIsToldOfThem(): Unit = served() { (_, server, client) =>
    val target = Files.createDirectory(scratch.resolve("copies")).resolve("copy.arrow")
    SparkSession.active.sql("CALL sparkgap.store.publish(table => 'sparkgap.store.t', name => 'p')").collect()
    val (root, segment) = (Homes().published.head, Published.tables().get("p").segments.get(0))
    refused(SegmentServer.Refusal)(client.fetch(local, server.port, token, segment.path, segment.bytes, null, target))
    val own = () => Homes().all.map(_.path)
    val driver = new SegmentServer(SparkEnv.get, local, token, own, () => Homes().published)
    try {
      def fetch(path: String): Unit = client.fetch(local, driver.port, token, path, segment.bytes, null, target)
      fetch(segment.path)
      assertEquals(-1L, Files.mismatch(target, Paths.get(segment.path)))
      Files.delete(target)
      Files.createSymbolicLink(root.resolve("p").resolve("link"), scratch)
      Files.copy(Paths.get(segment.path), scratch.resolve("outside.arrow"))
      val others = Seq("p.json", "p/link/outside.arrow", "p/outside.arrow", "p/../../outside.arrow")
      for (other <- others) refused(SegmentServer.Refusal)(fetch(s"$root/$other"))
    } finally {
      driver.close()
    }
  }

  @Test def withAuthenticationTheTokenIsNotEnough(): Unit =
    // Without sessions' own classes: asked for one over an encrypted connection Spark's driver may fall silent until
    // its time-out.
    served(
      "spark.authenticate" -> "true",
      "spark.authenticate.secret" -> "between us",
      "spark.network.crypto.enabled" -> "true",
      "spark.sql.artifact.isolation.enabled" -> "false"
    ) { (segment, server, client) =>
      val target = scratch.resolve("copy.arrow")
      client.fetch(local, server.port, token, segment.path, segment.bytes, segment.crc32c, target)
      assertEquals(-1L, Files.mismatch(target, Paths.get(segment.path)))
      val context = SegmentTransport.context(SegmentTransport.settings(SparkEnv.get), new NoOpRpcHandler)
      val factory = context.createClientFactory()
      try {
        val stranger = factory.createUnmanagedClient(local, server.port)
        assertThrows(classOf[RuntimeException],
          () => stranger.sendRpcSync(ByteBuffer.wrap(token ++ segment.path.getBytes(UTF_8)), 5000))
        stranger.close()
      } finally {
        factory.close()
        context.close()
      }
    }

  @Test def whoSaysNothingIsPutOut(): Unit = served("spark.sparkgap.io.connectionTimeout" -> "2s") { (_, server, _) =>
    val silent = new Socket(local, server.port)
    silent.setSoTimeout(20000)
    try assertEquals(-1, silent.getInputStream.read())
    finally silent.close()
  }

  @Test def aSegmentWhoseExecutorHasEndedIsNamed(): Unit = served() { (segment, _, _) =>
    assertFalse(LocalHost().is("192.0.2.1"))
    LocalSpark.refused(3,
      "table t: expected its segment on host 192.0.2.1, found that its executor has ended. Do make the table again;") {
      RemoteSegments().open("192.0.2.1", segment.path, segment.bytes, segment.crc32c)
    }
    assertEquals(Seq.empty, LocalSpark.segments(scratch.resolve("store")).filter(_.startsWith("fetched-")))
    assertEquals(0, OwnServer().port, "nothing listens where nobody has asked")
  }
}
