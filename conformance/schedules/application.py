# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""One application: `python -m schedules.application SETTINGS`. It reads lists of steps, one list a line, and answers
with what came of them.
"""

import json
import queue
import sys
import threading
import time

import sparkgap
from sparkgap import SparkGapError
from sparkgap.errors import translate

from .steps import THREADS, Step, expressions


class Application:
    """A session, threads that last, and the DataFrames that steps have made."""

    def __init__(self, settings):
        self.spark = sparkgap.session("local[2]", conf=settings)
        self.handles = {}
        self._inboxes = [queue.Queue() for _ in range(THREADS)]
        self._done = queue.Queue()
        for number, inbox in enumerate(self._inboxes):
            threading.Thread(target=self._serve, args=[number, inbox], daemon=True).start()

    def run(self, steps):
        """All threads begin at once; each does its steps in their order."""
        self.handles.clear()
        start = threading.Barrier(THREADS)
        for number, inbox in enumerate(self._inboxes):
            inbox.put((start, [s for s in steps if s.thread == number]))
        return [result for _ in self._inboxes for result in self._done.get()]

    def _serve(self, number, inbox):
        self.spark.sparkContext.addJobTag(tag(number))
        while True:
            start, steps = inbox.get()
            start.wait()
            self._done.put([self._one(step) for step in steps])

    def _one(self, step):
        said = {"id": step.id, "begin": time.monotonic()}
        try:
            said |= getattr(self, step.verb)(step) or {}
            said["outcome"] = "ok"
        except Exception as e:
            ours = e if isinstance(e, SparkGapError) else translate(e)
            text = str(ours or e)
            said |= {
                "outcome": "error",
                "ours": ours is not None,
                "kind": type(ours or e).__name__,
                "text": text.splitlines()[0] if text else repr(e),
                "whole": text[:3000],
            }
        said["end"] = time.monotonic()
        return said

    def _edges(self, step):
        return self.spark.range(0, step.rows, 1, 1 + step.stamp % 3).selectExpr(*expressions(step.stamp, step.rows))

    def _table(self, name):
        return self.spark.table(f"sparkgap.{name}" if "." in name else f"sparkgap.store.{name}")

    def create(self, step, mode="errorifexists"):
        self._edges(step).write.format("sparkgap").mode(mode).save(step.name)

    def overwrite(self, step):
        self.create(step, "overwrite")

    publish_new = overwrite

    def call(self, step):
        return {
            "figures": (
                getattr(sparkgap.graph, step.kind)(
                    self._edges(step), threads=1, ranks=1, progress=False, result=step.name
                ).sparkgap.rows_out
            )
        }

    def build(self, step):
        sparkgap.graph.build(self._edges(step), threads=1, ranks=1, progress=False, name=step.name)

    def drop(self, step):
        self.spark.sql(f"DROP TABLE sparkgap.store.{step.name}")

    def unpublish(self, step):
        sparkgap.store.rm(step.name, spark=self.spark)

    def publish(self, step):
        words = (
            f"CALL sparkgap.store.publish(table => 'sparkgap.store.{step.name}', name =>"
            f" '{step.target.partition('.')[2]}')"
        )
        return {"rows_published": self.spark.sql(words).first().rows}

    def read(self, step):
        return rows_of(self._table(step.name))

    read_published = read

    def open(self, step):
        frame = self._table(step.name)
        self.handles[step.id] = frame
        return rows_of(frame)

    open_published = open

    def again(self, step):
        frame = self.handles.get(step.opened)
        return rows_of(frame) if frame is not None else {"skipped": True}

    def feed(self, step):
        return self._by_kernel(sparkgap.graph.degree(self._table(step.name), threads=1, ranks=1, progress=False))

    def walk(self, step):
        return self._by_kernel(sparkgap.graph.degree(step.name, threads=1, ranks=1, progress=False))

    def _by_kernel(self, found):
        try:
            return rows_of(found)
        finally:
            self.spark.sql(f"DROP TABLE {found.sparkgap.table}")

    def cancel(self, step):
        self.spark.sparkContext.cancelJobsWithTag(tag(step.victim))


def tag(thread):
    return f"thread-{thread}"


def rows_of(frame):
    return {"columns": frame.columns, "rows": [list(row) for row in frame.collect()]}


def main(settings):
    application = Application(json.loads(settings))
    print(json.dumps({"ready": application.spark.sparkContext.applicationId}), flush=True)
    for line in sys.stdin:
        print(json.dumps(application.run([Step(**words) for words in json.loads(line)])), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
