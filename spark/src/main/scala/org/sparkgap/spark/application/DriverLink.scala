// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.application

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, ObjectInputStream, ObjectOutputStream, ObjectStreamClass}

import org.apache.spark.api.plugin.PluginContext

/**
 * How code on an executor reaches the driver's plug-in, through Spark's own authenticated channel.
 *
 * Messages go as bytes: Spark's threads that read them do not know the classes of jars that came with the application.
 */
private[spark] final class DriverLink {
  import DriverLink._

  @volatile private var plugin: Option[PluginContext] = None

  def set(context: PluginContext): Unit = plugin = Some(context)

  /** Whether the plug-in is on in this executor. */
  def isUp: Boolean = plugin.isDefined

  /**
   * Blocks until the driver has answered, for minutes if it cannot be reached. Errors: code 2 if the plug-in is not on.
   */
  def ask(message: AnyRef): AnyRef =
    plugin.getOrElse(throw SparkGap.absent("an executor without it")).ask(packed(message)) match {
      case answer: Array[Byte] => unpacked(answer)
      case other => other
    }

  /** Waits for nothing. Errors: as ask. */
  def tell(message: AnyRef): Unit = plugin.foreach(_.send(packed(message)))
}

private[spark] object DriverLink extends ProcessPart(new DriverLink) {

  /**
   * In the driver: the reply of `answer` to such a message. None to a word that nobody waits for: Spark warns of it.
   */
  def receive(message: AnyRef)(answer: AnyRef => AnyRef): AnyRef =
    Option(answer(unpacked(message.asInstanceOf[Array[Byte]]))).map(packed).orNull

  private def packed(message: AnyRef): Array[Byte] = {
    val bytes = new ByteArrayOutputStream
    val out = new ObjectOutputStream(bytes)
    out.writeObject(message)
    out.close()
    bytes.toByteArray
  }

  private def unpacked(bytes: Array[Byte]): AnyRef = new ObjectInputStream(new ByteArrayInputStream(bytes)) {
    override def resolveClass(described: ObjectStreamClass): Class[_] =
      try Class.forName(described.getName, false, DriverLink.getClass.getClassLoader)
      catch { case _: ClassNotFoundException => super.resolveClass(described) }
  }.readObject()
}
