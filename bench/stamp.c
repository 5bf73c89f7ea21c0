// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
//
// The first instruction of a rank: adds the time to the file STAMPS, and becomes PROGRAM.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char** argv) {
  (void)argc;
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (getenv("PMI_RANK") != NULL || getenv("SPARKGAP_JOB") != NULL) {
    char line[32];
    const int length = snprintf(line, sizeof line, "%lld%09ld\n", (long long)now.tv_sec, now.tv_nsec);
    const int file = open(STAMPS, O_WRONLY | O_APPEND);
    if (file < 0 || write(file, line, length) != length) return 3;
    close(file);
  }
  execv(PROGRAM, argv);
  return 4;
}
