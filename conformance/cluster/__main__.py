# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""`python conformance/cluster up` or `run -- COMMAND`: a cluster for one session at the prompt or one command, gone
with it.
"""

import argparse
import code
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

if not __package__:  # started by the folder's name
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

from cluster import Cluster, ClusterError
from sparkgap.settings import settings_for

NO_CLUSTER = 5


def parse(words):
    parser = argparse.ArgumentParser(
        prog="python conformance/cluster",
        description="A Spark cluster of several hosts on this machine, for as long as it is used. Needs root.",
    )
    sub = parser.add_subparsers(dest="verb", required=True)
    up = sub.add_parser("up", help="a Python prompt with `spark` and `cluster`; it reads from a pipe too")
    run = sub.add_parser(
        "run", help="a command whose Spark, spark-submit and pyspark use it; SPARKGAP_MASTER has its URL"
    )
    for verb in (up, run):
        verb.add_argument("--hosts", type=int, default=3, help="hosts with a worker each (3)")
        verb.add_argument("--cores", type=int, default=2, help="cores that each worker lends (2)")
        verb.add_argument("--memory", default="512m", help="heap of an executor (512m)")
        verb.add_argument(
            "--secret", help="of spark.authenticate: without it Spark's processes trust each other, and do not encrypt"
        )
    run.add_argument("command", nargs="+", help="after --")
    return parser.parse_args(words)


def prompt(cluster):
    """Reads Python until the end of input, or exit()."""
    spark = cluster.session()
    names = {"spark": spark, "cluster": cluster}
    hosts = ", ".join(f"{h.name} {h.address}" for h in cluster.hosts)
    try:
        if sys.stdin.isatty():
            import readline  # noqa: F401  (arrows and history)

            banner = (
                f"{cluster.master}, driver {cluster.driver}, hosts {hosts}\n`spark` is a session on it, `cluster` is"
                " it: cluster.host(1).run('ls /dev/shm'), .cut(), .die()"
            )
            code.interact(banner, local=names, exitmsg="")
        else:
            exec(compile(sys.stdin.read(), "<stdin>", "exec"), {"__name__": "__main__", **names})
    finally:
        spark.stop()
    return 0


def run(cluster, command):
    """The exit status of a command in whose environment Spark's defaults are those of the cluster."""
    with tempfile.TemporaryDirectory(prefix="sparkgap-cluster-") as folder:
        settings = settings_for(cluster.master, conf=cluster.settings)
        Path(folder, "spark-defaults.conf").write_text("".join(f"{k} {v}\n" for k, v in settings.items()))
        environment = {
            "PYSPARK_PYTHON": sys.executable,
            **os.environ,
            "SPARK_CONF_DIR": folder,
            "SPARKGAP_MASTER": cluster.master,
        }
        with subprocess.Popen(command, env=environment) as child:
            try:
                status = child.wait()
            except BaseException:
                child.terminate()
                raise
    return status if status >= 0 else 128 - status


def main(words=None):
    asked = parse(words)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        with Cluster(asked.hosts, asked.cores, asked.memory, secret=asked.secret) as cluster:
            return prompt(cluster) if asked.verb == "up" else run(cluster, asked.command)
    except ClusterError as e:
        print(e, file=sys.stderr)
        return NO_CLUSTER
    except KeyboardInterrupt:
        return 128 + signal.SIGINT


if __name__ == "__main__":
    sys.exit(main())
