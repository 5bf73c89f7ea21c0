# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""The row of a run, from what its application leaves behind."""

import json

from event_log import BEGIN, Log
from test_lab import HOST, TEXT, parsed

from sparkgap.lab.design import plan
from sparkgap.lab.rows import ANSWER, ENDED, instance


def test_native_calls_before_the_work_are_none_of_it(tmp_path):
    log = Log()
    for at, seconds in ((100, 5.0), (2000, 0.25), (2500, 0.5)):
        call = {"kernel": "pagerank", "began": BEGIN + at, "ended": BEGIN + at + 400, "phases": {"compute_s": seconds}}
        log.say("org.sparkgap.spark.application.CallEnded", **call)
    log.end(3000).write(tmp_path / "profile")
    ended = {"status": 0, "elapsed_s": 3.0, "cpu_user_s": 1.0, "cpu_system_s": 1.0, "peak_bytes": 1}
    (tmp_path / ENDED).write_text(json.dumps(ended))
    (tmp_path / ANSWER).write_text(json.dumps({"work_s": 1.0, "since": BEGIN / 1e3 + 1}))
    run = plan(parsed(TEXT), "tiny", HOST, 1 << 40)[0][0]
    found = instance(tmp_path, run, run.start(HOST))
    assert (found["work_s"], found["call_compute_s"]) == (1.0, 0.75) and "since" not in found
