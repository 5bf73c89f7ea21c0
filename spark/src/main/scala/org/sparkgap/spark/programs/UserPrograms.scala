// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.programs

import java.nio.file.{Files, Path}
import java.util.concurrent.TimeUnit

import scala.util.Try

import org.slf4j.LoggerFactory
import org.sparkgap.launch.Program
import org.sparkgap.spark.application.{Conf, SaidOnce, SharedServer, SparkGapError}

/** Which programs of users may run here: what docs/servers.md says. Errors: code 2 for one that may not. */
private[spark] final class UserPrograms(conf: Conf) {
  private val allowed = conf.allowedPrograms

  /** Before anything of it runs. */
  def check(program: Path): Unit = {
    val switch = conf.programs
    if (switch == "refuse") refuse(s"${Conf.Programs.key}=refuse")
    allowed match {
      case Some(list) => if (!list.exists(UserPrograms.covers(_, program))) notListed(program)
      case None => if (switch == "auto") SharedServer().kind.foreach(kind =>
          refuse(s"that its users share a server of $kind, and ${Conf.Programs.key}=auto"))
    }
    UserPrograms.tellOnce(conf)
  }

  /** Variables of its environment: where there is a list, none that could make a listed program run something else. */
  def checkEnvironment(names: Iterable[String]): Unit =
    if (allowed.isDefined) names.find(name => !UserPrograms.Harmless.exists(name.matches)).foreach { name =>
      SparkGapError.refuse(
        "env",
        s"names among ${UserPrograms.HarmlessWords}, as ${Conf.AllowedPrograms.key} is set",
        s"'$name'",
        "Do leave it out, or ask the server's administrator to list a script that sets it"
      )
    }

  /** A folder that a call names is written to as the server's user. */
  def checkLogs(folder: String): Unit =
    if (allowed.isDefined) SparkGapError.refuse("logs", s"no folder, as ${Conf.AllowedPrograms.key} is set",
      s"'$folder'", "Do leave it out: errors have the last lines, `printed` has rank 0's")

  /** The rules in force here, in words for users. */
  def words: String = (conf.programs, allowed, SharedServer().kind) match {
    case ("refuse", _, _) => "programs of users do not run"
    case (_, Some(list), _) => s"programs of users run that are ${list.mkString(" or ")}"
    case ("auto", None, Some(kind)) => s"programs of users do not run, as they share a server of $kind"
    case _ => "any program of a user runs"
  }

  private def notListed(program: Path): Nothing =
    SparkGapError.refuse(
      "program",
      s"a program that ${Conf.AllowedPrograms.key} has",
      UserPrograms.real(program).filterNot(_ == program).fold(program.toString)(real => s"$program, which is $real"),
      "Do ask the server's administrator to add it"
    )

  private def refuse(why: String): Nothing =
    SparkGapError.refuse(
      "program",
      "an application that runs programs of its users",
      why,
      s"Do ask the server's administrator to set ${Conf.AllowedPrograms.key}, or use a session of your own"
    )
}

private[spark] object UserPrograms {
  private val log = LoggerFactory.getLogger("sparkgap")
  private val Harmless = Seq(
    "LANG|LC_[A-Z]+|TZ",
    "OMP_(NUM_THREADS|SCHEDULE|PROC_BIND|PLACES|WAIT_POLICY|DYNAMIC|STACKSIZE|THREAD_LIMIT|MAX_ACTIVE_LEVELS|NESTED)",
    "(OPENBLAS|MKL|BLIS)_NUM_THREADS",
    "MPIR_CVAR_CH4_NETMOD|FI_PROVIDER|UCX_TLS"
  )
  private val HarmlessWords =
    "LANG, LC_*, TZ, OpenMP's own, OPENBLAS_NUM_THREADS, MKL_NUM_THREADS, BLIS_NUM_THREADS, MPIR_CVAR_CH4_NETMOD, " +
      "FI_PROVIDER and UCX_TLS"
  private val ProbeSeconds = 20L

  /** Whether a path of the list is that program, or a folder above it: where links lead counts. */
  private def covers(listed: Path, program: Path): Boolean =
    real(listed).exists(there =>
      real(program).exists(found => found == there || Files.isDirectory(there) && found.startsWith(there)))

  private def real(path: Path): Option[Path] = Try(path.toRealPath()).toOption

  /**
   * A fall-back is said: where the kernel cannot keep programs from looking into this process, the first call says so
   * in the log.
   */
  private def tellOnce(conf: Conf): Unit =
    if (SaidOnce().first("unconfined")) unconfined(conf).foreach(why => log.warn(why))

  /** Why programs cannot be kept from reading what processes of the same user hold; None where they can. */
  def unconfined(conf: Conf): Option[String] = {
    val guard = conf.kernelDir.resolve(Program.GUARD)
    val process = new ProcessBuilder(guard.toString, "--confined").redirectErrorStream(true).start()
    try {
      process.getOutputStream.close()
      if (process.waitFor(ProbeSeconds, TimeUnit.SECONDS) && process.exitValue == 0) None
      else Some(if (process.isAlive) s"launch: expected $guard to end, found it running. Do look why."
        else new String(process.getInputStream.readAllBytes()).strip)
    } finally {
      process.destroyForcibly()
    }
  }
}
