# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""A daemon of a cluster's manager, on a host of its own."""

from pathlib import Path

from .problem import problem, until

ROOT = Path(__file__).resolve().parent.parent.parent
END_S = 90.0
FOLDER = "/run/spark"
# Daemons live for a test session: the second compiler would cost more than it earns. hsperfdata files would be in
# everybody's way. Executors have the classes that `make` keeps for them (dev/class_archive.py).
JVM = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:-UsePerfData"
if (ARCHIVE := ROOT / "build" / "executor.jsa").exists():
    JVM += f" -Xlog:disable -XX:SharedArchiveFile={ARCHIVE} -XX:+UnlockDiagnosticVMOptions -XX:ArchiveRelocationMode=0"


class Daemon:
    """A process that runs on a host and is known by a pattern of its command line; its words are in `log` there."""

    def __init__(self, host, kind, command, environment, pattern):
        self.host, self.kind, self._pattern = host, kind, pattern
        self.log = f"{FOLDER}/{kind}.log"
        shell = f'mkdir -p {FOLDER} && exec >>{self.log} 2>&1 && exec "$0" "$@"'
        self._child = host.begin(["bash", "-c", shell, *command], environment)

    @property
    def pid(self):
        """Its process. Errors: ClusterError where there is none."""
        found = self.host.pids(rf"java .*{self._pattern}")
        if len(found) != 1:
            raise problem(
                f"host {self.host.name}", f"one {self.kind}", f"{len(found)}", f"Do look at its words: {self.tail()}"
            )
        return found[0]

    @property
    def alive(self):
        return self._child.poll() is None

    @property
    def there(self):
        """Whether the host has a process of it; what entered the host for it ends a moment later than that."""
        return self.alive and bool(self.host.pids(self._pattern))

    def tail(self):
        """The end of its log."""
        try:
            return (self.host.root / self.log.lstrip("/")).read_text(errors="replace")[-800:].strip() or "silence"
        except (OSError, RuntimeError):
            return "nothing left of it"

    def close(self):
        """Waits until the processes that died with the host are gone."""
        self._child.wait(END_S)


def words_of(daemons):
    """What they say last, for an error."""
    return " | ".join(f"{d.host.name} says: {d.tail()}" for d in daemons)


def until_registered(daemons, known, seconds):
    """Returns when the manager knows just the hosts of these: `known` gives their addresses, sorted. Errors:
    ClusterError with what the one that has ended, or all, say.
    """
    expected = sorted(d.host.address for d in daemons)

    def there():
        dead = [d for d in daemons if not d.alive]
        if dead:
            one = dead[0]
            action = f"Do look at its words: {one.tail()}"
            raise problem(f"host {one.host.name}", f"a {one.kind} that lives", "it ended", action)
        return known() == expected

    until(f"{daemons[0].kind}s on {', '.join(expected)}", there, seconds, found=lambda: words_of(daemons))
