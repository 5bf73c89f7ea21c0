// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
// ScaLAPACK's PDGESVD on a matrix from a table: singular_values MATRIX COLUMNS OUTPUT
//
// MATRIX is format raw, which is one column after the other, as Fortran has it. Each rank reads the columns that are
// its own in a grid of 1 x ranks, in blocks. OUTPUT is CSV: number from 1, singular value, the largest first.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

// ScaLAPACK has no header of its own.
void Cblacs_get(int context, int request, int* value);
void Cblacs_gridinit(int* context, char* order, int rows, int columns);
void Cblacs_gridexit(int context);
int numroc_(const int* n, const int* block, const int* process, const int* source, const int* processes);
void descinit_(int* descriptor, const int* m, const int* n, const int* mb, const int* nb, const int* rsrc,
               const int* csrc, const int* context, const int* lld, int* info);
void pdgesvd_(const char* u, const char* vt, const int* m, const int* n, double* a, const int* ia, const int* ja,
              const int* desca, double* s, double* uu, const int* iu, const int* ju, const int* descu, double* v,
              const int* iv, const int* jv, const int* descv, double* work, const int* lwork, int* info);

static const int kZero = 0, kOne = 1, kBlock = 16;

static int fail(const char* what) {
  fprintf(stderr, "singular_values: %s\n", what);
  MPI_Abort(MPI_COMM_WORLD, 1);
  return 1;
}

int main(int argc, char** argv) {
  int rank, ranks, context, info, descriptor[9];
  MPI_Init(&argc, &argv), MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 4) return fail("expected MATRIX COLUMNS OUTPUT");
  FILE* in = fopen(argv[1], "rb");
  const int n = atoi(argv[2]);
  if (in == NULL || n < 1 || fseek(in, 0, SEEK_END) != 0) return fail("no such matrix");
  const int m = (int)(ftell(in) / (long)sizeof(double) / n), least = m < n ? m : n;

  Cblacs_get(-1, 0, &context);
  Cblacs_gridinit(&context, "R", 1, ranks);
  const int mine = numroc_(&n, &kBlock, &rank, &kZero, &ranks), stride = m > 1 ? m : 1;
  descinit_(descriptor, &m, &n, &kBlock, &kBlock, &kZero, &kZero, &context, &stride, &info);
  double* a = calloc((size_t)stride * (mine > 0 ? mine : 1), sizeof *a);
  for (int column = 0, at = 0; column < n; ++column)
    if (column / kBlock % ranks == rank) {
      fseek(in, (long)sizeof(double) * m * column, SEEK_SET);
      if (fread(a + (size_t)stride * at++, sizeof(double), m, in) != (size_t)m) return fail("a matrix that is cut off");
    }

  double *s = calloc(least, sizeof *s), size[2] = {0}, *none = size;
  int ask = -1;
  pdgesvd_("N", "N", &m, &n, a, &kOne, &kOne, descriptor, s, none, &kOne, &kOne, descriptor, none, &kOne, &kOne,
           descriptor, size, &ask, &info);
  int lwork = (int)size[0] + 1;
  double* work = calloc(lwork, sizeof *work);
  pdgesvd_("N", "N", &m, &n, a, &kOne, &kOne, descriptor, s, none, &kOne, &kOne, descriptor, none, &kOne, &kOne,
           descriptor, work, &lwork, &info);
  if (info != 0) return fail("no convergence");
  if (rank == 0) {
    FILE* out = fopen(argv[3], "w");
    for (int i = 0; i < least; ++i) fprintf(out, "%d,%.17g\n", i + 1, s[i]);
    if (fclose(out) != 0) return fail("no room for the result");
  }
  Cblacs_gridexit(context);
  return MPI_Finalize();
}
