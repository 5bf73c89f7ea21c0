// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
//
// sparkgap-rank: stands between a launcher and one process of a job.
//
//   sparkgap-rank --job DIRECTORY -- PROGRAM ARGUMENTS...   a rank: its output goes to DIRECTORY/rank-<r>.log, how it
//                                                           ended to DIRECTORY/exit-<r>.json, its input is empty
//   sparkgap-rank --here -- ARGUMENTS...                    the same where one command line serves many hosts: the
//                                                           directory and the program stand in SPARKGAP_JOB and
//                                                           SPARKGAP_PROGRAM
//   sparkgap-rank --exec -- COMMAND ARGUMENTS...            without log and record (for the launcher's own processes)
//   sparkgap-rank --confined                                starts nothing: 0 where programs can be confined, see below
//
// Where DIRECTORY/arguments-<r> exists, the program of rank r gets its words after the others: each ends with a NUL, so
// they may hold anything, and they may be of this host and this rank. Where DIRECTORY/environment exists, its
// NAME=VALUE, which end with a NUL too, are set for the program alone: what is above it never runs under a word of the
// program's user.
//
// Where DIRECTORY/cpus-<r> exists, rank r and all that it starts may run on the processors there alone. It holds a
// place for each thread, in the form of OMP_PLACES, `{0,1},{2,3}`, which OpenMP's threads are bound to one by one,
// unless the environment says otherwise.
//
// Either way what it started does not outlive the process above it, however that one ends: launchers that die by
// SIGKILL would leave their ranks behind, and these their shared memory (shared_memory.h). It is seen to die through a
// pidfd, because PR_SET_PDEATHSIG fires as soon as the one thread ends that started us, which in a JVM is any time.
// Below us, where there is one thread, PR_SET_PDEATHSIG is right.
//
// The first of us below a JVM, which no launcher of ours has started, confines itself and with it all below
// (confine.h): what runs there reads no secret that a process above it has.
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "guard/confine.h"
#include "guard/shared_memory.h"

namespace {

constexpr int kBadArguments = 2, kLost = 5;

int refuse(int code, const std::string& expected, const std::string& found, const char* action) {
  std::fprintf(stderr, "launch: expected %s, found %s. %s.\n", expected.c_str(), found.c_str(), action);
  return code;
}

// All of a file; false where there is none.
bool read_file(const std::string& path, std::string* text) {
  std::FILE* file = std::fopen(path.c_str(), "r");
  if (file == nullptr) return false;
  char part[4096];
  for (std::size_t n; (n = std::fread(part, 1, sizeof part, file)) > 0;) text->append(part, n);
  std::fclose(file);
  return true;
}

// A file of words that each end with a NUL, where there is one; false where the last does not. They point into `text`.
bool read_words(const std::string& path, std::string* text, std::vector<char*>* words) {
  if (read_file(path, text) && !text->empty() && text->back() != '\0') return false;
  for (std::size_t at = 0; at < text->size(); at = text->find('\0', at) + 1) words->push_back(text->data() + at);
  return true;
}

// Binds this process to all processors of a list of places, and tells OpenMP of the places. A system that does not let
// us leaves it unbound: the program computes the same.
void bind_to(const std::string& places) {
  std::vector<unsigned long> mask;
  constexpr std::size_t bits = 8 * sizeof mask[0];
  for (const char* at = places.c_str(); *at != '\0';) {
    if (!std::isdigit(static_cast<unsigned char>(*at))) {
      ++at;
      continue;
    }
    char* end;
    const unsigned long cpu = std::strtoul(at, &end, 10);
    at = end;
    if (cpu / bits >= mask.size()) mask.resize(cpu / bits + 1);
    mask[cpu / bits] |= 1UL << cpu % bits;
  }
  if (syscall(SYS_sched_setaffinity, 0, mask.size() * sizeof mask[0], mask.data()) != 0) {
    refuse(0, "to run on processors " + places, std::strerror(errno), "This rank stays unpinned");
    return;
  }
  setenv("OMP_PLACES", places.c_str(), 0);
  setenv("OMP_PROC_BIND", "close", 0);
}

// The program: in a process group of its own, so that whatever it starts can be ended with it.
[[noreturn]] void become(char** command, const std::vector<char*>& environment, const std::string& places, pid_t guard,
                         int output, const sigset_t& signals) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != guard) _exit(kLost);  // it died before the request
  setpgid(0, 0);
  sigprocmask(SIG_SETMASK, &signals, nullptr);
  if (output >= 0) {
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    // MPI's launcher gives all ranks but the first a pipe that never ends.
    const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (nothing >= 0) dup2(nothing, STDIN_FILENO);
  }
  for (char* set : environment) putenv(set);
  if (!places.empty()) bind_to(places);
  execvp(command[0], command);
  _exit(refuse(kLost, std::string("a program at ") + command[0], std::strerror(errno), "Check the path"));
}

// Whether it is ending, or has ended. What a dying process held is closed before its end can be waited for: by then
// others may know of it, and ask us to end it.
bool ends(pid_t child) {
  constexpr unsigned long kExiting = 0x4;  // PF_EXITING of Linux's include/linux/sched.h
  std::string stat;
  unsigned long flags = 0;
  if (!read_file("/proc/" + std::to_string(child) + "/stat", &stat)) return false;
  const std::size_t name_ends = stat.rfind(')');  // before state, parent, group, session, terminal, its group, flags
  return name_ends != std::string::npos &&
         std::sscanf(stat.c_str() + name_ends, ") %*c %*d %*d %*d %*d %*d %lu", &flags) == 1 && (flags & kExiting) != 0;
}

// Waits for the end of `child`, whose status is returned. Signals go on to it; the death of `parent` kills it. `asked`
// tells whether either came before its end began, `orphaned` whether the latter came before it was over.
int watch(pid_t child, int parent, int signals, bool* asked, bool* orphaned) {
  pollfd events[2] = {{signals, POLLIN, 0}, {parent, POLLIN, 0}};  // a negative descriptor is not watched
  for (int status = 0;;) {
    const bool woken = poll(events, 2, -1) >= 0;
    // First of all: its end may have come before the word that wakes us, which is then not what it ended of.
    if (waitpid(child, &status, WNOHANG) == child) {
      kill(-child, SIGKILL);  // what the program left behind
      return status;
    }
    if (!woken) continue;
    if (events[1].revents != 0) {
      *asked |= !ends(child);
      *orphaned = true;
      kill(-child, SIGKILL);
      kill(child, SIGKILL);  // where it had no time to make its group
      events[1].fd = -1;
    }
    signalfd_siginfo received;
    if (events[0].revents != 0 && read(signals, &received, sizeof received) == sizeof received &&
        received.ssi_signo != SIGCHLD) {
      *asked |= !ends(child);
      kill(child, static_cast<int>(received.ssi_signo));
    }
  }
}

// Aside and renamed, so that a reader sees all of it or nothing.
bool record(const std::string& path, int rank, int status, bool asked, pid_t pid) {
  char host[256] = "localhost";
  gethostname(host, sizeof host - 1);
  const std::string aside = path + ".part";
  std::FILE* file = std::fopen(aside.c_str(), "w");
  if (file == nullptr) return false;
  const bool written =
      std::fprintf(file, "{\"rank\": %d, \"code\": %d, \"signal\": %d, \"asked\": %s, \"host\": \"%s\", \"pid\": %d}\n",
                   rank, WIFEXITED(status) ? WEXITSTATUS(status) : 0, WIFSIGNALED(status) ? WTERMSIG(status) : 0,
                   asked ? "true" : "false", host, static_cast<int>(pid)) > 0;
  return std::fclose(file) == 0 && written && std::rename(aside.c_str(), path.c_str()) == 0;
}

// Whether a process may have ended so because it lost a peer, of which MPICH may even crash. It was not killed.
bool may_have_lost_a_peer(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) == kLost : WTERMSIG(status) != SIGKILL && WTERMSIG(status) != SIGTERM;
}

// Says to MPI's launcher that this rank is gone, and waits until it knows. MPICH's ends the other ranks where a rank's
// connection ends before MPI_Finalize, but not where it has seen the rank's own end first, as on a busy machine: they
// would then wait for a rank that is no more. After MPI_Finalize the other side has closed already. For a program
// without MPI it never closes: so the wait is short, of a rank that ended well a moment.
//
// The launcher ends the others by SIGKILL, and their guards. One whose rank was the first to die must have written its
// record before: so a rank that may have lost a peer leaves later. An order to end, or the death of `parent`, ends that
// wait.
void leave_job(int status, int orders, int parent) {
  constexpr int kPeersRecordMs = 250;
  const char* connection = std::getenv("PMI_FD");
  if (connection == nullptr) return;
  pollfd events[2] = {{orders, POLLIN, 0}, {parent, POLLIN, 0}};  // a negative descriptor is not watched
  if (may_have_lost_a_peer(status)) poll(events, 2, kPeersRecordMs);
  pollfd closed{std::atoi(connection), 0, 0};  // POLLHUP comes unasked, once both sides are closed
  if (shutdown(closed.fd, SHUT_WR) == 0) poll(&closed, 1, status != 0 ? 500 : 20);
}

int guard(const std::string& directory, char** command) {
  const pid_t above = getppid();
  const int parent = static_cast<int>(syscall(SYS_pidfd_open, above, 0));
  if (parent < 0) prctl(PR_SET_PDEATHSIG, SIGKILL);  // before Linux 5.3
  if (getppid() != above) return kLost;

  const char* told = std::getenv("PMI_RANK");
  if (told == nullptr) (void)sparkgap::confine();  // what asks for --confined says where it cannot
  const int rank = told == nullptr ? 0 : std::atoi(told);
  const std::string suffix = std::to_string(rank);
  int output = -1;
  std::string own, set, places;
  std::vector<char*> words, environment;
  for (; *command != nullptr; ++command) words.push_back(*command);
  if (!directory.empty()) {
    if (!read_words(directory + "/arguments-" + suffix, &own, &words) ||
        !read_words(directory + "/environment", &set, &environment))
      return refuse(kLost, "words that each end with a NUL in " + directory, "an end without", "Run again");
    read_file(directory + "/cpus-" + suffix, &places);
    const std::string log = directory + "/rank-" + suffix + ".log";
    output = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (output < 0) return refuse(kLost, "to write " + log, std::strerror(errno), "Make the job's directory writable");
  }
  words.push_back(nullptr);

  sigset_t watched, before;
  sigemptyset(&watched);
  for (const int signal : {SIGCHLD, SIGTERM, SIGINT, SIGHUP}) sigaddset(&watched, signal);
  sigprocmask(SIG_BLOCK, &watched, &before);
  const int signals = signalfd(-1, &watched, SFD_CLOEXEC);
  const pid_t self = getpid(), child = fork();
  if (child == 0) become(words.data(), environment, places, self, output, before);
  if (child < 0)
    return refuse(kLost, std::string("to start ") + words[0], std::strerror(errno), "Allow more processes");

  bool asked = false, orphaned = false;
  const int status = watch(child, parent, signals, &asked, &orphaned);
  // Of the guards of a host the first below the JVM does it, when the others have died.
  if (orphaned && told == nullptr) sparkgap::remove_left_memory();
  // Recorded before the MPI launcher sees the end of its connection, and may kill us for it.
  if (!directory.empty() && !record(directory + "/exit-" + suffix + ".json", rank, status, asked, child)) return kLost;
  sigdelset(&watched, SIGCHLD);
  leave_job(status, signalfd(signals, &watched, SFD_CLOEXEC), parent);
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  signal(WTERMSIG(status), SIG_DFL);
  sigprocmask(SIG_SETMASK, &before, nullptr);
  kill(self, WTERMSIG(status));
  return 128 + WTERMSIG(status);
}

}  // namespace

int main(int argc, char** argv) {
  const auto is = [&](int i, const char* word) { return i < argc && std::strcmp(argv[i], word) == 0; };
  if (is(1, "--confined"))
    return sparkgap::confine()
               ? 0
               : refuse(kLost, "Linux of at least 5.19 with Landlock, or root's capabilities, to confine programs",
                        "neither", "They can read what other processes of this user hold");
  if (is(1, "--exec") && is(2, "--") && argc > 3) return guard("", argv + 3);
  if (is(1, "--job") && is(3, "--") && argc > 4) return guard(argv[2], argv + 4);
  if (is(1, "--here") && is(2, "--")) {
    const char* directory = std::getenv("SPARKGAP_JOB");
    char* program = std::getenv("SPARKGAP_PROGRAM");
    if (directory == nullptr || program == nullptr)
      return refuse(kBadArguments, "SPARKGAP_JOB and SPARKGAP_PROGRAM", "not both", "It is started by sparkgap");
    if (chdir(directory) != 0)
      return refuse(kLost, std::string("the job's directory ") + directory, std::strerror(errno),
                    "Look why it is gone");
    // Its folder was put before PATH for the MPI launcher alone.
    if (const char* path = std::getenv("SPARKGAP_PATH"); path != nullptr) {
      if (*path != '\0') setenv("PATH", path, 1);
      else unsetenv("PATH");
      unsetenv("SPARKGAP_PATH");
    }
    argv[2] = program;
    return guard(directory, argv + 2);
  }
  return refuse(kBadArguments,
                "sparkgap-rank --job DIRECTORY -- PROGRAM ARGUMENTS..., --here -- ARGUMENTS..., --exec -- COMMAND "
                "ARGUMENTS... or --confined",
                "none of them", "It is started by sparkgap");
}
