# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""A Spark cluster of several hosts on one machine: namespaces for hosts, a bridge for the network, real Spark daemons,
no ssh.

The driver runs where the tests run, with the bridge's address. What is its own of each host: address, host name,
processes, /dev/shm, /tmp, /run, /etc/hosts, System V memory. What all share: kernel, clock, processors, memory and
every other file.
"""

from .cluster import Cluster
from .host import Host
from .problem import ClusterError, missing

__all__ = ["Cluster", "ClusterError", "Host", "missing"]
