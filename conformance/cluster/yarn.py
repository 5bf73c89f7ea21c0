# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Hadoop's own ResourceManager and NodeManagers, each on its host; Spark's applications run in their containers.

The daemons are of hadoop-client-minicluster, which needs no installation; their class path has Spark's jars for the
rest. Containers see this side's files under the same names, so that nothing is uploaded but the application's own.
"""

import atexit
import json
import os
import shutil
import subprocess
import sys
import urllib.request
from pathlib import Path
from xml.sax.saxutils import escape

from .daemon import FOLDER, JVM, Daemon, until_registered, words_of
from .problem import problem, until
from .standalone import ROOT, SPARK_HOME

JARS = ROOT / "build" / "yarn"
PAGE = 8088
NODE_PORT = 8041
START_S = 120.0
COPY_S = 600
# A node that is silent for so long is lost.
EXPIRY_S = 20
MEMORY_MB = 1800
# Of the daemons and of the client; hosts see this checkout.
CONFIGURATION = ROOT / "build" / f"yarn-{os.getpid()}"


def url(_):
    """What a session takes for its master; where that is stands in HADOOP_CONF_DIR."""
    return "yarn"


def application():
    """What an application's settings say of this manager."""
    os.environ["HADOOP_CONF_DIR"] = str(CONFIGURATION)
    return {
        "spark.executor.extraJavaOptions": JVM,
        "spark.yarn.am.extraJavaOptions": JVM,
        "spark.yarn.am.memory": "256m",
        "spark.yarn.jars": f"local:{SPARK_HOME}/jars/*",
        "spark.yarn.stagingDir": f"file://{CONFIGURATION}/staging",
        "spark.network.timeout": f"{2 * EXPIRY_S}s",
        "spark.network.timeoutInterval": f"{EXPIRY_S}s",
        "spark.executor.heartbeatInterval": "4s",
    }


def master(host, settings=None):
    """A ResourceManager that answers. Errors: ClusterError."""
    _copy_jars()
    _configure(host)
    made = _daemon(host, "resourcemanager", "ResourceManager", "-Xmx400m", CONFIGURATION)
    until("the ResourceManager to answer", lambda: _nodes(host) is not None, START_S, found=lambda: words_of([made]))
    return made


def worker(host, master_host, cores, settings=None):
    """A NodeManager, which registers a moment later."""
    folder = CONFIGURATION / host.name
    folder.mkdir(exist_ok=True)
    shutil.copy(CONFIGURATION / "core-site.xml", folder)
    own = {
        **_common(master_host),
        "yarn.nodemanager.hostname": host.address,
        # The same one again, so that the ResourceManager knows at once whose containers are lost.
        "yarn.nodemanager.address": f"{host.address}:{NODE_PORT}",
        "yarn.nodemanager.bind-host": host.address,
        "yarn.nodemanager.resource.cpu-vcores": cores,
    }
    _write(folder / "yarn-site.xml", own)
    return _daemon(host, "nodemanager", "NodeManager", "-Xmx300m", folder)


def registered(master_host, workers):
    """Returns when the ResourceManager counts just these nodes as running. Errors: ClusterError."""
    until_registered(workers, lambda: alive_workers(master_host), START_S)


def alive_workers(master_host):
    """The addresses of the nodes that run, sorted."""
    return sorted(node["nodeHostName"] for node in _nodes(master_host) or [] if node["state"] == "RUNNING")


def _nodes(master_host):
    """What the ResourceManager says of its nodes; None where it does not answer."""
    try:
        with urllib.request.urlopen(f"http://{master_host.address}:{PAGE}/ws/v1/cluster/nodes", timeout=5) as page:
            return (json.load(page)["nodes"] or {}).get("node", [])
    except (OSError, ValueError):
        return None


def _daemon(host, package, name, heap, folder):
    path = os.pathsep.join([str(folder), f"{JARS}/*", f"{SPARK_HOME}/jars/*"])
    names = CONFIGURATION / "names"
    java = [shutil.which("java"), heap, *JVM.split(), f"-Dhadoop.log.dir={FOLDER}", f"-Djdk.net.hosts.file={names}"]
    main = f"org.apache.hadoop.yarn.server.{package}.{name}"
    environment = {"HADOOP_CONF_DIR": str(folder), "PYSPARK_PYTHON": sys.executable}
    return Daemon(host, name.lower(), [*java, "-cp", path, main], environment, rf"{main}$".replace(".", r"\."))


def _common(master_host):
    scheduler = "org.apache.hadoop.yarn.server.resourcemanager.scheduler"
    return {
        "yarn.resourcemanager.hostname": master_host.address,
        "yarn.resourcemanager.bind-host": master_host.address,
        "yarn.resourcemanager.scheduler.class": f"{scheduler}.fifo.FifoScheduler",
        "yarn.nm.liveness-monitor.expiry-interval-ms": EXPIRY_S * 1000,
        "yarn.nodemanager.local-dirs": f"{FOLDER}/local",
        "yarn.nodemanager.log-dirs": f"{FOLDER}/logs",
        "yarn.nodemanager.resource.memory-mb": MEMORY_MB,
        "yarn.nodemanager.vmem-check-enabled": "false",
        # What a container takes beyond its limit ends it.
        "yarn.nodemanager.pmem-check-enabled": "true",
        "yarn.nodemanager.disk-health-checker.enable": "false",
        "yarn.nodemanager.delete.debug-delay-sec": 0,
        "yarn.scheduler.minimum-allocation-mb": 64,
        "yarn.log-aggregation-enable": "true",
        "yarn.nodemanager.remote-app-log-dir": f"file://{CONFIGURATION}/aggregated",
        "yarn.resourcemanager.am.max-attempts": 2,
    }


def _configure(host):
    shutil.rmtree(CONFIGURATION, ignore_errors=True)
    atexit.register(shutil.rmtree, CONFIGURATION, ignore_errors=True)
    for folder in ("staging", "aggregated"):
        (CONFIGURATION / folder).mkdir(parents=True)
    # No other names: nodes go by their addresses, which drivers on this side reach.
    own = " ".join(["localhost", "master", *(f"host{i}" for i in range(1, 100))])
    (CONFIGURATION / "names").write_text(f"127.0.0.1 {own}\n")
    _write(CONFIGURATION / "core-site.xml", {"fs.defaultFS": "file:///"})
    _write(CONFIGURATION / "yarn-site.xml", _common(host))


def _write(file, properties):
    lines = (
        f"<property><name>{escape(name)}</name><value>{escape(str(value))}</value></property>"
        for name, value in properties.items()
    )
    file.write_text("<configuration>\n" + "\n".join(lines) + "\n</configuration>\n")


def _copy_jars():
    if list(JARS.glob("hadoop-client-minicluster-*.jar")):
        return
    pom = Path(__file__).with_name("yarn.pom.xml")
    goal = ["dependency:copy-dependencies", "-DexcludeTransitive=true", f"-DoutputDirectory={JARS}"]
    done = subprocess.run(
        ["mvn", "--batch-mode", "--quiet", "-f", pom, *goal], capture_output=True, text=True, timeout=COPY_S
    )
    if done.returncode != 0:
        raise problem("YARN", "Maven to bring its jars", done.stdout.strip()[-300:], "Do connect to a repository")
