# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""The objects of a machine as a tree, what each is called, and which PUs may be used."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from ..call_table import size

_PCI_CLASSES = {
    "01": "storage",
    "02": "network",
    "03": "display",
    "06": "bridge",
    "0b": "processor",
    "0c": "bus",
    "12": "accelerator",
}
_LONGEST = 60


@dataclass
class Part:
    """One object with those below it: memory, normal, I/O, Misc, as hwloc orders them."""

    kind: str
    depth: int
    title: str
    pus: int  # a bit for each
    os_index: int | None
    memory: list[Part] = field(default_factory=list)
    normal: list[Part] = field(default_factory=list)
    devices: list[Part] = field(default_factory=list)  # and Misc

    @property
    def parts(self) -> list[Part]:
        """All below, in the order in which they are drawn."""
        return [*self.memory, *self.normal, *self.devices]


@dataclass
class Machine:
    """A tree, and why which PUs may be used."""

    root: Part
    usable: int
    why: list[str]
    reasons: list[tuple[int, str]]  # PUs that may not be used for this reason

    def why_not(self, pu: int) -> str:
        """The reason why a PU may not be used; empty where it may."""
        return next((reason for pus, reason in self.reasons if pus >> pu & 1), "")


def machine_of(document: dict[str, Any]) -> Machine:
    """The machine that `sparkgap topo --json` printed."""
    parts: list[Part] = []
    for said in document["objects"]:
        part = Part(said["type"], said["depth"], _title(said), bits(said["cpuset"] or "0x0"), said["os_index"])
        parts.append(part)
        if said["parent"] is not None:
            above = parts[said["parent"]]
            (
                above.normal
                if part.depth >= 0
                else above.memory
                if part.kind in ("NUMANode", "MemCache")
                else above.devices
            ).append(part)
    root, top = parts[0], document["objects"][0]
    allowed = bits(top["attributes"]["allowed_cpuset"])
    counts = Counter(p.kind for p in parts)
    words = [
        f"{counts[k]} {name}{'' if counts[k] == 1 else 's'}"
        for k, name in (("Package", "package"), ("NUMANode", "NUMA node"), ("Core", "core"), ("PU", "PU"))
        if counts[k]
    ]
    memory = sum(said["attributes"].get("local_memory", 0) for said in document["objects"])
    why = [", ".join([*words, *([size(memory)] if memory else [])])]
    process = document["process"]
    offline = bits(top["complete_cpuset"]) & ~root.pus
    if process is None:
        usable = root.pus & allowed
        reasons = [(root.pus & ~allowed, "not allowed")]
        why.append(f"not this machine; its description allows {_share(usable, root.pus)}")
    else:
        mask = bits(process["affinity_mask"])
        usable = root.pus & bits(process["usable_cpuset"])
        reasons = [(root.pus & ~allowed, "not in the cgroup's cpuset"), (root.pus & ~mask, "not in the affinity mask")]
        quota = process["cgroup_cpu_quota"]
        why.append(f"this process may use {_share(usable, root.pus)}")
        why.append(f"  affinity mask: {_share(mask & root.pus, root.pus)}")
        why.append(f"  cgroup cpuset: {_share(allowed & root.pus, root.pus)}")
        why.append(
            "  cgroup CPU quota: "
            + ("none" if quota is None else f"{quota:g} cores' worth of time, so {_threads(usable, quota)} at once")
        )
        why.append(f"  memory: {size(process['usable_memory'])}")
    if offline:
        why.append(f"offline or unknown: PUs {ranges(offline)}")
    return Machine(root, usable, why, reasons)


def _threads(usable: int, quota: float) -> str:
    n = max(1, min(usable.bit_count(), math.floor(quota + 0.5)))
    return f"{n} thread{'' if n == 1 else 's'}"


def _share(some: int, all_pus: int) -> str:
    n, total = some.bit_count(), all_pus.bit_count()
    return f"{n} of {total} PUs ({ranges(some) or 'none'})"


def bits(text: str) -> int:
    """A set in hwloc's form as a number.

    Examples
    --------
    >>> bits("0x00000001,,0x0000000f") == (1 << 64) + 15
    True
    """
    return int("".join(f"{int(word or '0', 16):08x}" for word in text.split(",")), 16)


def ranges(pus: int) -> str:
    """Bits as the kernel lists processors.

    Examples
    --------
    >>> ranges(0b1011)
    '0-1,3'
    """
    found: list[str] = []
    first = 0
    while pus >> first:
        first += ((pus >> first) & -(pus >> first)).bit_length() - 1
        end = first + (~(pus >> first) & -~(pus >> first)).bit_length() - 1
        found.append(str(first) if end == first + 1 else f"{first}-{end - 1}")
        first = end
    return ",".join(found)


def plain(text: str) -> str:
    """Text of a machine without what a terminal or an XML would take for a command.

    Examples
    --------
    >>> plain("a\\x1b[31m\\tb")
    'a?[31m?b'
    """
    shown = "".join(c if c.isprintable() else "?" for c in text)
    return shown if len(shown) <= _LONGEST else shown[: _LONGEST - 3] + "..."


def _title(said: dict[str, Any]) -> str:
    """Such as `L3Cache L#0 (32.0 MiB)` or `PU L#3 P#5`."""
    own, kind = said["attributes"], said["type"]
    words = [kind, f"L#{said['logical_index']}"]
    if kind == "Machine":
        words = [kind]
    elif kind in ("Package", "Core", "PU", "NUMANode") and said["os_index"] is not None:
        words.append(f"P#{said['os_index']}")
    if own.get("cache_size"):
        words.append(f"({size(own['cache_size'])})")
    if own.get("local_memory"):
        words.append(f"({size(own['local_memory'])})")
    if kind == "PCIDev":
        code = own["pci_type"][:2]
        words = ["PCI", own["pci_busid"], *([f"({_PCI_CLASSES[code]})"] if code in _PCI_CLASSES else [])]
    if kind == "Bridge":
        words = [
            "HostBridge" if own["bridge_type"] == "0-1" else "PCIBridge",
            f"L#{said['logical_index']}",
            own["bridge_pci"],
        ]
    model = said["infos"].get("CPUModel") if kind == "Package" else None
    words += [plain(word) for word in (own.get("subtype"), own.get("name"), model) if isinstance(word, str) and word]
    return " ".join(words)
