// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "guard/shared_memory.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cstring>

namespace sparkgap {
namespace {

bool is_of_ranks(const char* name) {
  for (const char* prefix : {"mpich_shm_", "ucx_shm_posix_"})
    if (std::strncmp(name, prefix, std::strlen(prefix)) == 0) return true;
  return false;
}

// Whether the name is gone, or not ours to remove. The kernel grants a write lease only on a file that no process has
// open or mapped, in any container; until it is given back, who opens the file waits.
bool removed(int folder, const char* name) {
  const int file = openat(folder, name, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
  if (file < 0) return true;
  struct stat found;
  bool done = fstat(file, &found) != 0 || !S_ISREG(found.st_mode) || found.st_uid != geteuid();
  if (!done) {
    fcntl(file, F_SETSIG, SIGURG);  // which is ignored, where SIGIO would end us
    done = fcntl(file, F_SETLEASE, F_WRLCK) == 0 && unlinkat(folder, name, 0) == 0;
  }
  close(file);
  return done;
}

bool all_removed(const std::string& folder) {
  DIR* names = opendir(folder.c_str());
  if (names == nullptr) return true;
  bool all = true;
  while (const dirent* entry = readdir(names))
    if (is_of_ranks(entry->d_name)) all = removed(dirfd(names), entry->d_name) && all;
  closedir(names);
  return all;
}

}  // namespace

void remove_left_memory(const std::string& folder) {
  constexpr int kTries = 100;
  constexpr timespec kPause{0, 10'000'000};
  for (int i = 0; i < kTries && !all_removed(folder); ++i) nanosleep(&kPause, nullptr);
}

}  // namespace sparkgap
