// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.application

import java.nio.file.{Files, Path, Paths}
import java.time.Duration
import java.util.Locale

import scala.util.Try

import org.apache.spark.SparkConf
import org.apache.spark.network.util.JavaUtils
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.internal.SQLConf
import org.sparkgap.launch.Program
import org.sparkgap.store.{SegmentWriter, SparkGapException}
import org.sparkgap.topology.{AffinityLevel, ProcessLimits}

/** The settings of sparkgap: every key once, with what docs/config.md says about it (`main` prints that page). */
object Conf {

  /** @param atStart only the application sets it, where Spark is started; a session cannot change it */
  final case class Entry(key: String, default: String, unit: String, since: String, doc: String,
      atStart: Boolean = false)

  val StoreDir: Entry = Entry(
    "spark.sparkgap.store.dir",
    "/dev/shm/sparkgap-<uid>",
    "path",
    "0.1.0",
    "Folder of this host's tables, mode 0700, best in memory. Where /dev/shm is missing: sparkgap-<uid> in the JVM's " +
      "temporary folder.",
    atStart = true
  )
  val DiskDir: Entry = Entry(
    "spark.sparkgap.store.diskDir",
    "<spark.local.dir>/sparkgap-<uid>.disk",
    "path",
    "0.1.0",
    "Folder of this host, mode 0700, where stored graphs go for which the store has no room.",
    atStart = true
  )
  val Cache: Entry = Entry(
    "spark.sparkgap.store.cache",
    "true",
    "true or false",
    "0.1.0",
    "Whether df.cache() and persist() keep tables in the store. Sets spark.sql.cache.serializer unless the session " +
      "does.",
    atStart = true
  )
  val MemoryBytes: Entry = Entry(
    "spark.sparkgap.store.memoryBytes",
    "<half of memory>",
    "bytes",
    "0.1.0",
    "Memory for the files of all stores of this host; beyond it cached tables go to disk. The default is half of the " +
      "host's memory, or of its control group's limit where that is smaller.",
    atStart = true
  )
  val SegmentBytes: Entry = Entry("spark.sparkgap.store.segmentBytes", "256m", "bytes", "0.1.0",
    "A segment file ends before it grows larger than this; 1m to 1g.")
  val KernelDir: Entry = Entry(
    "spark.sparkgap.launch.kernelDir",
    "<jar>/../../native, else what the jar carries",
    "path",
    "0.1.0",
    "Folder with sparkgap-rank, the programs sparkgap-<kernel> and their descriptions sparkgap-<kernel>.json. Hosts " +
      "without it use what the jar carries, unpacked in sparkgap-<uid>-native in the first that takes it of " +
      "java.io.tmpdir, spark.local.dir and /dev/shm.",
    atStart = true
  )
  val Mpiexec: Entry = Entry(
    "spark.sparkgap.launch.mpiexec",
    "that of the jar, else mpiexec in PATH",
    "path",
    "0.1.0",
    "The mpiexec that starts jobs of more than one rank.",
    atStart = true
  )
  val Programs: Entry = Entry(
    "spark.sparkgap.launch.programs",
    "auto",
    "auto, allow or refuse",
    "0.1.0",
    "Whether mpi.run and graph.run run programs of users. `auto`: those of allowedPrograms where that is set, else " +
      "any, but none where the driver is a server of Spark Connect or Thrift that others use (servers.md).",
    atStart = true
  )
  val AllowedPrograms: Entry = Entry(
    "spark.sparkgap.launch.allowedPrograms",
    "<any>",
    "paths",
    "0.1.0",
    "Absolute paths of programs and of folders of programs, separated by commas: mpi.run and graph.run may run these " +
      "and no others. `env` then takes only names that cannot make them run something else, and `logs` is refused.",
    atStart = true
  )
  val UntestedSpark: Entry = Entry(
    "spark.sparkgap.launch.untestedSpark",
    "refuse",
    "refuse or try",
    "0.1.0",
    "What happens on a Spark 4 that is not among the tested ones (compatibility.md).",
    atStart = true
  )
  val Ranks: Entry = Entry(
    "spark.sparkgap.launch.ranks",
    "1",
    "processes, host or numa",
    "0.1.0",
    "Processes of a job where a call does not say `ranks`; on several hosts 1 means one for each host that holds " +
      "rows of the inputs. `host`: one on each host. `numa`: one for each NUMA node of each host."
  )
  val Threads: Entry = Entry(
    "spark.sparkgap.launch.threads",
    "0",
    "threads per rank",
    "0.1.0",
    "Threads of a rank where a call does not say `threads`; 0 = the cores given to Spark on this host / ranks."
  )
  val Timeout: Entry = Entry("spark.sparkgap.launch.timeout", "1h", "time", "0.1.0",
    "A call that takes longer is ended, where it does not say `timeout_s`.")

  val Retries: Entry = Entry("spark.sparkgap.launch.retries", "2", "times", "0.1.0",
    "How often a job is tried again after the loss of an executor or its host; 0 = never.")
  val Silence: Entry = Entry("spark.sparkgap.launch.silence", "20s", "time", "0.1.0",
    "A host that says nothing for so long during a job is lost, and kills its ranks.")

  val JobMemoryBytes: Entry = Entry(
    "spark.sparkgap.launch.memoryBytes",
    "<the kernel's estimate>",
    "bytes",
    "0.1.0",
    "Memory that a job requests from Spark's off-heap pool, or from the host, before its ranks start; all hosts " +
      "together; 0 = none. On a server with several users (servers.md) it is set at start too."
  )

  val Affinity: Entry = Entry(
    "spark.sparkgap.topology.affinity",
    "none",
    "none, cpu, core, pu or numa",
    "0.1.0",
    "What a task's thread is pinned to while the task runs. `cpu`: the executor's processors of one package. " +
      "`core`: one core. `pu`: one hardware thread. `numa`: the executor's processors and memory of one NUMA node.",
    atStart = true
  )
  val RankAffinity: Entry = Entry(
    "spark.sparkgap.launch.affinity",
    "none",
    "none, cpu, core, pu or numa",
    "0.1.0",
    "What each thread of a rank is pinned to, with the levels of spark.sparkgap.topology.affinity. No other rank, " +
      "job or executor with affinity gets the same processors. Where too few are free, the job runs unpinned and " +
      "says so."
  )
  val LockDir: Entry = Entry(
    "spark.sparkgap.topology.lockDir",
    "/dev/shm/sparkgap-cpus",
    "path",
    "0.1.0",
    "Folder of this host where executors and drivers of all users lock the processors that they pin tasks and ranks " +
      "to; mode 1777. Containers that share processors should share it.",
    atStart = true
  )

  val Unsupported: Entry = Entry(
    "spark.sparkgap.ml.unsupported",
    "spark",
    "spark or refuse",
    "0.1.0",
    "What an estimator does with parameters that its kernel does not support. `spark`: Spark's own fit, with a " +
      "warning that names them. `refuse`: an error."
  )

  val All: Seq[Entry] = Seq(
    StoreDir,
    DiskDir,
    Cache,
    MemoryBytes,
    SegmentBytes,
    KernelDir,
    Mpiexec,
    Programs,
    AllowedPrograms,
    UntestedSpark,
    Ranks,
    Threads,
    Timeout,
    Retries,
    Silence,
    JobMemoryBytes,
    RankAffinity,
    Affinity,
    LockDir,
    Unsupported
  )

  private val MinSegmentBytes = 1L << 20

  /**
   * The settings of this session, including those of the start. Errors: code 2 if the session sets a key that only the
   * application may set.
   */
  def of(session: SparkSession): Conf = {
    val application = session.sparkContext.getConf
    val atStart =
      All.filter(_.atStart).map(_.key).toSet ++ (if (SharedServer().kind.isDefined) Some(JobMemoryBytes.key) else None)
    atStart.foreach { key =>
      session.conf.getOption(key).filterNot(application.getOption(key).contains).foreach { other =>
        throw new SparkGapException(
          SparkGapException.ARGUMENTS,
          key,
          application.getOption(key).fold("it not set, as where Spark was started")(value =>
            s"'$value', as where Spark was started"),
          s"'$other' in this session",
          s"Do unset it here: it is set where Spark is started, by --conf or spark-defaults.conf"
        )
      }
    }
    new Conf(key => if (atStart(key)) application.getOption(key) else session.conf.getOption(key))
  }

  def of(conf: SQLConf): Conf = new Conf(key => Option(conf.getConfString(key, null)))

  def of(conf: SparkConf): Conf = new Conf(key => conf.getOption(key))

  private val Head =
    """# Settings
      |
      |`org.sparkgap.spark.application.Conf` writes this page from its list of keys: do not edit it. Set a key like any
      |Spark setting, with `--conf` or `SparkSession.builder.config`. A key marked *session* can also be set in a
      |running session, with `spark.conf.set`. A key marked *start* is read only from the configuration that the
      |application started with: a session that sets it to another value gets an error.
      |
      |One more line turns sparkgap on: `spark.plugins=org.sparkgap.spark.SparkGapPlugin`.
      |
      || key | default | unit | set by | since | meaning |
      ||---|---|---|---|---|---|""".stripMargin

  /** docs/config.md. */
  def main(args: Array[String]): Unit = println(page)

  def page: String = {
    val rows = All.map(e =>
      s"| `${e.key}` | `${e.default}` | ${e.unit} | ${if (e.atStart) "start" else "session"} | ${e.since} | ${e.doc} |")
    (Head +: rows).mkString("\n")
  }

  private def uid: Object = Files.getAttribute(Paths.get("/proc/self"), "unix:uid")

  private def inMemory: Path = Option(Paths.get("/dev/shm")).filter(Files.isDirectory(_)).getOrElse(
    Paths.get(System.getProperty("java.io.tmpdir")))

  /** The native programs lie beside the jar's folder; in a build tree they are in its bin. */
  private def besideJar: Option[Path] =
    Try(Paths.get(getClass.getProtectionDomain.getCodeSource.getLocation.toURI)).toOption
      .flatMap(jar => Option(jar.getParent)).flatMap(jars => Option(jars.getParent)).map(_.resolve("native"))
      .map(native => if (Files.isDirectory(native.resolve("bin"))) native.resolve("bin") else native)
}

/** The number of ranks of a job whose call does not set it. */
private[spark] sealed trait RankCount

private[spark] object RankCount {
  final case class Number(n: Int) extends RankCount
  case object PerHost extends RankCount
  case object PerNode extends RankCount
}

/** The settings as the user set them. Errors: code 2 naming a key with an invalid value. */
final class Conf private (lookup: String => Option[String]) {
  import Conf._

  def storeDir: Path =
    lookup(StoreDir.key).filter(_.nonEmpty).map(Paths.get(_)).getOrElse(inMemory.resolve(s"sparkgap-$uid"))

  def diskDir: Path = lookup(DiskDir.key).filter(_.nonEmpty).map(Paths.get(_)).getOrElse {
    val local = lookup("spark.local.dir").flatMap(_.split(",").map(_.trim).find(_.nonEmpty)).getOrElse(
      System.getProperty("java.io.tmpdir"))
    Paths.get(local).resolve(s"sparkgap-$uid.disk")
  }

  def cache: Boolean = parse(Cache, "true or false", Cache.default)(_.toBoolean)(_ => true)

  def memoryBytes: Long =
    if (lookup(MemoryBytes.key).forall(_.trim.isEmpty)) ProcessLimits.read().memoryBytes / 2
    else parse(MemoryBytes, "a size such as 8g", "")(JavaUtils.byteStringAsBytes)(_ >= 0)

  def segmentBytes: Long =
    parse(SegmentBytes, "a size from 1m to 1g", SegmentBytes.default)(JavaUtils.byteStringAsBytes)(n =>
      n >= MinSegmentBytes && n <= SegmentWriter.MAX_SEGMENT_BYTES)

  /**
   * What is set, else beside the jar, else in it. Errors: code 5 if the folder has no sparkgap-rank, or what the jar
   * carries cannot be unpacked.
   */
  def kernelDir: Path = installed.orElse(carried).filter(hasGuard).getOrElse(throw new SparkGapException(
      SparkGapException.LOST,
      KernelDir.key,
      "a folder with sparkgap-rank",
      installed.fold(s"none beside the jar, and none for ${System.getProperty("os.arch")} in it")(d => s"none in $d"),
      s"Do set ${KernelDir.key} to the folder of sparkgap's programs, or take the jar that carries them"
    ))

  /** The folder that is set, whether it is one or not, else that beside the jar where it is one. */
  private def installed: Option[Path] =
    lookup(KernelDir.key).filter(_.nonEmpty).map(Paths.get(_)).orElse(besideJar.filter(hasGuard))

  private def hasGuard(folder: Path): Boolean = Files.isExecutable(folder.resolve(Program.GUARD))

  /**
   * What the jar carries, unpacked on this host in the first of the JVM's temporary folder, Spark's and the memory's
   * that takes it; None where it carries nothing. Errors: code 5.
   */
  def carried: Option[Path] = {
    val local = lookup("spark.local.dir").flatMap(_.split(",").map(_.trim).find(_.nonEmpty)).map(Paths.get(_))
    CarriedKernels().in(Seq(Paths.get(System.getProperty("java.io.tmpdir"))) ++ local :+ inMemory)
  }

  def affinity: AffinityLevel = level(Affinity)

  def rankAffinity: AffinityLevel = level(RankAffinity)

  def lockDir: Path =
    lookup(LockDir.key).filter(_.nonEmpty).map(Paths.get(_)).getOrElse(inMemory.resolve("sparkgap-cpus"))

  /** Empty means the first in PATH. */
  def mpiexec: String = lookup(Mpiexec.key).filter(_.nonEmpty).orElse(
    if (installed.isEmpty) carried.map(_.resolve(CarriedKernels.Mpiexec).toString) else None).getOrElse("")

  def programs: String = parse(Programs, Programs.unit, Programs.default)(identity)(Set("auto", "allow", "refuse"))

  /** None if no list is set. Errors: code 2 for a path that is not absolute. */
  def allowedPrograms: Option[Seq[Path]] =
    if (lookup(AllowedPrograms.key).forall(_.trim.isEmpty)) None
    else
      Some(parse(AllowedPrograms, "absolute paths", "")(_.split(",").toSeq.map(text => Paths.get(text.trim)))(paths =>
          paths.nonEmpty && paths.forall(_.isAbsolute)))

  def refusesUnsupported: Boolean =
    parse(Unsupported, "spark or refuse", Unsupported.default)(identity)(Set("spark", "refuse")) == "refuse"

  /** Errors: code 2 for a version of Spark that sparkgap is not for, or was not tested on. */
  def requireKnownSpark(version: String): Unit = {
    val tries = parse(UntestedSpark, UntestedSpark.unit, UntestedSpark.default)(identity)(Set("refuse", "try")) == "try"
    SparkVersions.check(version, tries, UntestedSpark.key)
  }

  def ranks: RankCount = parse(Ranks, "a whole number of at least 1, host or numa", Ranks.default) {
    case "host" => RankCount.PerHost
    case "numa" => RankCount.PerNode
    case number => RankCount.Number(number.toInt)
  } {
    case RankCount.Number(n) => n >= 1
    case _ => true
  }

  /** 0 means derived from the cores. */
  def threads: Long = parse(Threads, "a whole number of at least 0", Threads.default)(_.toLong)(_ >= 0)

  def timeout: Duration =
    Duration.ofMillis(parse(Timeout, "a time such as 60s or 2h", Timeout.default)(JavaUtils.timeStringAsMs)(_ > 0))

  def retries: Long = parse(Retries, "a whole number of at least 0", Retries.default)(_.toLong)(_ >= 0)

  def silence: Duration =
    Duration.ofMillis(parse(Silence, "a time of at least 1s", Silence.default)(JavaUtils.timeStringAsMs)(_ >= 1000))

  /** None means the kernel's estimate. */
  def jobMemoryBytes: Option[Long] =
    if (lookup(JobMemoryBytes.key).forall(_.trim.isEmpty)) None
    else Some(parse(JobMemoryBytes, "a size such as 8g", "")(JavaUtils.byteStringAsBytes)(_ >= 0))

  private def level(entry: Entry): AffinityLevel =
    parse(entry, entry.unit, entry.default)(word => AffinityLevel.valueOf(word.toUpperCase(Locale.ROOT)))(_ => true)

  private def parse[T](entry: Entry, expected: String, default: String)(read: String => T)(holds: T => Boolean): T = {
    val text = lookup(entry.key).map(_.trim).filter(_.nonEmpty).getOrElse(default)
    Try(read(text)).toOption.filter(holds).getOrElse(
      throw new SparkGapException(SparkGapException.ARGUMENTS, entry.key, expected, s"'$text'",
        s"Do set ${entry.key} anew"))
  }
}
