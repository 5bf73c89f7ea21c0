# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""One host of a cluster: namespaces, and a shell that is the host's process 1 and keeps them.

The shell reads a pipe that only the process that made the host holds open: when that one ends, however it does, so does
the shell, and with a process 1 the kernel ends all others of its namespace and takes the memory file systems and the
network device away.
"""

import contextlib
import os
import re
import signal as signals
import subprocess
from pathlib import Path

from sparkgap import processes

from .network import marker
from .problem import problem, until

START_S = 30.0
DEATH_S = 20.0

# Arguments: $0 the marker, $1 name, $2 address, $3 size of /dev/shm, then the folders below /tmp that all hosts share.
# A file system is made ready on /dev/shm, which the last one covers, and moved to its place.
KEEPER = r"""
set -e
name=$1 address=$2 size=$3; shift 3
mount -t sysfs sysfs /dev/shm                        # that of this network: devices are looked up in it
[ -d /sys/fs/cgroup ] && mount --rbind /sys/fs/cgroup /dev/shm/fs/cgroup
mount --move /dev/shm /sys
mount -t tmpfs -o mode=1777 tmpfs /dev/shm
for folder; do mkdir -p "/dev/shm${folder#/tmp}"; mount --bind "$folder" "/dev/shm${folder#/tmp}"; done
mount --move /dev/shm /tmp
mount -t tmpfs -o "mode=1777,size=$size" tmpfs /dev/shm
mount -t tmpfs -o mode=0755 tmpfs /run
printf '127.0.0.1 localhost\n%s %s\n' "$address" "$name" > /run/hosts
mount --bind /run/hosts /etc/hosts
hostname "$name"
echo ready
read -r _                                            # the cable is there
ip link set lo up; ip addr add "$address/24" dev eth0; ip link set eth0 up
echo up
read -r _ || true                                    # the end of who made this host
"""


class Host:
    """A host of a Network.

    Parameters
    ----------
    network : Network
    number : int
        1 to 253, unique in the network; the last part of the address.
    name : str
        The host name.
    shared : list of Path
        Folders that the host sees as they are here. Only those below /tmp need be named.
    shm : str
        Size of /dev/shm in mount's form, such as "2g".
    """

    def __init__(self, network, number, name, shared=(), shm="2g"):
        self.number, self.name, self.address = number, name, network.address(number)
        self._network, self._shared, self._shm = network, _below_tmp(shared), shm
        self._keeper = None
        self.init = None

    def start(self):
        """Makes the host; after `die` a new one of the same name and address, with nothing in it. Errors:
        ClusterError.
        """
        words = [
            "unshare",
            "--net",
            "--uts",
            "--ipc",
            "--mount",
            "--pid",
            "--fork",
            "--kill-child",
            "--mount-proc",
            "bash",
            "-c",
            KEEPER,
            marker(self._network.number),
            self.name,
            self.address,
            self._shm,
            *map(str, self._shared),
        ]
        self._network.unplug(self.number)
        # In a session of its own: Ctrl-C at a prompt is not for the hosts.
        self._keeper = subprocess.Popen(
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd="/",
            bufsize=0,
            start_new_session=True,
        )
        try:
            self._expect("ready")
            (self.init,) = self._children()
            self._network.plug(self.number, self.init)
            self._keeper.stdin.write(b"\n")
            self._expect("up")
        except BaseException:
            self.die()
            raise

    @property
    def alive(self):
        """Whether its process 1 is there."""
        return self._keeper is not None and self._keeper.poll() is None

    @property
    def root(self):
        """Its files as seen from here; absolute links in them point to this side's."""
        return Path(f"/proc/{self._living()}/root")

    def run(self, command, timeout_s=60.0, environment=None):
        """The standard output of a command inside: a list of words, or a text for its shell, started in /tmp by root.

        Raises
        ------
        ClusterError
            It did not end in time (it is then killed) or with another status than 0.
        """
        child = self.begin(command, environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            out, err = child.communicate(timeout=timeout_s)
        except subprocess.TimeoutExpired:
            for process in processes.tree(child.pid)[::-1]:
                os.kill(process.pid, signals.SIGKILL)
            child.communicate()
            raise problem(
                f"host {self.name}",
                f"{command!r} to end in {timeout_s:g} s",
                "it still running",
                "Do look why it hangs",
            ) from None
        if child.returncode != 0:
            raise problem(
                f"host {self.name}",
                f"{command!r} to succeed",
                f"exit {child.returncode}: {err.strip()[-500:]}",
                "Do look at what it says",
            )
        return out

    def begin(self, command, environment=None, **options):
        """Starts a command inside, with little more than PATH for its environment; a Popen with `options`, whose child
        it is.
        """
        words = ["bash", "-c", command] if isinstance(command, str) else [str(w) for w in command]
        enter = ["nsenter", "-t", str(self._living()), "--net", "--uts", "--ipc", "--mount", "--pid", "--"]
        inside = {
            "PATH": os.environ["PATH"],
            "HOME": os.environ.get("HOME", "/root"),
            "LANG": "C.UTF-8",
            **(environment or {}),
        }
        at_home = ["bash", "-c", 'cd /tmp; exec "$@"', "bash"]
        return subprocess.Popen(
            [*enter, *at_home, *words], env=inside, stdin=subprocess.DEVNULL, start_new_session=True, **options
        )

    def pids(self, pattern="."):
        """The processes inside whose command line matches, by their number on this side, sorted; process 1 is not among
        them.
        """
        own = _namespace(self._living())
        found = [p for p in processes.everyone() if p.state != "Z" and p.pid != self.init and _namespace(p.pid) == own]
        return sorted(p.pid for p in found if re.search(pattern, p.command()))

    def kill(self, pid, signal=signals.SIGKILL):
        """Sends a signal to one of its processes, and returns from SIGKILL when it has ended. Errors: ClusterError
        where it is none of this host's.
        """
        if pid == self.init or _namespace(pid) != _namespace(self._living()):
            raise problem(
                f"host {self.name}", "the number of one of its processes", f"{pid}", "Do take one that pids() gives"
            )
        os.kill(pid, signal)
        if signal == signals.SIGKILL:  # a JVM takes a while to give its memory back, and lives until then
            until(f"process {pid} to end", lambda: pid not in self.pids(), DEATH_S, found=lambda: "it still there")

    def die(self):
        """As if the power went: all processes, all of /dev/shm, /tmp and /run, and the network device. Nothing where it
        is dead.
        """
        if self._keeper is None:
            return
        # unshare ends with process 1, which ends when the last process of its namespace is gone.
        for pid in self._children() or [self._keeper.pid]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signals.SIGKILL)
        try:
            self._keeper.wait(DEATH_S)
        except subprocess.TimeoutExpired:
            raise problem(
                f"host {self.name}", f"its end within {DEATH_S:g} s", "it alive", "Do look for processes in state D"
            ) from None
        self._keeper.stdin.close()
        self._keeper.stdout.close()
        self._keeper = self.init = None
        self._network.unplug(self.number)

    def cut(self):
        """Takes its cable out: nothing comes or goes, and nobody is told."""
        self._network.switch(self.number, False)

    def join(self):
        """Puts the cable in again, and waits for the host to see it: the kernel takes up to a second, and MPI uses only
        devices that run.
        """
        self._network.switch(self.number, True)
        if self.alive:
            until(f"eth0 of {self.name} to be up", lambda: self._device() == "up", START_S, found=self._device)

    def _device(self):
        return (self.root / "sys/class/net/eth0/operstate").read_text().strip()

    def files(self, *folders):
        """What lies in /dev/shm and /tmp (or other folders): files, links, sockets and empty folders, as the host names
        them, sorted.
        """
        found = []
        for folder in folders or ("/dev/shm", "/tmp"):
            top = self.root / folder.lstrip("/")
            device = top.stat().st_dev
            for at, below, names in os.walk(top):
                if not below and not names and Path(at) != top:
                    found.append(at)
                found += [os.path.join(at, n) for n in names]
                # What is mounted from this side is not the host's own.
                below[:] = [b for b in below if _device(os.path.join(at, b)) == device]
        return sorted("/" + os.path.relpath(f, self.root) for f in found)

    def _living(self):
        if not self.alive:
            raise problem(f"host {self.name}", "a host that is up", "it dead", "Do start() it")
        return self.init

    def _children(self):
        try:
            return [
                int(w) for w in Path(f"/proc/{self._keeper.pid}/task/{self._keeper.pid}/children").read_text().split()
            ]
        except OSError:
            return []

    def _expect(self, word):
        """The next line of the keeper, which says nothing before it but errors."""
        os.set_blocking(self._keeper.stdout.fileno(), False)
        said = b""

        def line():
            nonlocal said
            said += self._keeper.stdout.read() or b""
            return said.endswith(b"\n") and (word.encode() in said.split() or self._keeper.poll() is not None)

        until(
            f"host {self.name} {word}", line, START_S, found=lambda: said.decode(errors="replace").strip() or "silence"
        )
        if word.encode() not in said.split():
            raise problem(
                f"host {self.name}",
                f"to be {word}",
                said.decode(errors="replace").strip(),
                "Do look whether this container may mount",
            )


def _below_tmp(folders):
    """Those that a host's own /tmp would hide. Errors: ClusterError for one that is memory of a host by its place."""
    resolved = sorted({Path(f).resolve() for f in folders})
    for folder in resolved:
        if folder.is_relative_to("/dev/shm") or folder.is_relative_to("/run") or folder == Path("/tmp"):
            raise problem(
                "Cluster",
                "shared folders outside /dev/shm and /run, and not all of /tmp",
                str(folder),
                "Do put it elsewhere",
            )
    hidden = [f for f in resolved if f.is_relative_to("/tmp")]
    return [f for f in hidden if not any(f != other and f.is_relative_to(other) for other in hidden)]


def _device(path):
    try:
        return os.lstat(path).st_dev
    except OSError:
        return None  # it went meanwhile


def _namespace(pid):
    try:
        return os.readlink(f"/proc/{pid}/ns/pid")
    except OSError:
        return None
