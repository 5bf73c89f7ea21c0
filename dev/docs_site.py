# Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
"""Builds the documentation as a site into build/docs/site: `make docs`. Fails on a warning, so on a link to nowhere.

The pages are the repository's own, at the same paths, so that their links hold in both. Added are the pages of the
Python interface, from its docstrings, and one for each folder that a page links to.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parent.parent
MADE = ROOT / "build" / "docs"
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
# Page: its title and what it shows.
API = {
    "session": (
        "Sessions and calls",
        [
            "sparkgap.session.session",
            "sparkgap.session.configure",
            "sparkgap.settings.settings_for",
            "sparkgap.call.last_call",
            "sparkgap.call.Call",
            "sparkgap.doctor.doctor",
        ],
    ),
    "graph": ("Graphs", ["sparkgap.graph.kernels", "sparkgap.graph.stored_graph", "sparkgap.graph.vertex_program"]),
    "graphframe": ("GraphFrame", ["sparkgap.graph.graphframe.graphframe.GraphFrame"]),
    "ml": (
        "Learning",
        ["sparkgap.ml.kernels", "sparkgap.ml.classification", "sparkgap.ml.clustering", "sparkgap.ml.regression"],
    ),
    "tensor": ("Tensors", ["sparkgap.tensor"]),
    "mpi": ("MPI programs", ["sparkgap.mpi"]),
    "store": ("The store", ["sparkgap.store"]),
    "accelerate": (
        "Unchanged jobs",
        [
            "sparkgap.accelerate.installed.install",
            "sparkgap.accelerate.installed.uninstall",
            "sparkgap.accelerate.decisions",
        ],
    ),
    "errors": ("Errors", ["sparkgap.errors"]),
}
# What Scala and Java call: folders below spark's sources.
SCALA = ("spark/methods/", "spark/syntax.scala", "ml/")
SCALADOC_S = 300


def tracked():
    done = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60)
    return [name for name in done.stdout.splitlines() if (ROOT / name).is_file()]


def put(pages, name, text):
    page = pages / name
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(text)


def linked(names):
    """What pages link to beside pages, as paths from the root."""
    for name in names:
        for target in LINK.findall((ROOT / name).read_text()):
            if "://" not in target and not target.endswith(".md"):
                yield os.path.normpath(Path(name).parent / target)


def folder_page(folder, names):
    files = [n for n in names if n.startswith(f"{folder}/")]
    lines = [f"- [{n.removeprefix(folder + '/')}]({n.removeprefix(folder + '/')})" for n in files]
    return f"# {folder}\n\n" + "\n".join(lines) + "\n", files


def stage(pages):
    """The pages, and those of the navigation that are found: {placeholder: [{title: page}]}."""
    names = tracked()
    texts = [name for name in names if name.endswith(".md")]
    others = set()
    for target in linked(texts):
        if (ROOT / target).is_dir():
            text, files = folder_page(target, names)
            put(pages, f"{target}/index.md", text)
            others |= {file for file in files if file not in texts}
        else:
            others.add(target)
    for name in [*texts, *others]:
        (pages / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, pages / name)
    put(pages, "site.css", ".md-grid { max-width: 82rem; }\n")  # lines of code have up to 120 columns
    for name, (title, shown) in API.items():
        blocks = "\n\n".join(f"::: {what}" for what in shown)
        put(pages, f"api/{name}.md", f"# {title}\n\n{blocks}\n")
    put(pages, "api/scala.md", "# Scala and Java\n\n[The typed methods and estimators](../scaladoc/index.html).\n")
    kernels = [name for name in texts if re.fullmatch(r"kernels/(\w+)/\1\.md", name)]
    return {
        "kernels": ["kernels/README.md", *({Path(n).stem: n} for n in kernels)],
        "bench": [{Path(n).stem: n} for n in texts if n.startswith("bench/results/")],
        "api": [{title: f"api/{name}.md"} for name, (title, _) in API.items()],
    }


def scaladoc(place):
    """The Scala interface, by the compiler that Spark brings. Returns what is wrong."""
    import pyspark

    spark, sources = Path(pyspark.__file__).parent / "jars", ROOT / "spark/src/main/scala/org/sparkgap"
    files = [f for f in sorted(sources.rglob("*.scala")) if str(f.relative_to(sources)).startswith(SCALA)]
    place.mkdir(parents=True)
    words = ["-d", place, "-doc-title", "sparkgap", "-no-link-warnings", "-skip-packages", "org.apache"]
    path = os.pathsep.join(map(str, [ROOT / "build" / "jars" / "sparkgap.jar", *sorted(spark.glob("*.jar"))]))
    command = ["java", "-cp", f"{spark}/*", "scala.tools.nsc.ScalaDoc", *words, "-classpath", path, *files]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SCALADOC_S)
    return done.stdout + done.stderr if done.returncode or "warning" in done.stdout + done.stderr else ""


def main():
    pages = MADE / "pages"
    shutil.rmtree(MADE, ignore_errors=True)
    if wrong := scaladoc(pages / "scaladoc"):
        print(wrong, file=sys.stderr)
        return 1
    found = stage(pages)
    config = yaml.safe_load((ROOT / "mkdocs.yml").read_text())
    config["nav"] = [
        {title: found.get(target, target) if isinstance(target, str) else target}
        for part in config["nav"]
        for title, target in part.items()
    ]
    listed = set(re.findall(r"[\w./-]+\.md", yaml.safe_dump(config["nav"])))
    config["not_in_nav"] = "\n".join(
        sorted(f"/{p.relative_to(pages)}" for p in pages.rglob("*.md") if str(p.relative_to(pages)) not in listed)
    )
    config |= {"docs_dir": str(pages), "site_dir": str(MADE / "site")}
    config["plugins"][1]["mkdocstrings"]["handlers"]["python"]["paths"] = [str(ROOT / "python")]
    (MADE / "mkdocs.yml").write_text(yaml.safe_dump(config, sort_keys=False))
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--config-file", MADE / "mkdocs.yml"]
    return subprocess.run(command, timeout=600, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}).returncode


if __name__ == "__main__":
    sys.exit(main())
