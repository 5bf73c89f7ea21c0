# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""A Spark Connect server that Spark's own script starts, as one for other users."""

import contextlib
import os
import signal
import socket
import subprocess
from pathlib import Path

import pyspark
from conftest import wait_for


@contextlib.contextmanager
def connect_server(folder, conf, options=()):
    """Its address, sc://..., and the environment of its clients. `options` go to the script beside the settings."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    conf = {**conf, "spark.connect.grpc.binding.port": port, "spark.connect.grpc.binding.address": "127.0.0.1"}
    conf.pop("spark.driver.memory", None)
    home = Path(pyspark.__file__).parent
    words = [word for key, value in conf.items() for word in ("--conf", f"{key}={value}")]
    environ = {k: v for k, v in os.environ.items() if "CONNECT" not in k and "REMOTE" not in k} | {
        "SPARK_HOME": str(home),
        "SPARK_LOG_DIR": str(folder),
        "SPARK_PID_DIR": str(folder),
        "SPARK_IDENT_STRING": "test",
    }
    with (folder / "server.log").open("w+") as log:
        server = subprocess.Popen(
            ["bash", home / "sbin" / "start-connect-server.sh", "--wait", "--driver-memory", "1g", *options, *words],
            env=environ,
            cwd=folder,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    try:
        wait_for(
            "the server",
            lambda: socket.socket().connect_ex(("127.0.0.1", port)) == 0,
            120,
            found=lambda: (folder / "server.log").read_text()[-2000:],
        )
        yield f"sc://127.0.0.1:{port}", environ
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        server.wait(60)
