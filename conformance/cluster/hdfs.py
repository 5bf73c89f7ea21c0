# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""HDFS: Hadoop's own NameNode on one host and DataNodes on others, with one copy of each block.

DataNodes have a disk, and memory for files that ask for it, which are saved to the disk after an hour.
"""

import json
import subprocess
import urllib.request
from pathlib import Path

from . import hadoop
from .daemon import FOLDER, words_of
from .problem import until

SERVER = "org.apache.hadoop.hdfs.server"
PORT, PAGE = 8020, 9870
DATA_NODE = "UnlockedDataNode"
START_S = 120.0


def start(name_host, data_hosts):
    """Its URL, once it has a place for files. It ends with its hosts. Errors: ClusterError."""
    if not hadoop.CONFIGURATION.is_dir():
        hadoop.prepare()
    common = {
        "dfs.namenode.rpc-address": f"{name_host.address}:{PORT}",
        "dfs.namenode.datanode.registration.ip-hostname-check": "false",
        "dfs.replication": 1,
    }
    folder = _folder(name_host, {
        **common,
        "dfs.namenode.rpc-bind-host": name_host.address,
        "dfs.namenode.http-address": f"{name_host.address}:{PAGE}",
        "dfs.namenode.name.dir": f"file://{FOLDER}/name",
        "dfs.namenode.safemode.extension": 0,
    })  # fmt: skip
    main = f"{SERVER}.namenode.NameNode"
    name_host.run([*hadoop.java(main, "-Xmx300m", folder), "-format", "-force", "-nonInteractive"], START_S)
    daemons = [hadoop.daemon(name_host, main, "-Xmx300m", folder)]
    for host in data_hosts:
        own = {
            **common,
            "dfs.datanode.data.dir": f"[DISK]file://{FOLDER}/data,[RAM_DISK]file://{FOLDER}/memory",
            "dfs.datanode.max.locked.memory": 1 << 30,
            "dfs.datanode.non.local.lazy.persist": "true",
            "dfs.datanode.lazywriter.interval.sec": 3600,
            "dfs.datanode.address": f"{host.address}:9866",
            "dfs.datanode.http.address": f"{host.address}:9864",
            "dfs.datanode.ipc.address": f"{host.address}:9867",
        }
        folder = _folder(host, own)
        _compile(folder)
        daemons.append(hadoop.daemon(host, DATA_NODE, "-Xmx300m", folder))
    until(
        "HDFS to have its DataNodes",
        lambda: _living(name_host) == len(data_hosts),
        START_S,
        found=lambda: words_of(daemons),
    )
    return f"hdfs://{name_host.address}:{PORT}"


def _folder(host, properties):
    made = hadoop.own_folder(host, "hdfs", properties)
    for page in ("hdfs", "datanode"):  # which each of them looks for, and has no need of
        (made / "webapps" / page).mkdir(parents=True, exist_ok=True)
    return made


def _compile(folder):
    """The DataNode's class, into a folder of its class path."""
    source = Path(__file__).with_name(f"{DATA_NODE}.java")
    subprocess.run(["javac", "-d", folder, "-cp", hadoop.class_path(folder), source], check=True, timeout=START_S)


def _living(name_host):
    """How many DataNodes the NameNode counts; None where it does not answer."""
    bean = "Hadoop:service=NameNode,name=FSNamesystemState"
    try:
        with urllib.request.urlopen(f"http://{name_host.address}:{PAGE}/jmx?qry={bean}", timeout=5) as page:
            return json.load(page)["beans"][0]["NumLiveDataNodes"]
    except (OSError, ValueError, LookupError):
        return None
