# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""One algorithm by NetworKit or igraph, from a file of edges to a Parquet file of values, as a whole process.

pyarrow reads and writes for both: their own readers are slower. `--describe FILE` prints the vertex with the most
edges.
"""

import argparse
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from graph_peers import Edges, igraph, networkit


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("engine", choices=("networkit", "igraph"))
    parser.add_argument("algorithm")
    parser.add_argument("input", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--source", type=int, required=True)
    parser.add_argument("--threads", type=int, required=True)
    args = parser.parse_args()
    edges = Edges(args.input)
    edges.source = args.source
    run, _, read = {"networkit": networkit, "igraph": igraph}[args.engine](args.algorithm, edges, args.threads)
    values = np.asarray(read(run()))
    ids = np.arange(len(values)) if len(values) == edges.n else np.zeros(len(values))  # NetworKit's sum has no ids
    pq.write_table(pa.table({"id": ids, "value": values}), args.out)


if __name__ == "__main__":
    main()
