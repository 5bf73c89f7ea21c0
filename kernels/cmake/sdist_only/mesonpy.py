# Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
"""Stands in for nanoarrow's build system while pip downloads its sources.

`pip download` asks for the metadata of what it saves, for which it would fetch and run a whole build system (minutes).
We want the archive alone and answer with the name and version that nanoarrow.cmake pins.
"""

import os
import pathlib


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    version = os.environ["SPARKGAP_SDIST_VERSION"]
    folder = pathlib.Path(metadata_directory, f"nanoarrow-{version}.dist-info")
    folder.mkdir()
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: nanoarrow\nVersion: {version}\n")
    return folder.name
