# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""From an event log to what happened: takes the files of one application, gives an `Application`."""
