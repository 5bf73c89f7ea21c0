# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Hadoop's own ResourceManager and NodeManagers, each on its host; Spark's applications run in their containers.

Containers see this side's files under the same names, so that nothing is uploaded but the application's own.
"""

import json
import os
import urllib.request

from . import hadoop
from .daemon import FOLDER, JVM, until_registered, words_of
from .hadoop import CONFIGURATION
from .problem import until
from .standalone import SPARK_HOME

SERVER = "org.apache.hadoop.yarn.server"
PAGE = 8088
NODE_PORT = 8041
START_S = 120.0
# A node that is silent for so long is lost.
EXPIRY_S = 20
MEMORY_MB = 1800
STAGING = CONFIGURATION / "staging"
# Where the logs of containers are collected when an application has ended.
AGGREGATED = CONFIGURATION / "aggregated"


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
        "spark.yarn.stagingDir": f"file://{STAGING}",
        "spark.network.timeout": f"{2 * EXPIRY_S}s",
        "spark.network.timeoutInterval": f"{EXPIRY_S}s",
        "spark.executor.heartbeatInterval": "4s",
    }


def master(host, settings=None):
    """A ResourceManager that answers. Errors: ClusterError."""
    hadoop.prepare()
    for folder in (STAGING, AGGREGATED):
        folder.mkdir()
    hadoop.write(CONFIGURATION / "yarn-site.xml", _common(host))
    made = hadoop.daemon(host, f"{SERVER}.resourcemanager.ResourceManager", "-Xmx400m", CONFIGURATION)
    until("the ResourceManager to answer", lambda: _nodes(host) is not None, START_S, found=lambda: words_of([made]))
    return made


def worker(host, master_host, cores, settings=None):
    """A NodeManager, which registers a moment later."""
    own = {
        **_common(master_host),
        "yarn.nodemanager.hostname": host.address,
        # The same one again, so that the ResourceManager knows at once whose containers are lost.
        "yarn.nodemanager.address": f"{host.address}:{NODE_PORT}",
        "yarn.nodemanager.bind-host": host.address,
        "yarn.nodemanager.resource.cpu-vcores": cores,
    }
    folder = hadoop.own_folder(host, "yarn", own)
    return hadoop.daemon(host, f"{SERVER}.nodemanager.NodeManager", "-Xmx300m", folder)


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


def _common(master_host):
    return {
        "yarn.resourcemanager.hostname": master_host.address,
        "yarn.resourcemanager.bind-host": master_host.address,
        "yarn.resourcemanager.scheduler.class": f"{SERVER}.resourcemanager.scheduler.fifo.FifoScheduler",
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
        "yarn.nodemanager.remote-app-log-dir": f"file://{AGGREGATED}",
        "yarn.resourcemanager.am.max-attempts": 2,
    }
