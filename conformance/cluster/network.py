# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""The cables of a cluster: one bridge, on the driver's side, and a pair of virtual devices for each host.

A process takes a number, which names its bridge and its addresses, by an abstract socket: it is known in just this
network namespace, which is where the names must differ, and the kernel gives it back however the process ends. What
carries a number that nobody holds is what a dead process has left, and goes at the next start.
"""

import ipaddress
import json
import os
import re
import signal
import socket
from pathlib import Path

from .problem import ClusterError, command, problem

NUMBERS = range(1, 255)
BRIDGE = re.compile(r"gap(\d+)")
DRIVER = 254


def marker(number):
    """The word in the command line of all keepers of a cluster's hosts."""
    return f"sparkgap-cluster-{number}"


class Network:
    """A bridge with an address of this process. `close` removes it, and every cable in it."""

    def __init__(self):
        sweep()
        self._lock, self.number = _take_free()
        self.bridge = f"gap{self.number}"
        self.driver = self.address(DRIVER)
        try:
            _remove(self.number)
            command("ip", "link", "add", self.bridge, "type", "bridge")
            command("ip", "addr", "add", f"{self.driver}/24", "dev", self.bridge)
            command("ip", "link", "set", self.bridge, "up")
        except ClusterError:
            self.close()
            raise

    def address(self, host):
        """The address of host 1, 2, ... of this network."""
        return f"10.78.{self.number}.{host}"

    def cable(self, host):
        """The name of a host's cable at the bridge."""
        return f"{self.bridge}-{host}"

    def plug(self, host, pid):
        """Lays a cable into the network namespace of a process, where it is called eth0."""
        name, far = self.cable(host), f"{self.cable(host)}x"
        command("ip", "link", "add", name, "type", "veth", "peer", "name", far)
        command("ip", "link", "set", far, "netns", pid, "name", "eth0")
        command("ip", "link", "set", name, "master", self.bridge, "up")

    def switch(self, host, on):
        """Cuts or joins a cable; both ends go on to believe in their connections."""
        command("ip", "link", "set", self.cable(host), "up" if on else "down")

    def unplug(self, host):
        """Removes a cable at once; without that the kernel does it some time after the host's death."""
        _delete(self.cable(host))

    def close(self):
        _remove(self.number)
        self._lock.close()


def sweep():
    """Removes what dead processes have left."""
    for number in {int(m.group(1)) for m in map(BRIDGE.fullmatch, _links()) if m}:
        lock = _take(number)
        if lock is not None:
            with lock:
                _remove(number)


def _take(number):
    lock = socket.socket(socket.AF_UNIX)
    try:
        lock.bind(f"\0{marker(number)}")
    except OSError:
        lock.close()
        return None
    return lock


def _take_free():
    routes = json.loads(command("ip", "-json", "-4", "route", "show", "table", "all"))
    known = [r["dst"] for r in routes if r["dst"] != "default" and not BRIDGE.fullmatch(r.get("dev", ""))]
    used = [ipaddress.ip_network(dst, strict=False) for dst in known]
    for number in NUMBERS:
        if any(ipaddress.ip_network(f"10.78.{number}.0/24").overlaps(other) for other in used):
            continue
        lock = _take(number)
        if lock is not None:
            return lock, number
    raise problem(
        "Cluster",
        "a free network among 10.78.1.0/24 to 10.78.254.0/24",
        "all in use",
        "Do end other clusters or remove routes to 10.78.0.0/16",
    )


def _links():
    return [link["ifname"] for link in json.loads(command("ip", "-json", "link"))]


def _remove(number):
    word = marker(number).encode()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and entry.name != str(os.getpid()):
            try:
                if word in (entry / "cmdline").read_bytes().split(b"\0"):
                    os.kill(int(entry.name), signal.SIGKILL)
            except (OSError, ProcessLookupError):
                continue  # it ended meanwhile
    for name in _links():
        if name.startswith(f"gap{number}-"):
            _delete(name)
    _delete(f"gap{number}")


def _delete(name):
    if name in _links():
        try:
            command("ip", "link", "del", name)
        except ClusterError:
            if name in _links():  # else the kernel was faster: it takes the cables of hosts that have died
                raise
