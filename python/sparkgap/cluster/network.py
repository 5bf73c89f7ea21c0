# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What the network between nodes does: all send to the next one at the same time, in a ring, over the addresses that
Spark and ranks will use. Whoever connects must know the token, which lies in the folder of the cluster.
"""

from __future__ import annotations

import contextlib
import fcntl
import hmac
import secrets
import socket
import struct
import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any

from .allocation import own_address
from .folder import Folder

_MEET_S, _SOCKET_S, _SEND_S = 30.0, 10.0, 1.0
_POLL_S = 0.1
_BLOCK = 1 << 20
_PINGS = 20
_TOKEN = 32
_ADDRESS_OF = 0x8915  # SIOCGIFADDR


def measured(folder: Folder, name: str, addresses: Mapping[str, str]) -> dict[str, Any] | None:
    """From this node to the next one in the order of `addresses`; `why` where that fails, None where there is no other
    node, or this one has another name there.
    """
    names = list(addresses)
    if len(names) < 2 or name not in addresses:
        return None
    to = names[(names.index(name) + 1) % len(names)]
    own = own_address([address for other, address in addresses.items() if other != name])
    token = secrets.token_hex(_TOKEN // 2)
    found: dict[str, Any] = {"to": to, "device": device_of(own)}
    try:
        with socket.create_server((own, 0)) as server:
            server.settimeout(_MEET_S + _SOCKET_S)
            other = threading.Thread(target=_answer, args=(server, token.encode()), daemon=True)
            other.start()
            folder.put_node(_file(name), address=own, port=server.getsockname()[1], token=token)
            found |= _send(_met(folder, to))
            other.join(_MEET_S + _SOCKET_S)
    except OSError as e:
        found["why"] = f"{e.strerror or e}"
    return found


def words(found: Sequence[Mapping[str, Any]]) -> list[str]:
    """Lines for people: the slowest way, those that failed, and devices that say more than the one that is used."""
    ways = [(each["node"], each["network"]) for each in found if each.get("network")]
    said = [f"from {node} to {way['to']}: {way['why']}" for node, way in ways if "why" in way]
    whole = [(way["bytes_per_s"], node, way) for node, way in ways if "why" not in way]
    if whole:
        rate, node, way = min(whole, key=lambda each: each[0])
        text = (
            f"network: {rate / 1e6:,.0f} MB/s and {way['round_trip_s'] * 1e3:.2f} ms there and back by {way['device']}"
        )
        said.append(f"{text}, from {node} to {way['to']}, the slowest of {len(whole)}")
    for each in found:
        speeds = {device["name"]: device["mbit_per_s"] or 0 for device in each["devices"]}
        used = (each.get("network") or {}).get("device")
        best = max(speeds, key=lambda name: speeds[name], default=None)
        if used in speeds and best is not None and speeds[best] > speeds[used] > 0:
            more = f"--conf spark.executorEnv.UCX_NET_DEVICES={best}"
            said.append(
                f"{each['node']}: {best} says {speeds[best]} Mbit/s, {used} {speeds[used]}; {more} is for ranks"
            )
    return said


def device_of(address: str) -> str | None:
    """The name of the device with that address of version 4."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asks:
        for _, name in socket.if_nameindex():
            with contextlib.suppress(OSError):
                said = fcntl.ioctl(asks.fileno(), _ADDRESS_OF, struct.pack("256s", name.encode()[:15]))
                if socket.inet_ntoa(said[20:24]) == address:
                    return name
    return None


def _file(name: str) -> str:
    return f"{name}.network"


def _met(folder: Folder, name: str) -> Mapping[str, Any]:
    """What the other node says of itself. Errors: TimeoutError."""
    deadline = time.monotonic() + _MEET_S
    while time.monotonic() < deadline:
        if said := folder.node(_file(name)):
            return said
        time.sleep(_POLL_S)
    raise TimeoutError(f"nothing of it in {_MEET_S:.0f} s")


def _send(to: Mapping[str, Any]) -> dict[str, float]:
    with socket.create_connection((to["address"], to["port"]), _SOCKET_S) as way:
        way.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        way.sendall(str(to["token"]).encode())
        trips = []
        for _ in range(_PINGS):
            begin = time.perf_counter()
            way.sendall(b"?")
            if way.recv(1) != b"!":
                raise ConnectionError("it hung up")
            trips.append(time.perf_counter() - begin)
        block, sent, begin = bytes(_BLOCK), 0, time.perf_counter()
        while time.perf_counter() - begin < _SEND_S:
            way.sendall(block)
            sent += len(block)
        way.shutdown(socket.SHUT_WR)
        if way.recv(1) != b".":  # all of it has come
            raise ConnectionError("it hung up")
        return {"bytes_per_s": sent / (time.perf_counter() - begin), "round_trip_s": sorted(trips)[_PINGS // 2]}


def _answer(server: socket.socket, token: bytes) -> None:
    """Serve the node before this one; whoever does not know the token is hung up on."""
    with contextlib.suppress(OSError):
        while True:
            way, _ = server.accept()
            with way:
                way.settimeout(_SOCKET_S)
                with contextlib.suppress(OSError):
                    if hmac.compare_digest(_read(way, _TOKEN), token):
                        _serve(way)
                        return


def _serve(way: socket.socket) -> None:
    way.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    for _ in range(_PINGS):
        _read(way, 1)
        way.sendall(b"!")
    block = bytearray(_BLOCK)
    while way.recv_into(block):
        pass
    way.sendall(b".")


def _read(way: socket.socket, n: int) -> bytes:
    """So many bytes. Errors: ConnectionError where there are fewer."""
    said = b""
    while len(said) < n:
        if not (more := way.recv(n - len(said))):
            raise ConnectionError("it hung up")
        said += more
    return said
