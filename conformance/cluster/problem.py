# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What a cluster on one machine needs, how it says what it does not have, and how it waits."""

import os
import shutil
import subprocess
import time

# SPARKGAP_TEST_TIMEOUT_S says how busy the machine is: all waits are that many times longer than on
# one that is not.
PATIENCE = max(1.0, int(os.environ.get("SPARKGAP_TEST_TIMEOUT_S", "240")) / 240)
TOOLS = ("ip", "unshare", "nsenter", "mount", "bash", "java")
POLL_S = 0.02


class ClusterError(RuntimeError):
    """The text reads "Where: expected X, found Y. Do Z."."""


def problem(where, expected, found, action):
    return ClusterError(f"{where}: expected {expected}, found {found}. {action}.")


def missing():
    """The ClusterError that a Cluster would raise on this machine for want of rights or tools; None where it has
    all.
    """
    if os.geteuid() != 0:
        return problem("Cluster", "root", f"uid {os.geteuid()}", "Do run as root, or in a container with --privileged")
    absent = [tool for tool in TOOLS if shutil.which(tool) is None]
    if absent:
        return problem(
            "Cluster", "the commands " + ", ".join(TOOLS), f"no {', '.join(absent)}", "Do run dev/system-packages"
        )
    # A container's root may have no right to any of it.
    probe = ["unshare", "--net", "--uts", "--ipc", "--mount", "--pid", "--fork", "--mount-proc", "true"]
    done = subprocess.run(probe, capture_output=True, text=True, timeout=30)
    if done.returncode != 0:
        return problem(
            "Cluster",
            "the right to make namespaces",
            done.stderr.strip() or f"exit {done.returncode}",
            "Do give the container CAP_SYS_ADMIN and CAP_NET_ADMIN",
        )
    return None


def command(*words, timeout_s=30.0):
    """The standard output of a command that must succeed. Errors: ClusterError with its last line of standard error."""
    try:
        done = subprocess.run(
            [str(w) for w in words], capture_output=True, text=True, timeout=timeout_s, stdin=subprocess.DEVNULL
        )
    except subprocess.TimeoutExpired:
        raise problem(
            "Cluster",
            f"`{' '.join(map(str, words))}` to end in {timeout_s:g} s",
            "it still running",
            "Do look at the machine's load",
        ) from None
    if done.returncode != 0:
        said = done.stderr.strip().splitlines() or [f"exit {done.returncode}"]
        raise problem(
            "Cluster",
            f"`{' '.join(map(str, words))}` to succeed",
            said[-1],
            "Do look whether this container may change its network",
        )
    return done.stdout


def until(what, condition, timeout_s, found=lambda: "none of it", action="Do look at the machine's load"):
    """The first true value of `condition()`. Errors: ClusterError with `found()` at the deadline."""
    timeout_s *= PATIENCE
    deadline = time.monotonic() + timeout_s
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise problem("Cluster", f"{what} within {timeout_s:g} s", found(), action)
        time.sleep(POLL_S)
