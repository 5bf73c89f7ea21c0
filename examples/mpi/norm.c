// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
// Any C: the Euclidean norm of a column of doubles (format raw), each rank reading its share. norm INPUT OUTPUT
#include <math.h>
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  double value, sum = 0, all;
  int rank, ranks;
  MPI_Init(&argc, &argv), MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  FILE* in = fopen(argv[1], "rb");
  for (long row = 0; fread(&value, sizeof value, 1, in) == 1; ++row)
    if (row % ranks == rank) sum += value * value;
  MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) fprintf(fopen(argv[2], "w"), "%d,%.17g\n", ranks, sqrt(all));
  return MPI_Finalize();
}
