# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""A Hadoop of one node on this host: HDFS, YARN and MapReduce as they are installed, on the loopback interface."""

import contextlib
import json
import os
import shutil
import subprocess
import time
import urllib.request
from pathlib import Path
from xml.sax.saxutils import escape

from sparkgap import environment

ROOT = Path(__file__).resolve().parent.parent
JARS = ROOT / "build" / "hadoop-installed"
COPY_S, START_S, CALL_S = 900, 120, 120
PAGE = 18088
URL = "hdfs://127.0.0.1:18020"
SERVER = "org.apache.hadoop"
SCHEDULER = f"{SERVER}.yarn.server.resourcemanager.scheduler"
DAEMONS = {
    "namenode": f"{SERVER}.hdfs.server.namenode.NameNode",
    "datanode": f"{SERVER}.hdfs.server.datanode.DataNode",
    "resourcemanager": f"{SERVER}.yarn.server.resourcemanager.ResourceManager",
    "nodemanager": f"{SERVER}.yarn.server.nodemanager.NodeManager",
}
LOG = """log4j.rootLogger=WARN,console
log4j.appender.console=org.apache.log4j.ConsoleAppender
log4j.appender.console.target=System.err
log4j.appender.console.layout=org.apache.log4j.PatternLayout
log4j.appender.console.layout.ConversionPattern=%d{ISO8601} %p %c: %m%n
"""
FLAGS = ["-Xmx400m", "-XX:+UseSerialGC"]


class Hadoop:
    """The daemons, and what clients need; all files are below one folder.

    Parameters
    ----------
    memory_mb : int
        What the containers of the node have together.
    """

    def __init__(self, folder, memory_mb):
        self.folder = Path(folder)
        self.conf = self.folder / "conf"
        self.daemons = []
        _copy_jars()
        self.conf.mkdir()
        for name in ("hdfs", "datanode"):  # the NameNode and the DataNode look for their pages
            (self.conf / "webapps" / name).mkdir(parents=True)
        (self.conf / "log4j.properties").write_text(LOG)
        for name, properties in self._properties(memory_mb).items():
            lines = (
                f"<property><name>{key}</name><value>{escape(str(value))}</value></property>"
                for key, value in properties.items()
            )
            (self.conf / f"{name}-site.xml").write_text(f"<configuration>{''.join(lines)}</configuration>")

    def _properties(self, memory_mb):
        host = "127.0.0.1"
        return {
            "core": {"fs.defaultFS": URL, "hadoop.tmp.dir": self.folder / "tmp"},
            "hdfs": {
                "dfs.replication": 1,
                "dfs.blocksize": 64 << 20,
                "dfs.namenode.http-address": f"{host}:0",
                "dfs.datanode.address": f"{host}:0",
                "dfs.datanode.http.address": f"{host}:0",
                "dfs.datanode.ipc.address": f"{host}:0",
                "dfs.namenode.name.dir": f"file://{self.folder}/name",
                "dfs.datanode.data.dir": f"file://{self.folder}/data",
                "dfs.permissions.enabled": "false",
            },
            "yarn": {
                "yarn.resourcemanager.hostname": host,
                "yarn.resourcemanager.bind-host": host,
                "yarn.resourcemanager.scheduler.class": f"{SCHEDULER}.fifo.FifoScheduler",
                "yarn.resourcemanager.webapp.address": f"{host}:{PAGE}",
                "yarn.nodemanager.hostname": host,
                "yarn.nodemanager.bind-host": host,
                "yarn.nodemanager.webapp.address": f"{host}:0",
                "yarn.nodemanager.aux-services": "mapreduce_shuffle",
                "yarn.nodemanager.resource.memory-mb": memory_mb,
                "yarn.nodemanager.resource.cpu-vcores": 8,
                "yarn.nodemanager.vmem-check-enabled": "false",
                "yarn.nodemanager.disk-health-checker.enable": "false",
                "yarn.nodemanager.local-dirs": self.folder / "local",
                "yarn.nodemanager.log-dirs": self.folder / "logs",
                "yarn.scheduler.minimum-allocation-mb": 128,
                "yarn.application.classpath": f"{self.conf},{JARS}/*",
            },
            "mapred": {
                "mapreduce.framework.name": "yarn",
                "mapreduce.application.classpath": f"{self.conf},{JARS}/*",
                "mapreduce.shuffle.port": 0,
                "yarn.app.mapreduce.am.resource.mb": 512,
                "yarn.app.mapreduce.am.command-opts": "-Xmx400m",
                "mapreduce.map.memory.mb": 1024,
                "mapreduce.reduce.memory.mb": 1024,
                "mapreduce.map.java.opts": "-Xmx800m",
                "mapreduce.reduce.java.opts": "-Xmx800m",
                # Hadoop's local runner: as many tasks at once as there are cores.
                "mapreduce.local.map.tasks.maximum": environment.cores(),
                "mapreduce.local.reduce.tasks.maximum": environment.cores(),
            },
        }

    def java(self, *words, flags=()):
        return [environment.java(), *flags, "-cp", f"{self.conf}:{JARS}/*", *map(str, words)]

    def variables(self):
        return {**os.environ, "HADOOP_CONF_DIR": str(self.conf), "JAVA_HOME": _java_home()}

    def __enter__(self):
        try:
            words = self.java(DAEMONS["namenode"], "-format", "-force", "-nonInteractive", flags=FLAGS)
            subprocess.run(words, check=True, capture_output=True, timeout=CALL_S, env=self.variables())
            for name, main in DAEMONS.items():
                with (self.folder / f"{name}.log").open("wb") as log:
                    words = self.java(main, flags=FLAGS)
                    self.daemons.append(
                        subprocess.Popen(words, stdout=log, stderr=subprocess.STDOUT, env=self.variables())
                    )
            self._until_up()
        except BaseException:
            self.__exit__()
            raise
        return self

    def _until_up(self):
        end = time.monotonic() + START_S
        while time.monotonic() < end:
            with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
                url = f"http://127.0.0.1:{PAGE}/ws/v1/cluster/nodes"
                with urllib.request.urlopen(url, timeout=5) as page:
                    nodes = json.load(page)["nodes"]["node"]
                if [node["state"] for node in nodes] == ["RUNNING"]:
                    self.files("-mkdir", "-p", "/user/bench")
                    return
            time.sleep(0.5)
        raise RuntimeError(f"Hadoop: expected its node within {START_S} s; its logs are in {self.folder}")

    def files(self, *words):
        """What `hdfs dfs` gives."""
        flags = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"]
        words = self.java("org.apache.hadoop.fs.FsShell", *words, flags=flags)
        done = subprocess.run(words, check=True, capture_output=True, timeout=CALL_S, env=self.variables())
        return done.stdout

    def __exit__(self, *_):
        for daemon in reversed(self.daemons):
            daemon.kill()
        for daemon in self.daemons:
            daemon.wait(CALL_S)


def _java_home():
    return str(Path(environment.java()).resolve().parent.parent)


def _copy_jars():
    if list(JARS.glob("hadoop-mapreduce-examples-*.jar")):
        return
    pom = Path(__file__).with_name("hadoop.pom.xml")
    goal = ["dependency:copy-dependencies", "-DincludeScope=runtime", f"-DoutputDirectory={JARS}"]
    shutil.rmtree(JARS, ignore_errors=True)
    subprocess.run(["mvn", "--batch-mode", "--quiet", "-f", pom, *goal], check=True, timeout=COPY_S)
