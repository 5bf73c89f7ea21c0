// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark

import scala.jdk.CollectionConverters._
import scala.util.{Failure, Success, Try}

import org.apache.spark.SPARK_VERSION
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String
import org.sparkgap.launch.{Jobs, Mpi}
import org.sparkgap.spark.affinity.TaskAffinity
import org.sparkgap.spark.application.{Conf, SparkCores}
import org.sparkgap.spark.call.{Arguments, KernelSpecs, RowsProcedure}
import org.sparkgap.spark.memory.SparkPool
import org.sparkgap.spark.ml.FitReports
import org.sparkgap.spark.programs.UserPrograms
import org.sparkgap.spark.segments.Homes
import org.sparkgap.store.SparkGapException
import org.sparkgap.topology.ProcessLimits

/** `CALL sparkgap.launch.jobs()`, `CALL sparkgap.launch.fit(word)` and `CALL sparkgap.launch.doctor()`. */
private[spark] object LaunchProcedures {
  val Family = "launch"

  private val JobsSchema =
    new StructType().add("job", StringType, nullable = false).add("kernel", StringType, nullable = false)
      .add("phase", StringType, nullable = false).add("iteration", IntegerType, nullable = false).add("of", IntegerType,
        nullable = false)
      .add("residual", DoubleType).add("elapsed_s", DoubleType, nullable = false)
  private val DoctorSchema = new StructType().add("check", StringType, nullable = false).add("ok", BooleanType,
    nullable = false).add("detail", StringType, nullable = false)

  val All: Seq[RowsProcedure] = Seq(
    new RowsProcedure("jobs", "The calls under way in this driver, for progress.", Seq.empty, JobsSchema)(_ => jobs()),
    new RowsProcedure(
      "fit",
      "What a fit has cost, once: that of the jobs' tag sparkgap-fit-<word>.",
      Seq(Arguments.parameter("word", StringType, "32 hexadecimal digits.")),
      FitReports.Schema
    )(row => Option(row.getUTF8String(0)).flatMap(word => FitReports().take(word.toString)).toSeq),
    new RowsProcedure("doctor", "What the driver's process finds of all that sparkgap needs.", Seq.empty, DoctorSchema)(
      _ => doctor(SparkSession.active))
  )

  private def jobs(): Seq[InternalRow] = Jobs.running.asScala.toSeq.map { job =>
    InternalRow(string(job.job), string(job.kernel), string(job.phase), job.iteration.toInt, job.of.toInt,
      if (job.residual < 0) null else job.residual, job.elapsedSeconds)
  }

  /** Each check is made on its own: what one finds wrong must not hide the others. */
  private def doctor(session: SparkSession): Seq[InternalRow] = {
    def conf = Conf.of(session)
    Seq(
      check("java")(s"${System.getProperty("java.version")} at ${System.getProperty("java.home")}"),
      check("spark") { conf.requireKnownSpark(SPARK_VERSION); SPARK_VERSION },
      check("store") { val home = Homes().current(); s"${home.store}, ${home.usableBytes} bytes free" },
      check("kernels") {
        val dir = conf.kernelDir
        val names = KernelSpecs().all(dir).map(_.name)
        if (names.isEmpty) throw new SparkGapException(SparkGapException.LOST, Conf.KernelDir.key,
          "sparkgap-<kernel>.json", s"none in $dir", "Do install sparkgap again")
        s"${names.mkString(", ")} in $dir"
      },
      check("mpiexec")(Mpi.find(conf.mpiexec, System.getenv("PATH")).mpiexec.toString),
      check("programs") {
        UserPrograms.unconfined(conf).foreach(why => throw new IllegalStateException(why))
        s"${new UserPrograms(conf).words}; they cannot look into other processes"
      },
      check("cpus") {
        val limits = ProcessLimits.read()
        s"${limits.allowedCpus} allowed, ${limits.usableCpus} usable, ${SparkCores.onThisHost(session.sparkContext)} " +
          "given to Spark"
      },
      check("affinity")(TaskAffinity().map),
      check("memory") {
        val pool = if (SparkPool.isOn)
          s", Spark's off-heap pool ${SparkPool.sizeBytes} bytes, ${SparkPool.usedBytes} held by tasks and jobs"
        else ""
        s"${ProcessLimits.read().availableMemoryBytes} bytes available$pool"
      }
    )
  }

  private def check(name: String)(look: => String): InternalRow = Try(look) match {
    case Success(detail) => InternalRow(string(name), true, string(detail))
    case Failure(e: SparkGapException) => InternalRow(string(name), false, string(e.text))
    case Failure(e) => InternalRow(string(name), false, string(e.toString))
  }

  private def string(text: String): UTF8String = UTF8String.fromString(text)
}
