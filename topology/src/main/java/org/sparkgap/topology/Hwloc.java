// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.topology;

import com.sun.jna.Library;
import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Platform;
import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The libhwloc that is used: the site's own, 2.1 to 3.x, which is the one that lstopo, Open MPI and Slurm use; where
 * there is none, the one in LWJGL's jar on the class path (hwloc 3).
 *
 * <pre>{@code
 * Hwloc.problem().ifPresent(why -> log.warn("threads stay unpinned: " + why));
 * System.out.println(Hwloc.version() + " from " + Hwloc.path());
 * }</pre>
 *
 * <p>{@code -Dsparkgap.hwloc=/path/libhwloc.so.15} names another, {@code -Dsparkgap.hwloc=bundled} takes the one in the
 * jar.
 */
public final class Hwloc {
    /** System property: a file, a library's name, or "bundled". */
    public static final String PROPERTY = "sparkgap.hwloc";

    private static final List<String> NAMES = List.of("libhwloc.so.15", "hwloc");
    private static final String ADVICE =
            "install your system's package of hwloc (libhwloc15), put lwjgl-hwloc with its natives on the class "
                    + "path, or name the file by "
                    + "-D" + PROPERTY
                    + "; where the temporary folder forbids execution, name another by -Djna.tmpdir; where Java "
                    + "forbids native calls, allow them by "
                    + "--enable-native-access=ALL-UNNAMED";
    private static final Hwloc INSTANCE = new Hwloc();

    private NativeLibrary library;
    private int version;
    private boolean bundled;
    private HwlocException failure;

    private Hwloc() {
        List<String> tried = new ArrayList<>();
        String wanted = System.getProperty(PROPERTY, "");
        try {
            if (!wanted.equals("bundled")) {
                for (String name : wanted.isEmpty() ? NAMES : List.of(wanted)) {
                    if (library == null) {
                        library = open(name, tried);
                    }
                }
            }
            if (library == null && (wanted.isEmpty() || wanted.equals("bundled"))) {
                library = openBundled(tried);
                bundled = library != null;
            }
            if (library == null) {
                failure = HwlocException.missing(String.join("; ", tried), ADVICE, null);
            }
        } catch (LinkageError noJna) {
            failure = HwlocException.missing("that JNA cannot work here: " + firstCause(noJna), ADVICE, noJna);
        }
    }

    /** Why there is no hwloc here, empty where there is one. */
    public static Optional<String> problem() {
        return Optional.ofNullable(INSTANCE.failure).map(Throwable::getMessage);
    }

    /**
     * Of the library's interface, which stays where a release adds nothing to it: hwloc 2.9 says 2.8.0. Errors:
     * HwlocException where there is no hwloc, as all of this library.
     */
    public static String version() {
        require();
        return major() + "." + (INSTANCE.version >> 8 & 0xff) + "." + (INSTANCE.version & 0xff);
    }

    public static int major() {
        require();
        return INSTANCE.version >> 16;
    }

    /** The file that was loaded, or its name where the system's loader found it. */
    public static String path() {
        require();
        return INSTANCE.bundled
                ? "the copy in lwjgl-hwloc"
                : INSTANCE.library.getFile() == null
                        ? INSTANCE.library.getName()
                        : INSTANCE.library.getFile().getPath();
    }

    /** Whether it is the copy of the jar. */
    public static boolean isBundled() {
        require();
        return INSTANCE.bundled;
    }

    static boolean isAtLeast(int major, int minor) {
        require();
        return INSTANCE.version >= (major << 16 | minor << 8);
    }

    static void require() {
        if (INSTANCE.failure != null) {
            throw INSTANCE.failure;
        }
    }

    /** For what came with a version of hwloc. Errors: HwlocException where ours is older. */
    static void require(int major, int minor, String what) {
        if (!isAtLeast(major, minor)) {
            throw HwlocException.refused(
                    "hwloc",
                    "version " + major + "." + minor + " or later for " + what,
                    version(),
                    "install a later hwloc, or name it by -D" + PROPERTY);
        }
    }

    static NativeLibrary library() {
        require();
        return INSTANCE.library;
    }

    private NativeLibrary open(String name, List<String> tried) {
        try {
            NativeLibrary found = NativeLibrary.getInstance(name, Map.of(Library.OPTION_STRING_ENCODING, "UTF-8"));
            int itsVersion = found.getFunction("hwloc_get_api_version").invokeInt(new Object[0]);
            if (itsVersion < 0x20100 || itsVersion >= 0x40000) {
                tried.add(
                        name + " of version " + (itsVersion >> 16) + "." + (itsVersion >> 8 & 0xff) + ", not 2.1 to 3");
                return null;
            }
            version = itsVersion;
            return found;
        } catch (UnsatisfiedLinkError none) {
            tried.add("no " + name);
            return null;
        }
    }

    private static Throwable firstCause(Throwable thrown) {
        return thrown.getCause() == null ? thrown : firstCause(thrown.getCause());
    }

    private NativeLibrary openBundled(List<String> tried) {
        String folder = Platform.isIntel() ? "x64" : Platform.ARCH.equals("aarch64") ? "arm64" : Platform.ARCH;
        String resource = "/linux/" + folder + "/org/lwjgl/hwloc/libhwloc.so";
        if (!Platform.isLinux() || !Platform.is64Bit() || Hwloc.class.getResource(resource) == null) {
            tried.add("no copy in a jar");
            return null;
        }
        try {
            File file = Native.extractFromResourcePath(resource, Hwloc.class.getClassLoader());
            NativeLibrary found = open(file.getPath(), tried);
            if (file.getName().startsWith("jna")) {
                // JNA's temporary copy; what is loaded stays.
                file.delete();
            }
            return found;
        } catch (IOException unreadable) {
            tried.add("a copy in a jar that cannot be written to the temporary folder: " + unreadable.getMessage());
            return null;
        }
    }
}
