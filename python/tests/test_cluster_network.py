# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""The network between nodes: measured in a ring, by nobody else, and said in words."""

import socket
import threading

import pytest

from sparkgap.cluster import network
from sparkgap.cluster.folder import Folder

HERE = "127.0.0.1"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(network, "_SEND_S", 0.05)
    found = Folder(tmp_path / "cluster")
    found.make()
    return found


def all_measured(folder, names):
    found = {}
    addresses = dict.fromkeys(names, HERE)

    def of(name):
        found[name] = network.measured(folder, name, addresses)

    threads = [threading.Thread(target=of, args=(name,)) for name in names]
    for each in threads:
        each.start()
    for each in threads:
        each.join(60)
    return found


def test_each_sends_to_the_next(folder):
    found = all_measured(folder, ["a", "b", "c"])
    assert {name: each["to"] for name, each in found.items()} == {"a": "b", "b": "c", "c": "a"}
    for each in found.values():
        assert each["bytes_per_s"] > 1e6 and 0 < each["round_trip_s"] < 1 and each["device"] == "lo", each
    assert network.measured(folder, "a", {"a": HERE}) is None, "a node alone has no way to another"


def test_a_stranger_is_hung_up_on(folder):
    with socket.create_server((HERE, 0)) as server:
        served = threading.Thread(target=network._answer, args=(server, b"t" * 32))
        served.start()
        for said in (b"x" * 32, b"short"):
            with socket.create_connection(server.getsockname(), 10) as way:
                way.sendall(said)
                way.shutdown(socket.SHUT_WR)
                assert way.recv(1) == b"", "no word to it"
        own = network._send({"address": HERE, "port": server.getsockname()[1], "token": "t" * 32})
        served.join(10)
    assert own["bytes_per_s"] > 0 and not served.is_alive()


def test_a_node_that_does_not_come(folder, monkeypatch):
    monkeypatch.setattr(network, "_MEET_S", 0.2)
    monkeypatch.setattr(network, "_SOCKET_S", 0.2)
    found = network.measured(folder, "a", {"a": HERE, "b": HERE})
    assert "nothing of it in" in found["why"] and "bytes_per_s" not in found


def test_words_for_people():
    devices = [{"name": "eth0", "mbit_per_s": 1000}, {"name": "ib0", "mbit_per_s": 100000}]
    way = {"to": "n2", "device": "eth0", "bytes_per_s": 1.17e8, "round_trip_s": 0.0002}
    fast = {**way, "to": "n1", "bytes_per_s": 2e8}
    nodes = [
        {"node": "n1", "devices": devices, "network": way},
        {"node": "n2", "devices": devices[:1], "network": fast},
    ]
    said = network.words(nodes)
    assert said[0] == "network: 117 MB/s and 0.20 ms there and back by eth0, from n1 to n2, the slowest of 2"
    assert said[1:] == [
        "n1: ib0 says 100000 Mbit/s, eth0 1000; --conf spark.executorEnv.UCX_NET_DEVICES=ib0 is for ranks"
    ]
    nodes[0]["network"] = {"to": "n2", "device": "eth0", "why": "Connection refused"}
    assert network.words(nodes[:1])[0] == "from n1 to n2: Connection refused"
    assert network.words([{"node": "n1", "devices": devices, "network": None}]) == []
