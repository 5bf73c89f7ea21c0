# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""The events of Spark 3.5 to 4.x as far as the report reads them. Fields that a log lacks have a default, and those
that are not named here are passed over.
"""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta, Struct, field

# Events with a number beyond these are damaged, and are counted as such.
Number = Annotated[int, Meta(ge=-(2**62), le=2**62)]
Id = Annotated[int, Meta(ge=0, le=2**31 - 1)]


class AccumulableInfo(Struct):
    id: Number = field(name="ID", default=-1)
    name: str | None = field(name="Name", default=None)
    update: Any = field(name="Update", default=None)


class TaskInfo(Struct):
    id: Number = field(name="Task ID")
    index: Id = field(name="Index", default=0)
    attempt: Id = field(name="Attempt", default=0)
    launched: Number = field(name="Launch Time", default=0)
    executor: str = field(name="Executor ID", default="")
    host: str = field(name="Host", default="")
    locality: str = field(name="Locality", default="")
    speculative: bool = field(name="Speculative", default=False)
    getting_result: Number = field(name="Getting Result Time", default=0)
    finished: Number = field(name="Finish Time", default=0)
    failed: bool = field(name="Failed", default=False)
    killed: bool = field(name="Killed", default=False)
    accumulables: list[AccumulableInfo] = field(name="Accumulables", default_factory=list)


class ShuffleRead(Struct):
    fetch_wait: Number = field(name="Fetch Wait Time", default=0)
    remote_bytes: Number = field(name="Remote Bytes Read", default=0)
    local_bytes: Number = field(name="Local Bytes Read", default=0)


class ShuffleWrite(Struct):
    bytes: Number = field(name="Shuffle Bytes Written", default=0)
    time: Number = field(name="Shuffle Write Time", default=0)


class BytesAndRecords(Struct):
    read: Number = field(name="Bytes Read", default=0)
    records_read: Number = field(name="Records Read", default=0)
    written: Number = field(name="Bytes Written", default=0)


class TaskMetrics(Struct):
    deserialize: Number = field(name="Executor Deserialize Time", default=0)
    run: Number = field(name="Executor Run Time", default=0)
    cpu: Number = field(name="Executor CPU Time", default=0)
    peak_memory: Number = field(name="Peak Execution Memory", default=0)
    gc: Number = field(name="JVM GC Time", default=0)
    serialize: Number = field(name="Result Serialization Time", default=0)
    memory_spilled: Number = field(name="Memory Bytes Spilled", default=0)
    disk_spilled: Number = field(name="Disk Bytes Spilled", default=0)
    shuffle_read: ShuffleRead = field(name="Shuffle Read Metrics", default_factory=ShuffleRead)
    shuffle_write: ShuffleWrite = field(name="Shuffle Write Metrics", default_factory=ShuffleWrite)
    input: BytesAndRecords = field(name="Input Metrics", default_factory=BytesAndRecords)
    output: BytesAndRecords = field(name="Output Metrics", default_factory=BytesAndRecords)


class ExecutorMetrics(Struct):
    minor_gcs: Number = field(name="MinorGCCount", default=0)
    major_gcs: Number = field(name="MajorGCCount", default=0)
    total_gc: Number = field(name="TotalGCTime", default=0)
    concurrent_gcs: Number = field(name="ConcurrentGCCount", default=0)
    heap: Number = field(name="JVMHeapMemory", default=0)


class TaskEndReason(Struct):
    """Which of the texts there is depends on the reason."""

    reason: str = field(name="Reason", default="")
    thrown: str | None = field(name="Class Name", default=None)
    description: str | None = field(name="Description", default=None)
    message: str | None = field(name="Message", default=None)
    kill: str | None = field(name="Kill Reason", default=None)
    loss: str | None = field(name="Loss Reason", default=None)


class TaskStart(Struct):
    stage: Id = field(name="Stage ID")
    info: TaskInfo = field(name="Task Info")
    stage_attempt: Id = field(name="Stage Attempt ID", default=0)


class TaskEnd(Struct):
    stage: Id = field(name="Stage ID")
    info: TaskInfo = field(name="Task Info")
    stage_attempt: Id = field(name="Stage Attempt ID", default=0)
    reason: TaskEndReason = field(name="Task End Reason", default_factory=TaskEndReason)
    executor_metrics: ExecutorMetrics | None = field(name="Task Executor Metrics", default=None)
    metrics: TaskMetrics | None = field(name="Task Metrics", default=None)


class Counted(Struct):
    """A counter that tasks of a stage added to, and its total then."""

    id: Number = field(name="ID", default=-1)
    value: Any = field(name="Value", default=None)


class Rdd(Struct):
    id: Number = field(name="RDD ID", default=-1)


class StageInfo(Struct):
    id: Id = field(name="Stage ID")
    attempt: Id = field(name="Stage Attempt ID", default=0)
    name: str = field(name="Stage Name", default="")
    tasks: Id = field(name="Number of Tasks", default=0)
    parents: list[Id] = field(name="Parent IDs", default_factory=list)
    submitted: Number | None = field(name="Submission Time", default=None)
    completed: Number | None = field(name="Completion Time", default=None)
    failure: str | None = field(name="Failure Reason", default=None)
    counted: list[Counted] = field(name="Accumulables", default_factory=list)
    rdds: list[Rdd] = field(name="RDD Info", default_factory=list)


class StageEvent(Struct):
    info: StageInfo = field(name="Stage Info")


class JobStart(Struct):
    id: Id = field(name="Job ID")
    submitted: Number = field(name="Submission Time", default=0)
    stages: list[StageInfo] = field(name="Stage Infos", default_factory=list)
    stage_ids: list[Id] = field(name="Stage IDs", default_factory=list)
    properties: dict[str, Any] | None = field(name="Properties", default=None)


class JobResult(Struct):
    result: str = field(name="Result", default="")


class JobEnd(Struct):
    id: Id = field(name="Job ID")
    completed: Number = field(name="Completion Time", default=0)
    result: JobResult = field(name="Job Result", default_factory=JobResult)


class LogStart(Struct):
    version: str = field(name="Spark Version", default="")


class ApplicationStart(Struct):
    name: str = field(name="App Name", default="")
    id: str | None = field(name="App ID", default=None)
    timestamp: Number = field(name="Timestamp", default=0)
    user: str = field(name="User", default="")


class ApplicationEnd(Struct):
    timestamp: Number = field(name="Timestamp", default=0)


class Environment(Struct):
    java: dict[str, Any] = field(name="JVM Information", default_factory=dict)
    spark: dict[str, Any] = field(name="Spark Properties", default_factory=dict)


class ExecutorInfo(Struct):
    host: str = field(name="Host", default="")
    cores: Id = field(name="Total Cores", default=0)


class ExecutorAdded(Struct):
    timestamp: Number = field(name="Timestamp", default=0)
    id: str = field(name="Executor ID", default="")
    info: ExecutorInfo = field(name="Executor Info", default_factory=ExecutorInfo)


class ExecutorRemoved(Struct):
    timestamp: Number = field(name="Timestamp", default=0)
    id: str = field(name="Executor ID", default="")
    reason: str = field(name="Removed Reason", default="")


class PlanMetric(Struct):
    id: Number = field(name="accumulatorId", default=-1)
    name: str = ""


class PlanNode(Struct):
    """A node of a physical plan; tasks that run it add to its metrics."""

    name: str = field(name="nodeName", default="")
    text: str = field(name="simpleString", default="")
    metrics: list[PlanMetric] = field(default_factory=list)
    children: list[PlanNode] = field(default_factory=list)


class ExecutionStart(Struct):
    id: Id = field(name="executionId")
    description: str = ""
    time: Number = 0
    plan: PlanNode | None = field(name="sparkPlanInfo", default=None)


class PlanChanged(Struct):
    """Adaptive execution has chosen another plan."""

    id: Id = field(name="executionId")
    plan: PlanNode | None = field(name="sparkPlanInfo", default=None)


class ExecutionEnd(Struct):
    id: Id = field(name="executionId")
    time: Number = 0
    error: str | None = field(name="errorMessage", default=None)


class DriverCounted(Struct):
    """What the driver counted of a SQL execution: pairs of a counter and its value."""

    updates: list[list[Number]] = field(name="accumUpdates", default_factory=list)


class CallEnded(Struct):
    """A native call of sparkgap, as its plug-in posts it."""

    kernel: str
    engine: str = "native"
    began: Number = 0
    ended: Number = 0
    failed: bool = False
    ranks: Number = 0
    threads: Number = 0
    rows_in: Number = field(name="rowsIn", default=0)
    rows_out: Number = field(name="rowsOut", default=0)
    bytes_copied: Number = field(name="bytesCopied", default=0)
    peak_rss_bytes: Number = field(name="peakRssBytes", default=0)
    phases: dict[str, float] = field(default_factory=dict)


class Source(Struct):
    rows: Number = field(name="numInputRows", default=0)


class Progress(Struct):
    id: str = ""
    name: str | None = None
    timestamp: str = ""
    batch: Number = field(name="batchId", default=0)
    phases: dict[str, Number] = field(name="durationMs", default_factory=dict)
    sources: list[Source] = field(default_factory=list)


class QueryProgress(Struct):
    """A streaming query has ended a batch."""

    progress: Progress


class OperationStarted(Struct):
    """A client of Spark Connect asks for something. What comes after it bears the same `operationId`."""

    id: str = field(name="operationId")
    time: Number = field(name="eventTime", default=0)
    tag: str | None = field(name="jobTag", default=None)
    user: str | None = field(name="userName", default=None)
    user_id: str | None = field(name="userId", default=None)
    statement: str | None = field(name="statementText", default=None)
    tags: list[str] | None = field(name="sparkSessionTags", default=None)


class OperationStep(Struct):
    """It was analysed, is ready to run, has ended, or its results were fetched."""

    id: str = field(name="operationId")
    time: Number = field(name="eventTime", default=0)
    error: str | None = field(name="errorMessage", default=None)
