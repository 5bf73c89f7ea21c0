// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.formats

import java.nio.file.Path

/** The fields of a separated text file, line by line as RFC 4180 has them: quotes around, doubled within. */
private[spark] final class TextFields(path: Path, separator: Char) extends LineFields(path) {

  /** Whether there is one more line. */
  override def next(): Boolean = {
    begin()
    var byte = read()
    if (byte < 0) return false
    var first = true // of its field
    var inside = false // of quotes
    var hadQuotes = false
    var trailing = false // text behind the quotes of a field
    while (byte >= 0 && (inside || byte != '\n')) {
      if (inside) {
        if (byte != '"') append(byte)
        else if (peek() == '"') append(read())
        else inside = false
        if (byte == '\n') nextLine += 1
      } else if (byte == separator) {
        end(hadQuotes)
        hadQuotes = false
        first = true
      } else if (byte == '"' && first) {
        inside = true
        hadQuotes = true
      } else if (byte != '\r' || peek() != '\n') {
        trailing |= hadQuotes
        append(byte)
      }
      if (byte != separator || inside) first = false
      byte = read()
    }
    fault = if (inside) Some("quotes that end" -> "none before the end of the file")
    else if (trailing) Some("quotes around whole fields" -> "text behind their end")
    else None
    nextLine += 1
    end(hadQuotes)
    true
  }
}
