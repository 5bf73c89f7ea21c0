# Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
"""`sparkgap topo`: against the recorded machines' XML, against hwloc's own tools, and what it draws."""

import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections import defaultdict

import pytest
from conftest import DATA, require_hosts
from cpu_limit import limited_cpus

from sparkgap import cli
from sparkgap.topology import svg, text
from sparkgap.topology.machine import bits, machine_of, ranges

MACHINES = DATA / "topologies" / "xml"
KEYS = [
    "type",
    "depth",
    "logical_index",
    "os_index",
    "cpuset",
    "nodeset",
    "complete_cpuset",
    "attributes",
    "infos",
    "parent",
]
FORM = re.compile(r"[^:]+: expected .+, found .*\. .+\n")
SVG = "{http://www.w3.org/2000/svg}"
FULL = "16-2gr2gr2n2c+misc.xml"
KEPT = {}
pytestmark = pytest.mark.usefixtures("data")


def files():
    found = [f for f in sorted(MACHINES.glob("*.xml")) if ".v3." not in f.name]  # those hwloc 2 cannot read
    assert len(found) > 20
    return found


@pytest.fixture
def documents(spark):
    """Of each recorded machine what --json prints, from a JVM that runs already."""
    if not KEPT:
        jvm = spark._jvm.org.sparkgap.topology
        flags = spark.sparkContext._gateway.new_array(jvm.TopologyFlag, 1)
        flags[0] = jvm.TopologyFlag.INCLUDE_DISALLOWED
        for file in files():
            topology = (
                jvm.Topology.builder().xml(file.read_text()).filterAll(jvm.TypeFilter.KEEP_ALL).flags(flags).load()
            )
            KEPT[file.name] = json.loads(topology.export().json())
            topology.close()
    return KEPT


def topo(capsys, *words, status=0):
    assert cli.main(["topo", *map(str, words)]) == status
    out, err = capsys.readouterr()
    if status:
        assert out == "" and FORM.fullmatch(err), (out, err)
        return err
    assert err == ""
    return out


def by_name(pairs):
    found = defaultdict(list)
    for name, value in pairs:
        found[name].append(value)
    return {name: values if len(values) > 1 else values[0] for name, values in found.items()}


def infos(element):
    return by_name((i.get("name"), i.get("value")) for i in element.findall("info"))


@pytest.mark.parametrize("spark", ["classic"], indirect=True)
def test_every_object_as_the_xml_says(documents):
    roots = {file.name: ET.fromstring(file.read_text()) for file in files()}
    of_version_2 = {name: root for name, root in roots.items() if root.get("version", "").startswith("2")}
    assert len(of_version_2) > 15
    for name, root in of_version_2.items():
        same_objects(root, documents[name], name)
        same_relations(root, documents[name], name)


def same_objects(root, document, name):
    objects = document["objects"]
    parents = {child: parent for parent in root.iter() for child in parent}
    elements = {int(e.get("gp_index")): e for e in root.iter("object")}
    assert sorted(elements) == sorted(o["attributes"]["gp_index"] for o in objects), name
    for place, said in enumerate(objects):
        assert list(said) == KEYS
        own, element = said["attributes"], elements[said["attributes"]["gp_index"]]
        above = parents[element]
        assert (said["parent"] is None) == (above is root)
        if said["parent"] is not None:
            assert said["parent"] < place
            assert objects[said["parent"]]["attributes"]["gp_index"] == int(above.get("gp_index"))
        assert said["infos"] == infos(element), (name, said)
        pages = [{"size": int(p.get("size")), "count": int(p.get("count") or 0)} for p in element.findall("page_type")]
        assert own.get("page_types", []) == pages, name
        for key, value in element.attrib.items():
            if key in ("dont_merge", "pci_link_speed"):
                continue
            found = said[key] if key in KEYS and key != "depth" else own[key]
            assert value == str(found), (name, said, key)
        for key in ("os_index", "cpuset", "nodeset", "complete_cpuset"):
            assert said[key] is None or key in element.attrib or (key, place) == ("os_index", 0), (name, said, key)
        if "pci_link_speed" in element.attrib:
            assert own["pci_link_speed"] == pytest.approx(float(element.get("pci_link_speed")), abs=1e-6)


def same_relations(root, document, name):
    number = [o["attributes"]["gp_index"] for o in document["objects"]]
    os_index = {(o["type"], o["os_index"]): n for o, n in zip(document["objects"], number, strict=True)}
    wanted = []
    for e in [*root.findall("distances2"), *root.findall("distances2hetero")]:
        indexes = " ".join(i.text for i in e.findall("indexes")).split()
        if e.get("indexing") == "os":
            indexes = [os_index[e.get("type"), int(i)] for i in indexes]
        else:
            indexes = [int(i.split(":")[-1]) for i in indexes]
        wanted.append((e.get("name"), indexes, [int(v) for u in e.findall("u64values") for v in u.text.split()]))
    found = [
        (d["name"], [number[i] for i in d["objects"]], [v for row in d["values"] for v in row])
        for d in document["distances"]
    ]
    assert sorted(found, key=repr) == sorted(wanted, key=repr), name
    values = [
        (
            a["name"],
            a["flags"],
            number[v["target"]],
            v["initiator_cpuset"],
            v["initiator"] and number[v["initiator"]],
            v["value"],
        )
        for a in document["memory_attributes"]
        if a["name"] not in ("Capacity", "Locality")
        for v in a["values"]
    ]
    for e in root.findall("memattr"):
        for v in e.findall("memattr_value"):
            seen = v.get("initiator_obj_gp_index")
            values.remove(
                (
                    e.get("name"),
                    int(e.get("flags")),
                    int(v.get("target_obj_gp_index")),
                    v.get("initiator_cpuset"),
                    seen and int(seen),
                    int(v.get("value")),
                )
            )
    assert values == [], name
    assert {(k["cpuset"], repr(k["infos"])) for k in document["cpukinds"]} == {
        (e.get("cpuset"), repr(infos(e))) for e in root.findall("cpukind")
    }, name


@pytest.mark.parametrize("spark", ["classic"], indirect=True)
def test_drawings_have_every_pu(documents):
    for name, document in documents.items():
        machine = machine_of(document)
        pus = [f"PU L#{o['logical_index']} P#{o['os_index']}" for o in document["objects"] if o["type"] == "PU"]
        for unicode in (True, False):
            drawn = text.draw(machine, unicode=unicode)
            assert sorted(re.findall(r"\bPU L#\d+ P#\d+", drawn)) == sorted(pus), name
            assert unicode or drawn.isascii()
        forbidden = len(pus) - machine.usable.bit_count()
        assert text.draw(machine).count("x not allowed") == forbidden
        picture = ET.fromstring(svg.draw(machine))
        assert sorted(g.findtext(SVG + "text") for g in picture.iter(SVG + "g") if g.get("class") == "PU") == sorted(
            pus
        ), name
        assert sum(1 for _ in picture.iter(SVG + "g")) == len(document["objects"])
        assert len(picture.findall(f".//{SVG}g[@class='PU']/{SVG}title")) == forbidden
        inside(picture, (0, 0, float(picture.get("width")), float(picture.get("height"))), name)


def inside(group, around, name):
    """Boxes are in the one around them, beside each other."""
    boxes = []
    for child in group.findall(SVG + "g"):
        x, y, w, h = (float(child.find(SVG + "rect").get(k)) for k in ("x", "y", "width", "height"))
        assert around[0] <= x and around[1] <= y and x + w <= around[2] + 0.2 and y + h <= around[3] + 0.2, name
        assert len(child.findtext(SVG + "text")) * 6.63 <= w, name
        boxes.append((x, y, x + w, y + h))
        inside(child, boxes[-1], name)
    for i, a in enumerate(boxes):
        for b in boxes[:i]:
            assert a[0] >= b[2] or b[0] >= a[2] or a[1] >= b[3] or b[1] >= a[3], name


def test_this_machine(capsys, tmp_path):
    document = json.loads(topo(capsys, "--json"))
    assert list(document) == ["hwloc", "process", "objects", "distances", "memory_attributes", "cpukinds"]
    subprocess.run(
        ["lstopo-no-graphics", "--filter", "all:all", "--disallowed", "--of", "xml", tmp_path / "m.xml"],
        check=True,
        timeout=60,
    )
    theirs = [(e.get("type"), e.get("os_index"), e.get("cpuset")) for e in ET.parse(tmp_path / "m.xml").iter("object")]
    ours = [
        (o["type"], o["os_index"] if o["os_index"] is None else str(o["os_index"]), o["cpuset"])
        for o in document["objects"]
    ]
    assert sorted(ours, key=repr) == sorted(theirs, key=repr)
    process, here = document["process"], os.sched_getaffinity(0)
    assert bits(process["affinity_mask"]) == sum(1 << cpu for cpu in here)
    assert bits(process["usable_cpuset"]) == bits(process["affinity_mask"]) & bits(process["cgroup_cpuset"])
    shown = topo(capsys)
    assert f"this process may use {len(here)} of" in shown and "cgroup CPU quota: " in shown


def test_under_a_mask():
    """The limits are those of the process that asks."""
    here = sorted(os.sched_getaffinity(0))
    if len(here) < 2:
        pytest.fail("expected two processors to leave one out")
    sparkgap = ["taskset", "-c", str(here[-1]), sys.executable, "-m", "sparkgap", "topo"]
    shown = subprocess.run(
        sparkgap,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
    ).stdout
    assert shown.isascii() and shown.count("x not in the affinity mask") == os.cpu_count() - 1
    assert f"affinity mask: 1 of {os.cpu_count()} PUs ({here[-1]})" in shown
    sets = subprocess.run([*sparkgap, "--distrib", "3"], capture_output=True, text=True, timeout=60, check=True).stdout
    assert [bits(s) for s in sets.split()] == [1 << here[-1]] * 3


def test_in_a_cgroup():
    """Needs root: some processors, and half a core's worth of time."""
    require_hosts()
    cpu = max(os.sched_getaffinity(0))
    with limited_cpus(str(cpu), 0.5) as joins:
        enter = " && ".join(f"echo $$ > {file}" for file in joins)
        words = ["bash", "-c", f"{enter} && exec {sys.executable} -m sparkgap topo"]
        shown = subprocess.run(words, capture_output=True, text=True, timeout=100, check=True).stdout
    assert f"cgroup cpuset: 1 of {os.cpu_count()} PUs ({cpu})" in shown
    assert "cgroup CPU quota: 0.5 cores' worth of time, so 1 thread at once" in shown
    assert shown.count("x not in the cgroup's cpuset") == os.cpu_count() - 1


@pytest.mark.parametrize(
    ("machine", "n"),
    [("192em64t-24n8c2t.xml", 50), ("64intel64-3g2n+2n-irregulargroups+pci.xml", 7), ("pack:3 [numa] core:5 pu:2", 8)],
)
def test_distrib_as_hwloc(capsys, machine, n):
    source = MACHINES / machine if machine.endswith(".xml") else machine
    theirs = subprocess.run(
        ["hwloc-distrib", "-i", source, str(n)], capture_output=True, text=True, timeout=60, check=True
    ).stdout
    assert topo(capsys, "--input", source, "--distrib", n) == theirs


def test_sets_as_json_of_hwloc_calc(capsys):
    """The n-th Package and its like are the logical n-th of hwloc-calc."""
    document = json.loads(topo(capsys, "--input", MACHINES / FULL, "--json"))
    assert document["process"] is None
    for kind in ("Package", "Core", "NUMANode", "L3Cache"):
        for said in (o for o in document["objects"] if o["type"] == kind):
            words = ["hwloc-calc", "-i", MACHINES / FULL, f"{kind}:{said['logical_index']}"]
            assert (
                subprocess.run(words, capture_output=True, text=True, timeout=60, check=True).stdout.strip()
                == said["cpuset"]
            )
    assert json.loads(topo(capsys, "--input", "pack:2 core:2 pu:1", "--distrib", "2", "--json")) == {
        "cpusets": ["0x00000003", "0x0000000c"]
    }


def test_names_are_data(capsys, tmp_path):
    """What a file calls a thing is neither markup nor a command to the terminal."""
    evil = "a&lt;script x=&quot;1&quot;&gt;&amp;amp;]]&gt;&#x9b;2J&#x7f;&#x202e;"
    file = tmp_path / "evil.xml"
    file.write_text(re.sub(r'(type="Misc"[^>]* name=")[^"]*', lambda m: m[1] + evil, (MACHINES / FULL).read_text()))
    picture = tmp_path / "evil.svg"
    assert topo(capsys, "--input", file, "--svg", picture) == f"{picture}\n"
    drawn = picture.read_text()
    assert "<script" not in drawn and not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", drawn)
    titles = [g.findtext(SVG + "text") for g in ET.fromstring(drawn).iter(SVG + "g") if g.get("class") == "Misc"]
    assert titles and all('a<script x="1">&amp;]]>?2J??' in title for title in titles)


@pytest.mark.parametrize(
    ("words", "status", "says"),
    [
        (["--input", "none.xml"], 2, "--input: expected an XML file that exists"),
        (["--input", "."], 2, "--input: expected an XML file that can be read"),
        (["--input", ""], 2, "--input: "),
        (["--input", "pack:2 cöre:4"], 2, "--input: "),
        (["--input", "pack:2 nonsense:4"], 2, "synthetic description"),
        (["--input", "core:100000 pu:100000"], 2, "at most 16384 objects"),
        (["--input", "broken.xml"], 3, "topology XML: expected well-formed XML"),
        (["--input", "other.xml", "--distrib", "2"], 3, "topology XML: expected "),
        (["--input", "latin.xml"], 3, "topology XML: expected text in UTF-8"),
        (["--distrib", "0"], 2, "--distrib: expected an integer in [1, 1048576], found '0'"),
        (["--distrib", "-3"], 2, "--distrib: "),
        (["--distrib", "two"], 2, "--distrib: "),
        (["--svg", "no/x.svg"], 2, "--svg: expected a file in a folder that exists"),
        (["--nope"], 2, "command line: "),
    ],
)
def test_bad_words(capsys, tmp_path, monkeypatch, words, status, says):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "broken.xml").write_text((MACHINES / FULL).read_text()[:3000])
    (tmp_path / "other.xml").write_text("<html><body/></html>")
    (tmp_path / "latin.xml").write_bytes(b"<topology>\xff</topology>")
    before = sorted(tmp_path.iterdir())
    assert says in topo(capsys, *words, status=status)
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize("option", ["-Dsparkgap.hwloc=/none/libhwloc.so", "-XX:+NoSuchOption"])
def test_without_hwloc_or_java(capsys, monkeypatch, option):
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", option)
    topo(capsys, status=5)


def test_sets_as_text():
    assert [ranges(n) for n in (0, 1, 0b1110, (1 << 64) + 5)] == ["", "0", "1-3", "0,2,64"]
    assert bits("0x1,,0x3") == (1 << 64) + 3
