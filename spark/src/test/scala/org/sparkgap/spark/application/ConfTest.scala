// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.application

import java.nio.file.{Files, Path, Paths}
import java.time.Duration
import java.util.regex.Pattern

import org.apache.spark.SparkConf
import org.junit.jupiter.api.Assertions.{assertEquals, assertTrue}
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.io.TempDir
import org.sparkgap.spark.LocalSpark.refused

class ConfTest {
  private def conf(settings: (String, String)*): Conf = Conf.of(new SparkConf(false).setAll(settings))

  @Test def defaults(): Unit = {
    assertTrue(conf().storeDir.toString.matches("/dev/shm/sparkgap-\\d+|.*/sparkgap-\\d+"))
    assertEquals((256L << 20, RankCount.Number(1), 0L, Duration.ofHours(1), ""),
      (conf().segmentBytes, conf().ranks, conf().threads, conf().timeout, conf().mpiexec))
  }

  @Test def badValuesNameTheirKey(@TempDir folder: Path): Unit = {
    refused(2, "spark.sparkgap.store.segmentBytes: expected a size from 1m to 1g, found '2g'")(
      conf("spark.sparkgap.store.segmentBytes" -> "2g").segmentBytes)
    refused(2, "spark.sparkgap.launch.ranks: expected a whole number of at least 1, host or numa, found 'many'")(
      conf("spark.sparkgap.launch.ranks" -> "many").ranks)
    refused(2, "spark.sparkgap.launch.ranks: expected a whole number of at least 1, host or numa, found '0'")(
      conf("spark.sparkgap.launch.ranks" -> "0").ranks)
    assertEquals(Seq(RankCount.Number(7), RankCount.PerHost, RankCount.PerNode),
      Seq("7", "host", " numa ").map(word => conf("spark.sparkgap.launch.ranks" -> word).ranks))
    refused(2, "spark.sparkgap.launch.programs: expected auto, allow or refuse, found 'none'")(
      conf("spark.sparkgap.launch.programs" -> "none").programs)
    for (list <- Seq("/bin/true,bin/false", ",")) {
      refused(2, s"spark.sparkgap.launch.allowedPrograms: expected absolute paths, found '$list'")(
        conf("spark.sparkgap.launch.allowedPrograms" -> list).allowedPrograms)
    }
    assertEquals(
      (None, Some(Seq("/a b", "/c"))),
      (conf("spark.sparkgap.launch.allowedPrograms" -> " ").allowedPrograms,
        conf("spark.sparkgap.launch.allowedPrograms" -> "/a b, /c").allowedPrograms.map(_.map(_.toString)))
    )
    refused(5, s"spark.sparkgap.launch.kernelDir: expected a folder with sparkgap-rank, found none in $folder")(
      conf("spark.sparkgap.launch.kernelDir" -> folder.toString).kernelDir)
  }

  @Test def thePageNamesEveryKeyOnce(): Unit = {
    assertTrue(Conf.All.length <= 20)
    Conf.All.foreach { entry =>
      assertEquals(2, Conf.page.split(Pattern.quote(s"`${entry.key}`"), -1).length, entry.key)
      assertTrue(entry.key.matches("spark\\.sparkgap\\.(store|launch|topology|ml)\\.[a-z][a-zA-Z.]*"), entry.key)
    }
    val written = Paths.get(System.getProperty("user.dir")).resolveSibling("docs").resolve("config.md")
    if (Files.exists(written)) assertEquals(Conf.page.strip, Files.readString(written).strip,
      "docs/config.md is made by org.sparkgap.spark.Conf")
  }

  @Test def otherSparksAreRefused(): Unit = {
    Seq("4.0.0", "4.1.4", "4.3.0-SNAPSHOT").foreach(conf().requireKnownSpark(_))
    val old =
      "spark: expected Spark 4.0 to 4.3, found Spark 3.5.6. Do pip install 'pyspark>=4.0,<5', or take a Spark " +
        "4 with Scala 2.13."
    refused(2, old)(conf(Conf.UntestedSpark.key -> "try").requireKnownSpark("3.5.6"))
    refused(
      2,
      "spark: expected Spark 4.0 to 4.3, on which sparkgap was tested, found Spark 4.31.0. Do take one of " +
        "them, or set spark.sparkgap.launch.untestedSpark=try."
    )(conf().requireKnownSpark("4.31.0"))
    conf(Conf.UntestedSpark.key -> "try").requireKnownSpark("4.31.0")
  }
}
