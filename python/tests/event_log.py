# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Event logs made by hand, in which the place of every millisecond is known; and the containers that Spark packs logs
into.
"""

import heapq
import json
import random
import struct

import pyarrow as pa
import zstandard

BEGIN = 1_795_000_000_000


class Log:
    """Events in the order in which they are said; times are milliseconds from the application's start."""

    def __init__(self, cores=2, executors=1, name="planted", settings=None):
        self.events = []
        self.say("LogStart", **{"Spark Version": "4.3.0"})
        self.say("ApplicationStart", **{"App Name": name, "App ID": "app-1", "Timestamp": BEGIN, "User": "ann"})
        self.say("EnvironmentUpdate", **{"JVM Information": {"Java Version": "17"}, "Spark Properties": settings or {}})
        self.cores, self.executors, self.tasks, self.jobs = cores, executors, 0, 0
        for i in range(executors):
            self.executor(i, cores)

    def say(self, event, **fields):
        name = event if "." in event else f"SparkListener{event}"
        self.events.append({"Event": name, **fields})

    def executor(self, number, cores, at=0):
        info = {"Host": f"node{number}", "Total Cores": cores}
        self.say("ExecutorAdded", **{"Timestamp": BEGIN + at, "Executor ID": str(number), "Executor Info": info})

    def job(self, begin, stages, end, **properties):
        """The events of a job; `stages` are (begin, [task, ...], end), and a task is (begin, end, parts)."""
        number = self.jobs
        self.jobs += 1
        ids = [number * 100 + i for i in range(len(stages))]
        fields = {"Job ID": number, "Submission Time": BEGIN + begin, "Stage Infos": [], "Stage IDs": ids}
        self.say("JobStart", **fields, Properties=properties)
        for stage, (first, tasks, last) in zip(ids, stages, strict=True):
            self.stage(stage, first, tasks, last)
        result = {"Result": "JobSucceeded"}
        self.say("JobEnd", **{"Job ID": number, "Completion Time": BEGIN + end, "Job Result": result})

    def stage(self, number, begin, tasks, end):
        info = {
            "Stage ID": number,
            "Stage Attempt ID": 0,
            "Stage Name": f"count at app.py:{number}",
            "Number of Tasks": sum(parts.get("state", "Success") == "Success" for _, _, parts in tasks),
            "Parent IDs": [],
            "Submission Time": BEGIN + begin,
        }
        self.say("StageSubmitted", **{"Stage Info": info})
        index = 0  # an attempt that fails is made again
        for first, last, parts in tasks:
            self.task(number, index, first, last, **parts)
            index += parts.get("state", "Success") == "Success"
        self.say("StageCompleted", **{"Stage Info": info | {"Completion Time": BEGIN + end}})

    def task(self, stage, index, begin, end, *, executor=None, state="Success", ended=True, **metrics):
        number = self.tasks
        self.tasks += 1
        info = {
            "Task ID": number,
            "Index": index,
            "Attempt": 0,
            "Launch Time": BEGIN + begin,
            "Executor ID": str(number % self.executors if executor is None else executor),
            "Host": "node0",
            "Locality": "PROCESS_LOCAL",
            "Speculative": False,
            "Getting Result Time": metrics.pop("getting_result", 0),
            "Finish Time": 0,
            "Failed": False,
            "Killed": False,
            "Accumulables": metrics.pop("accumulables", []),
        }
        where = {"Stage ID": stage, "Stage Attempt ID": 0}
        self.say("TaskStart", **where, **{"Task Info": dict(info)})
        if ended:
            info |= {"Finish Time": BEGIN + end, "Failed": state != "Success"}
            self.say(
                "TaskEnd",
                **where,
                **{
                    "Task Type": "ResultTask",
                    "Task End Reason": {"Reason": state},
                    "Task Info": info,
                    "Task Executor Metrics": metrics.pop("executor_metrics", {}),
                    "Task Metrics": _metrics(end - begin, **metrics),
                },
            )

    def end(self, at):
        self.say("ApplicationEnd", Timestamp=BEGIN + at)
        return self

    def lines(self):
        return [json.dumps(event, separators=(",", ":")) for event in self.events]

    def text(self):
        return "".join(f"{line}\n" for line in self.lines())

    def write(self, path):
        path.write_text(self.text())
        return path


def _metrics(
    whole,
    *,
    run=None,
    cpu=0,
    gc=0,
    fetch_wait=0,
    shuffle_write=0,
    deserialize=0,
    serialize=0,
    spilled=0,
    peak=0,
    written=0,
):
    return {
        "Executor Deserialize Time": deserialize,
        "Executor Deserialize CPU Time": 0,
        "Executor Run Time": whole - deserialize - serialize if run is None else run,
        "Executor CPU Time": cpu * 1_000_000,
        "Peak Execution Memory": peak,
        "Result Size": 100,
        "JVM GC Time": gc,
        "Result Serialization Time": serialize,
        "Memory Bytes Spilled": spilled,
        "Disk Bytes Spilled": spilled,
        "Shuffle Read Metrics": {"Fetch Wait Time": fetch_wait, "Remote Bytes Read": 0, "Local Bytes Read": 0},
        "Shuffle Write Metrics": {"Shuffle Bytes Written": written, "Shuffle Write Time": shuffle_write * 1_000_000},
        "Input Metrics": {"Bytes Read": 0, "Records Read": 0},
        "Output Metrics": {"Bytes Written": 0, "Records Written": 0},
    }


def drawn(seed, jobs=4):
    """A log of jobs that overlap, with skew, losses and gaps, as a scheduler would run them."""
    draw = random.Random(seed)
    log = Log(draw.choice([1, 2, 4]), draw.randrange(1, 4))
    at = 200
    for _ in range(jobs):
        stages, now = [], at + draw.randrange(100)
        for _ in range(draw.randrange(1, 4)):
            free = [(now, executor) for executor in range(log.executors) for _ in range(log.cores)]
            heapq.heapify(free)
            tasks = []
            for _ in range(draw.randrange(1, 30)):
                begin, executor = free[0]
                end = begin + draw.choice([0, 5, 50, draw.randrange(2000)])
                heapq.heapreplace(free, (end, executor))
                parts = {"cpu": draw.randrange(2000), "gc": draw.randrange(100), "fetch_wait": draw.randrange(50)}
                state = "Success" if draw.random() < 0.9 else "ExceptionFailure"
                tasks.append((begin, end, {**parts, "executor": executor, "state": state}))
            last = max(end for _, end, _ in tasks)
            stages.append((now, tasks, last))
            now = last
        log.job(at, stages, now + draw.randrange(50))
        at = now + draw.randrange(300) - draw.randrange(100)
    return log.end(max(at, now) + 100)


# --- the containers of Spark's codecs


def zstd(data):
    """With a flush now and then, as Spark's writer makes them."""
    packer, out = zstandard.ZstdCompressor().compressobj(), b""
    for first in range(0, len(data), 1 << 12):
        out += packer.compress(data[first : first + (1 << 12)]) + packer.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)
    return out + packer.flush()


def lz4(data, block=1 << 15):
    codec, out = pa.Codec("lz4_raw"), b""
    for first in range(0, len(data), block):
        part = data[first : first + block]
        packed = codec.compress(part, asbytes=True)
        out += b"LZ4Block" + bytes([0x25]) + struct.pack("<iii", len(packed), len(part), 0) + packed
    return out + b"LZ4Block" + bytes([0x15]) + struct.pack("<iii", 0, 0, 0)


def snappy(data, block=1 << 15):
    codec, out = pa.Codec("snappy"), b"\x82SNAPPY\0" + struct.pack(">ii", 1, 1)
    for first in range(0, len(data), block):
        packed = codec.compress(data[first : first + block], asbytes=True)
        out += struct.pack(">i", len(packed)) + packed
    return out


def lzf(data, block=1 << 15):
    """Chunks that are not packed, and one that is, as LibLZF packs a run."""
    out = b"".join(
        b"ZV\0" + struct.pack(">H", len(data[i : i + block])) + data[i : i + block] for i in range(0, len(data), block)
    )
    packed = b"\x00 " + b"\xe0\x0e\x00"  # a blank, and 23 copies of it
    return out + b"ZV\1" + struct.pack(">HH", len(packed), 24) + packed
