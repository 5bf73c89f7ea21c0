# Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
"""The documentation's site: built without a warning, no link to nowhere, and shown by a real browser."""

import functools
import http.server
import subprocess
import sys
import threading
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit

import pytest

ROOT = Path(__file__).resolve().parent.parent
SITE = ROOT / "build" / "docs" / "site"
BROWSER_S = 120


class Page(HTMLParser):
    """What a page links to, and the places in it that can be linked to."""

    def __init__(self, file):
        super().__init__()
        self.links, self.places = [], set()
        self.feed(file.read_text())

    def handle_starttag(self, tag, attributes):
        named = dict(attributes)
        self.places |= {named[key] for key in ("id", "name") if named.get(key)}
        if tag in ("a", "link", "script", "img"):
            self.links += [named[key] for key in ("href", "src") if named.get(key)]


@pytest.fixture(scope="module")
def site():
    done = subprocess.run(
        [sys.executable, ROOT / "dev" / "docs_site.py"], capture_output=True, text=True, timeout=600, cwd=ROOT
    )
    assert done.returncode == 0 and "WARNING" not in done.stdout + done.stderr, done.stdout + done.stderr
    return SITE


def test_every_link_leads_somewhere(site):
    pages = {file: Page(file) for file in site.rglob("*.html")}
    assert len(pages) > 60
    lost = []
    for file, page in pages.items():
        if file.name == "404.html":
            continue
        for link in page.links:
            target, place = urldefrag(link)
            if urlsplit(target).scheme:
                continue
            found = (file.parent / unquote(urlsplit(target).path)).resolve() if target else file
            found = found / "index.html" if found.is_dir() else found
            if not found.is_file() or (place and found in pages and unquote(place) not in pages[found].places):
                lost.append(f"{file.relative_to(site)}: {link}")
    assert lost == []


@pytest.fixture
def address(site):
    """Where a browser finds the site: at the loopback address, for the time of a test."""
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=site)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def shown(address, page, scratch, wait_ms=5000):
    """The page after its scripts have run, and a picture of it."""
    command = [
        "chromium",
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        f"--user-data-dir={scratch}",
        f"--virtual-time-budget={wait_ms}",
        f"--screenshot={scratch}/page.png",
        "--dump-dom",
        f"{address}/{page}",
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=BROWSER_S)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout, (scratch / "page.png").read_bytes()


@pytest.mark.parametrize(
    ("page", "words"),
    [
        ("index.html", ["Use it: ten lines", 'class="md-search__input"']),
        ("api/graph.html", ["sparkgap.graph.kernels", "Hops from one vertex to every vertex"]),
    ],
)
def test_a_browser_shows_it(address, tmp_path, page, words):
    dom, picture = shown(address, page, tmp_path)
    assert [word for word in words if word not in dom] == []
    assert len(picture) > 20_000, "a picture of an empty page is smaller"


def test_search_finds(site):
    """The index that the page's own search reads."""
    index = (site / "search" / "search_index.json").read_text()
    assert "max_iterations" in index and "sparkgap-submit" in index
