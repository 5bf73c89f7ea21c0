# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""`sparkgap cluster run --hosts FILE` on two hosts without a batch system, by ssh as it is."""

import json
import subprocess
import sys

import pytest
from cluster.cluster import everywhere
from cluster.daemon import JVM
from cluster.host import Host
from cluster.network import Network
from conftest import PATIENCE, require_hosts, wait_for

APPLICATION = """
import json, socket, time
from pyspark.sql import SparkSession
import sparkgap
spark = SparkSession.builder.getOrCreate()
sc = spark.sparkContext
while len(sc._jsc.sc().statusTracker().getExecutorInfos()) < 3:
    time.sleep(0.1)
hosts = sc.parallelize(range(64), 64).map(lambda _: socket.gethostname()).distinct().collect()
edges = spark.range(0, 10000, 1, 4).selectExpr("id as src", "id * 7 % 10000 as dst")
ranks = sparkgap.graph.pagerank(edges, progress=False)
print("SAID", json.dumps([sorted(hosts), ranks.count(), sparkgap.last_call().ranks]), flush=True)
spark.stop()
"""
# Keys of this test alone, as the client and the server of each host know them.
CLIENT = """
Host *
  IdentityFile {place}/key
  IdentitiesOnly yes
  GlobalKnownHostsFile {place}/known
  UserKnownHostsFile none
  LogLevel ERROR
"""
SERVER = """
HostKey {place}/key
AuthorizedKeysFile {place}/key.pub
StrictModes no
PermitRootLogin prohibit-password
PasswordAuthentication no
UsePAM no
PidFile none
"""


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    """Two hosts that know each other's names, with an ssh server on each."""
    require_hosts()
    place = tmp_path_factory.mktemp("ssh")
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", place / "key"], check=True)
    (place / "known").write_text(f"* {(place / 'key.pub').read_text()}")
    (place / "ssh_config").write_text(CLIENT.format(place=place))
    (place / "sshd_config").write_text(SERVER.format(place=place))
    network = Network()
    hosts = [Host(network, n, f"n{n}", [*everywhere(), tmp_path_factory.getbasetemp()]) for n in (1, 2)]
    names = "".join(f"{host.address} {host.name}\n" for host in hosts)
    try:
        for host in hosts:
            host.start()
            host.run(f"echo '{names}' >> /etc/hosts; mkdir -p /run/sshd; mount --bind {place} /etc/ssh")
            quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
            host.begin(["/usr/sbin/sshd", "-D", "-f", "/etc/ssh/sshd_config"], **quiet)
        for host in hosts:
            wait_for("ssh", lambda: answers(hosts[0], host.name))  # noqa: B023
        yield hosts
    finally:
        for host in hosts:
            host.die()
        network.close()


def answers(host, name):
    return host.begin(["ssh", "-o", "BatchMode=yes", name, "true"]).wait(30) == 0


def run(pair, place, *names):
    (place / "hosts").write_text("\n".join(names) + "\n")
    (place / "app.py").write_text(APPLICATION)
    options = ["--no-probe", "--hosts", place / "hosts", "--folder", place / "cluster"]
    for setting in ("executor.memory=512m", "driver.memory=512m", f"executor.extraJavaOptions={JVM}"):
        options += ["--conf", f"spark.{setting}"]
    words = [sys.executable, "-m", "sparkgap", "cluster", "run", *options, "--", sys.executable, place / "app.py"]
    running = pair[0].begin(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return running.communicate(timeout=150 * PATIENCE)[0], running.returncode


def left(pair):
    """Processes and files of a cluster on both hosts; Java leaves a folder for its counters."""
    found = [each for host in pair for each in [*host.pids("sparkgap|java"), *host.files()]]
    return [each for each in found if "hsperfdata" not in str(each)]


def test_a_program_on_hosts_of_a_list(pair, tmp_path):
    out, status = run(pair, tmp_path, "n1", "n2")
    assert status == 0, out
    (said,) = [line for line in out.splitlines() if line.startswith("SAID ")]
    assert json.loads(said.removeprefix("SAID ")) == [["n1", "n2"], 10000, 2]
    wait_for("nothing of it", lambda: not left(pair), found=lambda: left(pair))


def test_a_host_that_is_not_there(pair, tmp_path):
    out, status = run(pair, tmp_path, "n1", "n7")
    assert status != 0 and "n7" in out and "hostname" in out, out
    wait_for("nothing of it", lambda: not left(pair), found=lambda: left(pair))
