# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Any Python with mpi4py: each rank maps its rows, agrees with the others on mean and deviation, and writes its rows
back.

scaled = sparkgap.mpi.run("standardise.py", inputs={"points": df}, outputs={"scaled": df.schema, "moments": "name
string, mean double, deviation double"}, ranks=2)
"""

import numpy as np
import pyarrow as pa
from mpi4py import MPI

from sparkgap import program

with program.job() as job:
    points = job.input("points")  # this rank's rows, where Spark's are
    values = np.stack([points[name].to_numpy() for name in points.column_names])
    n, total, squares = (
        MPI.COMM_WORLD.allreduce(part) for part in (values.shape[1], values.sum(axis=1), (values**2).sum(axis=1))
    )
    job.progress(1, 1)
    mean = total / n
    deviation = np.sqrt(squares / n - mean**2)
    scaled = (values - mean[:, None]) / deviation[:, None]
    job.write("scaled", pa.table(dict(zip(points.column_names, scaled, strict=True))))
    if job.rank == 0:
        job.write("moments", pa.table({"name": points.column_names, "mean": mean, "deviation": deviation}))
