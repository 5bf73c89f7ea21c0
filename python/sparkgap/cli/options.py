# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Options and words that several verbs have."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

Json = Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")]


def shown(default: Any) -> str:
    return default if isinstance(default, str) else json.dumps(default)


def flag(name: str) -> str:
    return "--" + name.replace("_", "-")
