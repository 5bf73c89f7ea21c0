# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""The hosts that the tests of several hosts run on: apart from each other, able to die and to be cut off, gone with who
made them.
"""

import os
import signal
import socket
import subprocess
import sys
import threading

import pytest
from cluster import ClusterError, Host
from cluster.network import Network
from conftest import ROOT, require_hosts, wait_for

from sparkgap import processes

FORM = r"^[^:]+: expected .*, found .*\. .+"
OWNER = (
    "import sys, time\n"
    "from cluster import Host\n"
    "from cluster.network import Network\n"
    "network = Network()\n"
    "host = Host(network, 1, 'forlorn')\n"
    "host.start()\n"
    "host.begin('sleep 600')\n"
    "print(network.bridge, host.init, flush=True)\n"
    "time.sleep(600)\n"
)


@pytest.fixture(scope="module")
def network():
    """A network of this test's own, beside that of the cluster."""
    require_hosts()
    made = Network()
    yield made
    made.close()


@pytest.fixture
def pair(network):
    made = [Host(network, i, f"plain{i}", [ROOT]) for i in (1, 2)]
    try:
        for host in made:
            host.start()
        yield made
    finally:
        for host in made:
            host.die()


def listener(host, port=4000):
    """A process that listens in a host, and writes what it gets to /tmp/heard."""
    code = (
        f"import socket; c = socket.create_server(('', {port})).accept()[0]; said = c.recv(9); open('/tmp/heard',"
        " 'wb').write(said); c.recv(9)"
    )
    host.begin([sys.executable, "-c", code])
    wait_for(
        "the port",
        lambda: f":{port}" in host.run(["bash", "-c", f"grep -i ':{port:04X} ' /proc/net/tcp && echo :{port} || true"]),
    )
    return host.address, port


def test_hosts_are_apart(pair):
    first, second = pair
    assert [h.run("hostname").strip() for h in pair] == ["plain1", "plain2"]
    assert [h.run("cat /proc/sys/kernel/hostname; getent hosts $(hostname)").split() for h in pair] == [
        [h.name, h.address, h.name] for h in pair
    ]
    assert socket.gethostname() not in ("plain1", "plain2")
    first.run("echo 1 > /dev/shm/mine; mkdir -p /tmp/a/b; echo 1 > /tmp/a/c; ipcmk --shmem 4096 >/dev/null")
    assert first.files() == ["/dev/shm/mine", "/tmp/a/b", "/tmp/a/c"]
    assert second.files() == []
    assert not os.path.exists("/dev/shm/mine")
    assert (first.root / "dev/shm/mine").read_text() == "1\n"
    segments = [h.run("ipcs --shmems | grep -c 0x || true").strip() for h in pair]
    assert segments == ["1", "0"]
    assert first.run("ps -e -o pid= | wc -l").strip() == "4", "bash, and the shell that runs ps and wc"
    for host in pair:
        assert host.run("cd /sys/class/net && echo *").split() == ["eth0", "lo"]
        assert host.run(["test", "-f", ROOT / "VERSION"]) == "", "the checkout is there under its own name"
    assert processes.tree()[0].pid == os.getpid(), "and this process is nowhere else"


def test_messages_cross_and_a_cut_cable_stops_them(pair):
    first, second = pair
    where = listener(second)
    with socket.create_connection(where, timeout=10) as line:
        second.cut()
        line.sendall(b"early")
        with pytest.raises(OSError):
            socket.create_connection(where, timeout=0.5)
        assert "/tmp/heard" not in second.files(), "which was sent before that one was asked for"
        second.join()
        wait_for(
            "the message",
            lambda: "/tmp/heard" in second.files() and (second.root / "tmp/heard").read_bytes() == b"early",
        )
    where = listener(first, 4001)
    assert second.run(f"exec 3<>/dev/tcp/{where[0]}/{where[1]}; echo hello >&3; echo sent") == "sent\n"


def test_processes_of_a_host(pair):
    first, second = pair
    first.begin("sleep 601 & sleep 602")
    found = wait_for("both", lambda: len(first.pids("^sleep 60")) == 2 and first.pids("^sleep 60"))
    assert second.pids() == []
    assert os.readlink(f"/proc/{found[0]}/ns/pid") != os.readlink("/proc/self/ns/pid")
    with pytest.raises(ClusterError, match=FORM):
        second.kill(found[0])
    first.kill(first.pids("^sleep 601")[0])
    assert not first.pids("^sleep 601"), "kill returns when it has ended"
    assert first.pids("^sleep 602")
    first.run("(sleep 0.01 &)")
    wait_for(
        "its orphan to be waited for by process 1",
        lambda: "sleep 0.01" not in (seen := first.run("ps -e -o stat=,args=")) and "Z" not in seen,
    )


def test_commands_end(pair):
    first, _ = pair
    with pytest.raises(
        ClusterError, match=r"host plain1: expected 'echo no >&2; exit 3' to succeed, found exit 3: no\. Do"
    ):
        first.run("echo no >&2; exit 3")
    with pytest.raises(ClusterError, match="found it still running"):
        first.run("sleep 600", timeout_s=0.5)
    wait_for("nothing left of it", lambda: first.pids() == [])
    assert {v.split("=")[0] for v in first.run("env").splitlines()} <= {
        "PATH",
        "HOME",
        "LANG",
        "PWD",
        "OLDPWD",
        "SHLVL",
        "_",
    }


def test_death_and_a_new_one(pair):
    first, second = pair
    first.run("echo 1 > /dev/shm/mine")
    first.begin("sleep 600")
    (sleeper,) = wait_for("it", lambda: first.pids("^sleep"))
    where = listener(first)
    with socket.create_connection(where, timeout=10):
        first.die()
    assert not os.path.exists(f"/proc/{sleeper}")
    assert not first.alive
    with pytest.raises(ClusterError, match="found it dead"):
        first.run("true")
    first.die()
    assert second.run("hostname").strip() == "plain2"
    first.start()
    assert (first.files(), first.pids()) == ([], [])
    assert second.run(f"exec 3<>/dev/tcp/{listener(first)[0]}/4000; echo yes") == "yes\n", "and it is reached"


def test_a_host_outlives_the_thread_that_started_it(network):
    host = Host(network, 9, "plain9")
    thread = threading.Thread(target=host.start)
    thread.start()
    number = thread.native_id
    thread.join(60)
    wait_for("the thread's end", lambda: not os.path.exists(f"/proc/self/task/{number}"))
    assert host.run("hostname") == "plain9\n"
    host.die()


def test_what_a_killed_owner_leaves_goes(network):
    child = subprocess.Popen([sys.executable, "-c", OWNER], stdout=subprocess.PIPE, text=True, cwd=ROOT / "conformance")
    bridge, init = child.stdout.readline().split()
    below = {p.pid for p in processes.tree(child.pid)} | {p.pid for p in processes.tree(int(init))}
    assert len(below) >= 4
    assert bridge != network.bridge
    child.send_signal(signal.SIGKILL)
    child.wait(10)
    wait_for("its hosts' end", lambda: not [p for p in processes.everyone() if p.pid in below and p.state != "Z"])
    assert os.path.exists(f"/sys/class/net/{bridge}"), "only the bridge is left"
    Network().close()
    assert not os.path.exists(f"/sys/class/net/{bridge}")
    assert os.path.exists(f"/sys/class/net/{network.bridge}"), "that of the living stays"


def test_without_root():
    code = "import os; from cluster import missing; os.seteuid(65534); print(missing())"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT / "conformance", timeout=60
    )
    expected = "uid 65534. Do run as root" if os.geteuid() == 0 else "Do run as root"
    assert expected in done.stdout, done.stderr
