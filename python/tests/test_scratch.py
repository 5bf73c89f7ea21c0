# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
import errno
import fcntl
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from sparkgap.errors import ResourceError
from sparkgap.scratch import scratch

HOLD = (
    "import sys\nfrom sparkgap.scratch import scratch\nwith scratch() as folder:\n    (folder /"
    " 'rows').write_text('1')\n    print(folder, flush=True)\n    sys.stdin.read()\n"
)


@pytest.fixture(autouse=True)
def temporary(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)


def test_what_a_killed_process_leaves_goes_with_the_next_one():
    holder = subprocess.Popen([sys.executable, "-c", HOLD], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    left = Path(holder.stdout.readline().strip())
    with scratch() as own:
        assert (left / "rows").exists() and own.stat().st_mode & 0o777 == 0o700, "another's stays while it lives"
    assert not own.exists()
    holder.send_signal(signal.SIGKILL)
    holder.wait()
    holder.stdin.close()
    holder.stdout.close()
    assert left.exists()
    with scratch():
        assert not left.exists()


def test_where_nothing_can_be_locked(monkeypatch, tmp_path):
    def refuse(*_):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    with (
        pytest.raises(ResourceError, match=r"^TMPDIR: expected a folder where flock works, found .+\. Set TMPDIR "),
        scratch(),
    ):
        pass
    assert list(tmp_path.iterdir()) == []


def test_a_link_is_not_followed(tmp_path):
    (tmp_path / "precious").mkdir()
    (tmp_path / "precious" / "file").write_text("1")
    (tmp_path / "sparkgap-scratch-link").symlink_to(tmp_path / "precious")
    with scratch():
        assert (tmp_path / "precious" / "file").exists()
