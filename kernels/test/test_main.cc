// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <memory>

#include "mpi/mpi_comm.h"
#include "test/test_comm.h"

namespace {
std::unique_ptr<sparkgap::Comm> comm;
}

sparkgap::Comm& sparkgap::test_comm() { return *comm; }

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  comm = sparkgap::connect(sparkgap::launched_ranks());
  if (comm->rank() > 0) ::testing::GTEST_FLAG(brief) = true;
  const int status = RUN_ALL_TESTS();
  // One rank's failure must be everybody's, but not before the others had their say.
  const int failed = static_cast<int>(comm->allreduce<int64_t>(status, sparkgap::Reduce::kMax));
  comm.reset();
  return failed;
}
