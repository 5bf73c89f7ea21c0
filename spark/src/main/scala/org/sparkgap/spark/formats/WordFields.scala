// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.formats

import java.nio.file.Path

/**
 * The words of a text file between blanks, line by line; lines without words, and those whose first begins with #, are
 * passed over.
 */
private[spark] final class WordFields(path: Path) extends LineFields(path) {
  override def next(): Boolean = {
    var byte = 0
    do {
      begin()
      byte = read()
      if (byte < 0) return false
      var inWord = false
      var isComment = false
      while (byte >= 0 && byte != '\n') {
        if (!isComment) {
          if (!BlankText.isBlank(byte)) {
            if (byte == '#' && !inWord && count == 0) isComment = true
            else {
              append(byte)
              inWord = true
            }
          } else if (inWord) {
            end(hadQuotes = false)
            inWord = false
          }
        }
        byte = read()
      }
      if (inWord) end(hadQuotes = false)
      nextLine += 1
    } while (count == 0)
    true
  }
}
