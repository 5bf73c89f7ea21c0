# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""A Python that lacks packages which pyspark does not bring along: the import machinery itself does not find them
there.
"""

import json
import os
import re
import subprocess
import sys

import pytest

FORM = re.compile(r"[^:]+: expected .*, found .*\. .+\.")
HIDE = """
import sys
class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {hidden}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Hidden())
"""


@pytest.fixture
def without(tmp_path):
    def run(hidden, *words):
        (tmp_path / "sitecustomize.py").write_text(HIDE.format(hidden=set(hidden)))
        environ = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])}
        done = subprocess.run([sys.executable, *words], capture_output=True, text=True, timeout=200, env=environ)
        assert "Traceback" not in done.stderr, done.stderr
        return done

    return run


SAID = "pyspark.ml: expected the package numpy, found none in this Python. Run: pip install numpy."


@pytest.mark.parametrize(
    "asked",
    [
        "from sparkgap.ml.clustering import KMeans",
        "import sparkgap.ml.classification",
        "import sparkgap.ml.regression",
        "sparkgap.tensor.CPD",
        "from sparkgap.tensor import CPDModel",
    ],
)
def test_an_estimator_says_that_numpy_is_missing(without, asked):
    done = without(["numpy"], "-c", f"import sparkgap\ntry:\n    {asked}\nexcept sparkgap.LaunchError as e: print(e)")
    assert done.stdout.splitlines() == [SAID]


def test_all_else_works_without_numpy(without):
    asked = (
        "import sparkgap, pyspark.sql, sys; sparkgap.graph.GraphFrame; sparkgap.ml.kmeans; sparkgap.graph.pagerank;"
        " print('numpy' in sys.modules, sparkgap.settings_for)"
    )
    assert without(["numpy"], "-c", asked).stdout.startswith("False ")


@pytest.mark.parametrize("package", ["msgspec", "zstandard", "jinja2", "numpy"])
def test_a_report_says_what_brings_its_packages(without, package):
    said = f"sparkgap.report: expected the package {package}, found none in this Python. Run: pip install"
    done = without([package], "-m", "sparkgap", "report", "log")
    assert (done.returncode, done.stderr.strip()) == (5, f"{said} 'sparkgap[report]'.")


def test_doctor_says_it(without):
    done = without(["numpy"], "-m", "sparkgap", "doctor", "--json")
    checks = {c["name"]: c for c in json.loads(done.stdout)["checks"]}
    assert (checks["numpy"]["ok"], checks["numpy"]["required"], checks["numpy"]["fix"]) == (
        False,
        False,
        "Run: pip install numpy.",
    )
    assert checks["numpy"]["detail"].startswith("No module named 'numpy'; pyspark.ml")
    assert checks["connect"]["ok"]
    done = without(["pandas", "google"], "-m", "sparkgap", "doctor", "--json")
    checks = {c["name"]: c for c in json.loads(done.stdout)["checks"]}
    assert checks["numpy"]["ok"]
    assert (checks["connect"]["ok"], checks["connect"]["detail"]) == (
        False,
        "no pandas, google.rpc; Spark Connect needs them.",
    )
    assert checks["connect"]["fix"] == "Run: pip install 'pyspark[connect]'."


def test_the_command_line_says_it_in_one_line(without, tmp_path):
    (tmp_path / "rows.csv").write_text("x,y\n1,2\n3,4\n")
    done = without(
        ["numpy"],
        "-m",
        "sparkgap",
        "run",
        "kmeans",
        tmp_path / "rows.csv",
        "--features",
        "x,y",
        "--out",
        tmp_path / "model",
    )
    assert (done.returncode, done.stderr.splitlines()) == (5, [SAID])


def test_connect_says_it(without, tmp_path):
    script = tmp_path / "job.py"  # PySpark takes a Python without a file for a doctest, and ends it
    script.write_text(
        "import sparkgap\ntry: sparkgap.session(remote='sc://localhost:1')\nexcept sparkgap.LaunchError as e: print(e)"
    )
    done = without(["pandas"], script)
    (line,) = done.stdout.splitlines()
    assert FORM.fullmatch(line) and "pandas" in line.lower() and line.endswith("Run: pip install 'pyspark[connect]'.")
