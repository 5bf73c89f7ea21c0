// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.scalafmt.Scalafmt;

/**
 * ScalaFormat check|write FILE...: says which files are not as .scalafmt.conf wants them, or makes them so.
 *
 * <p>Exit status 1 where check finds such a file, or where one does not parse.
 */
class ScalaFormat {
    public static void main(String[] arguments) throws Exception {
        boolean write = arguments[0].equals("write");
        var style = Scalafmt.parseHoconConfigFile(Path.of(".scalafmt.conf")).get();
        int wrong = 0;
        for (String name : List.of(arguments).subList(1, arguments.length)) {
            Path file = Path.of(name);
            String code = Files.readString(file);
            String formatted = Scalafmt.format(code, style, Scalafmt.format$default$3(), name)
                    .toEither()
                    .fold(
                            error -> {
                                throw new IllegalStateException(name + ": " + error.getMessage(), error);
                            },
                            text -> text);
            if (formatted.equals(code)) continue;
            if (write) {
                Files.writeString(file, formatted);
            } else {
                System.err.println(name + ": expected scalafmt's format, found another. Do make format.");
                wrong++;
            }
        }
        System.exit(wrong == 0 ? 0 : 1);
    }
}
