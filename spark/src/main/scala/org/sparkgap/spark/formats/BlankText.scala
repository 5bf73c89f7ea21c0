// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.formats

import java.nio.charset.StandardCharsets.UTF_8

/** What stands between words of the format `text`, and what therefore cannot be one: it has no quotes. */
private[spark] object BlankText {

  /** As C's isspace has it. */
  def isBlank(byte: Int): Boolean = byte == ' ' || byte >= '\t' && byte <= '\r'

  /**
   * Why a text cannot be a word: what was found; None where it can. Blanks of other alphabets too, which some languages
   * split at.
   */
  def problem(text: String): Option[String] =
    if (text.isEmpty) Some("an empty one")
    else if (text.exists(c => c <= ' ' || Character.isWhitespace(c) || Character.isSpaceChar(c) || c == '\u0085'))
      Some(s"'${text.take(60).replaceAll("[\\p{Cntrl}]", "?")}'")
    else None

  /** The same for a value in UTF-8: what was expected and found. The first of a line must not look like a comment. */
  def refused(word: Array[Byte], isFirst: Boolean): Option[(String, String)] =
    if (isFirst && word.headOption.contains('#'.toByte))
      Some("a first word that does not begin with #, as comments do" -> s"'${new String(word, UTF_8).take(60)}'")
    else if (word.forall(b => b > ' ') && word.nonEmpty) None
    else problem(new String(word, UTF_8)).map("a word without blanks" -> _)
}
