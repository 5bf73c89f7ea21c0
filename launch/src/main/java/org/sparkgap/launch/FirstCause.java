// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.launch;

import static org.sparkgap.store.SparkGapException.ARGUMENTS;
import static org.sparkgap.store.SparkGapException.BUG;
import static org.sparkgap.store.SparkGapException.DATA;
import static org.sparkgap.store.SparkGapException.LOST;
import static org.sparkgap.store.SparkGapException.NO_ROOM;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.sparkgap.store.SparkGapException;

/**
 * Finds why a job failed. When one rank fails, MPI kills the others, or they lose their peer and fail too. The error
 * that the user sees must name the first failure.
 *
 * <p>A kernel's failures are tried in this order; within one kind the earliest counts:
 *
 * <ol>
 *   <li>mpiexec was killed from outside, and no rank was;
 *   <li>a crash; but a kill from outside, or any kill that came before the crash, goes first;
 *   <li>an error that the rank reported itself, other than a lost peer;
 *   <li>no room even for the report;
 *   <li>a kill;
 *   <li>any other exit that is not 0;
 *   <li>a lost peer;
 *   <li>MPI_Abort, a rank without a record, and last what mpiexec says.
 * </ol>
 *
 * <p>A user's program need not follow our contract, so there the earliest failure of any kind counts. Clocks of two
 * hosts agree only roughly, and MPI may crash or abort a rank because its peer died. So within two seconds a kill from
 * outside counts as earlier than a crash, and a crash as earlier than an abort (SIGABRT).
 */
final class FirstCause {
    private static final Set<Integer> KNOWN = Set.of(ARGUMENTS, DATA, NO_ROOM, LOST, BUG);

    private static final Pattern ABORT = Pattern.compile("^Abort\\((\\d+)\\) on node \\d+ \\(rank (\\d+) in comm");

    /** How far the times of two hosts may be apart: reports travel, and busy hosts write late. */
    private static final long UNSURE = TimeUnit.SECONDS.toNanos(2);

    private FirstCause() {}

    static JobException of(JobFolder folder, Job job, int launcherStatus) {
        JobException cause = find(folder, job, launcherStatus);
        boolean unsaid = cause.code() == NO_ROOM
                && cause.rank() != null; // known by its exit alone: there was no room for its error either
        String full = job.program().isUsers() || cause.code() == LOST || unsaid ? folder.full() : null;
        if (full != null) {
            return noRoom("at " + full, cause);
        }
        return unsaid ? noRoom("on host " + job.rankHosts().get(cause.rank()), cause) : cause;
    }

    /** Whether a rank was killed from outside, or has said what failed: neither follows from the loss of others. */
    static boolean isARank(JobFolder folder, Job job) {
        return IntStream.range(0, job.ranks())
                .mapToObj(rank -> RankEnd.read(folder, rank))
                .anyMatch(end -> end.killedFromOutside() || end.errorCode() != 0 && end.errorCode() != LOST);
    }

    private static JobException find(JobFolder folder, Job job, int launcherStatus) {
        List<RankEnd> ends = IntStream.range(0, job.ranks())
                .mapToObj(rank -> RankEnd.read(folder, rank))
                .toList();
        Optional<RankEnd> firstCrash = first(ends, FirstCause::crashed);
        Optional<RankEnd> crash =
                first(ends, end -> crashed(end) && end.signal() != Signals.ABRT).or(() -> firstCrash);
        Optional<RankEnd> error = first(ends, end -> end.errorCode() != 0 && end.errorCode() != LOST);
        Optional<RankEnd> killed = first(ends, end -> end.signal() != 0);
        Optional<RankEnd> outside = first(ends, RankEnd::killedFromOutside);
        Optional<RankEnd> failed = first(ends, end -> end.recorded() && end.code() != 0 && end.errorCode() == 0);
        Optional<RankEnd> unsaid = first(ends, end -> end.recorded() && end.code() == NO_ROOM && end.errorCode() == 0);
        Optional<RankEnd> lost = first(ends, end -> end.errorCode() == LOST);
        boolean launcherWasKilled = job.ranks() > 1
                && launcherStatus == Signals.STATUS_OF_KILLED
                && ends.stream().noneMatch(end -> end.code() == launcherStatus);
        if (launcherWasKilled && outside.isEmpty() && error.isEmpty()) {
            return launcher(folder, job, "signal " + Signals.text(Signals.KILL), Signals.KILL);
        }
        if (job.program().isUsers()) {
            // Ranks may crash when they lose a peer, so the first failure counts; at the same moment, one that was not
            // killed to clean up. MPI_Abort ends its rank with an exit.
            if (error.isPresent()
                    && (crash.isEmpty() || error.get().when() <= crash.get().when())) {
                return own(folder, error.get());
            }
            Optional<RankEnd> failure = ends.stream()
                    .filter(end -> end.recorded() && end.failed() && end.errorCode() == 0)
                    .min(Comparator.comparingLong(RankEnd::when)
                            .thenComparing(end -> end.signal() != 0 && Signals.mayBeCleanUp(end.signal()))
                            .thenComparingInt(RankEnd::rank));
            boolean aborted = failure.isPresent()
                    && failure.get().signal() == Signals.ABRT
                    && crash.isPresent()
                    && crash.get().when() < failure.get().when() + UNSURE;
            Optional<RankEnd> earliest = aborted ? crash : failure;
            if (earliest.isPresent()
                    && earliest.equals(crash)
                    && outside.isPresent()
                    && outside.get().when() < crash.get().when() + UNSURE) {
                return signal(folder, outside.get());
            } else if (earliest.isPresent()) {
                return earliest.get().signal() != 0
                        ? signal(folder, earliest.get())
                        : exit(folder, job, earliest.get());
            }
        }
        if (crash.isPresent() && outside.isPresent()) {
            return signal(folder, outside.get());
        } else if (crash.isPresent() && killed.get().when() >= firstCrash.get().when()) {
            return signal(folder, crash.get());
        } else if (crash.isPresent()) {
            return signal(folder, killed.get()); // before any other had failed: nothing was to be cleaned up yet
        } else if (error.isPresent()) {
            return own(folder, error.get());
        } else if (unsaid.isPresent()
                && (killed.isEmpty() || unsaid.get().when() <= killed.get().when())) {
            return exit(folder, job, unsaid.get());
        } else if (killed.isPresent()) {
            return signal(folder, killed.get());
        } else if (failed.isPresent()) {
            return exit(folder, job, failed.get());
        } else if (lost.isPresent()) {
            return own(folder, lost.get());
        }
        Optional<JobException> abort = abort(folder, job);
        if (abort.isPresent()) {
            return abort.get();
        }
        Optional<RankEnd> silent = first(ends, end -> !end.recorded());
        if (silent.isPresent() && ends.stream().anyMatch(RankEnd::recorded)) {
            return unrecorded(folder, job, silent.get(), launcherStatus);
        }
        String found = launcherStatus == JobRun.STILL_RUNNING
                ? "it still running, and no end of any rank"
                : "exit " + launcherStatus + " before any rank ended";
        return launcher(folder, job, found, null);
    }

    /** Every rank ended with 0 and yet a result is missing or unreadable. */
    static JobException incomplete(JobFolder folder, Job job, int rank, String found) {
        String text = SparkGapException.sentence(
                "rank " + rank + " of " + job.program().name(),
                "a sound done-" + rank + ".json",
                found,
                "Do report this as a bug of the program");
        return new JobException(
                job.program().isUsers() ? LOST : BUG,
                text,
                rank,
                job.rankHosts().get(rank),
                null,
                folder.logTail(rank));
    }

    private static JobException signal(JobFolder folder, RankEnd end) {
        List<String> log = folder.logTail(end.rank());
        String text =
                SparkGapException.sentence(where(end), "exit 0", "signal " + Signals.text(end.signal()), action(log));
        return new JobException(LOST, text, end.rank(), end.host(), end.signal(), log);
    }

    private static JobException own(JobFolder folder, RankEnd end) {
        int code = KNOWN.contains(end.errorCode()) ? end.errorCode() : BUG;
        boolean lost = code == LOST;
        return new JobException(
                code,
                String.valueOf(end.errorMessage()).strip().replaceAll("\\s*\\R\\s*", " "),
                lost ? end.rank() : null,
                lost ? end.host() : null,
                null,
                lost ? folder.logTail(end.rank()) : List.of());
    }

    private static JobException exit(JobFolder folder, Job job, RankEnd end) {
        // 126 and 127: the program could not be started. Any other exit that the contract does not know is a bug of a
        // kernel. What it means in a user's program only the user can say.
        int code = job.program().isUsers()
                ? LOST
                : KNOWN.contains(end.code()) ? end.code() : end.code() == 126 || end.code() == 127 ? LOST : BUG;
        List<String> log = folder.logTail(end.rank());
        String said = log.isEmpty() || code == LOST ? "" : " (" + log.get(log.size() - 1) + ")";
        String text = SparkGapException.sentence(
                where(end),
                "exit 0",
                "exit " + end.code() + said,
                code == LOST ? action(log) : "Do look at the program's log");
        return new JobException(code, text, end.rank(), end.host(), null, log);
    }

    private static JobException unrecorded(JobFolder folder, Job job, RankEnd end, int launcherStatus) {
        List<String> log = folder.logTail(end.rank());
        String host = job.rankHosts().get(end.rank());
        String text = SparkGapException.sentence(
                "rank " + end.rank() + " on host " + host,
                "a record of its end",
                "none: its guard was killed (launcher's exit " + launcherStatus + ")",
                action(log));
        return new JobException(LOST, text, end.rank(), host, null, log);
    }

    /**
     * A program whose folder is full fails of that, whatever error it made of it. A kernel cannot even write its error
     * there.
     */
    private static JobException noRoom(String place, JobException cause) {
        String text = SparkGapException.sentence(
                "files of the program " + place,
                "room for what it writes",
                "a full device (" + cause.text().lines().findFirst().orElse("").replaceAll("\\.$", "") + ")",
                "Do drop tables, or choose a larger device with spark.sparkgap.store.dir");
        return new JobException(NO_ROOM, text, cause.rank(), cause.host(), cause.signal(), cause.logTail());
    }

    /**
     * After MPI_Abort mpiexec kills all guards at once, so no record is written. MPICH names the abort in the log of
     * the rank that called it.
     */
    private static Optional<JobException> abort(JobFolder folder, Job job) {
        for (int rank = 0; rank < job.ranks(); rank++) {
            List<String> log = folder.logTail(rank);
            for (String line : log) {
                Matcher abort = ABORT.matcher(line);
                if (abort.find() && Integer.parseInt(abort.group(2)) == rank) {
                    String text = SparkGapException.sentence(
                            "rank " + rank + " on host " + job.rankHosts().get(rank),
                            "exit 0",
                            "MPI_Abort with " + abort.group(1),
                            action(log));
                    return Optional.of(
                            new JobException(LOST, text, rank, job.rankHosts().get(rank), null, log));
                }
            }
        }
        return Optional.empty();
    }

    private static JobException launcher(JobFolder folder, Job job, String found, Integer signal) {
        List<String> log = folder.launcherTail();
        String what = job.ranks() == 1 ? job.program().guard().getFileName().toString() : "mpiexec";
        String text = SparkGapException.sentence(
                "launch of " + job.program().name(), what + " to end with 0", found, action(log));
        return new JobException(
                LOST, text, null, job.hosts().size() == 1 ? job.rankHosts().get(0) : null, signal, log);
    }

    private static String where(RankEnd end) {
        return "rank " + end.rank() + " on host " + end.host();
    }

    private static String action(List<String> log) {
        return log.isEmpty() ? "Do run again; the rank left no log" : "Do look at the log lines below and run again";
    }

    private static boolean crashed(RankEnd end) {
        return end.signal() != 0 && !Signals.mayBeCleanUp(end.signal());
    }

    private static Optional<RankEnd> first(List<RankEnd> ends, Predicate<RankEnd> kind) {
        return ends.stream()
                .filter(kind)
                .min(Comparator.comparingLong(RankEnd::when).thenComparingInt(RankEnd::rank));
    }
}
