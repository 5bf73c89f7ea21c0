// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
//
// sparkgap-rank, started for real.
#include <gtest/gtest.h>

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "test/scratch.h"

namespace sparkgap {
namespace {

const std::string kGuard = SPARKGAP_RANK;

pid_t start(const std::vector<std::string>& arguments) {
  const pid_t pid = fork();
  if (pid != 0) return pid;
  std::vector<char*> argv;
  for (const auto& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  execv(argv[0], argv.data());
  _exit(127);
}

int wait_for(pid_t pid) {
  int status = 0;
  waitpid(pid, &status, 0);
  return status;
}

template <typename Condition>
bool within_seconds(int seconds, Condition&& condition) {
  for (int i = 0; i < seconds * 100; ++i, std::this_thread::sleep_for(std::chrono::milliseconds(10)))
    if (condition()) return true;
  return false;
}

bool alive(pid_t pid) {  // a zombie is dead
  const std::string status = read_text("/proc/" + std::to_string(pid) + "/stat");
  return !status.empty() && status[status.rfind(')') + 2] != 'Z';
}

struct Guard : ::testing::Test {
  nlohmann::json ended() { return nlohmann::json::parse(read_text(job / "exit-0.json")); }
  // The process id that the program wrote to its log, once it did.
  pid_t program() {
    EXPECT_TRUE(within_seconds(10, [&] { return read_text(job / "rank-0.log").find('\n') != std::string::npos; }));
    return static_cast<pid_t>(std::stol(read_text(job / "rank-0.log")));
  }
  Scratch job;
};

TEST_F(Guard, PassesOnCodeAndLogsBothStreams) {
  const int status =
      wait_for(start({kGuard, "--job", job.path(), "--", "/bin/sh", "-c", "echo out; echo err >&2; exit 3"}));
  EXPECT_EQ(WEXITSTATUS(status), 3);
  EXPECT_EQ(read_text(job / "rank-0.log"), "out\nerr\n");
  const auto record = ended();
  EXPECT_EQ(record["rank"], 0);
  EXPECT_EQ(record["code"], 3);
  EXPECT_EQ(record["signal"], 0);
  EXPECT_GT(record["pid"], 1);
  EXPECT_FALSE(record["host"].get<std::string>().empty());
  EXPECT_FALSE(std::filesystem::exists(job / "exit-0.json.part"));
}

TEST_F(Guard, TakesTheRankFromTheLauncher) {
  setenv("PMI_RANK", "2", 1);
  (void)wait_for(start({kGuard, "--job", job.path(), "--", "/bin/true"}));
  unsetenv("PMI_RANK");
  EXPECT_EQ(nlohmann::json::parse(read_text(job / "exit-2.json"))["rank"], 2);
}

TEST_F(Guard, StaysUntilTheLauncherKnowsThatTheConnectionOfAFailedRankEnded) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  fcntl(ends[0], F_SETFD, FD_CLOEXEC);
  setenv("PMI_RANK", "0", 1);
  setenv("PMI_FD", std::to_string(ends[1]).c_str(), 1);
  const pid_t pid = start({kGuard, "--job", job.path(), "--", "/bin/sh", "-c", "sleep 30 & exit 3"});
  unsetenv("PMI_RANK");
  unsetenv("PMI_FD");
  close(ends[1]);
  char byte;
  EXPECT_EQ(read(ends[0], &byte, 1), 0) << "the end of the connection, though a child still had it";
  const auto heard = std::chrono::steady_clock::now();
  EXPECT_EQ(ended()["code"], 3) << "recorded before";
  int status = 0;
  if (waitpid(pid, &status, WNOHANG) == pid) {  // this thread has slept through all of the guard's patience
    EXPECT_GE(std::chrono::steady_clock::now() - heard, std::chrono::milliseconds(400));
  } else {
    close(ends[0]);
    status = wait_for(pid);
  }
  EXPECT_EQ(WEXITSTATUS(status), 3);
}

// From the record of a rank to the end of its connection: milliseconds.
long long leaves_after(const Scratch& job, const char* ending) {
  int ends[2];
  EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  fcntl(ends[0], F_SETFD, FD_CLOEXEC);
  setenv("PMI_RANK", "0", 1);
  setenv("PMI_FD", std::to_string(ends[1]).c_str(), 1);
  const pid_t pid = start({kGuard, "--job", job.path(), "--", "/bin/sh", "-c", ending});
  unsetenv("PMI_RANK");
  unsetenv("PMI_FD");
  close(ends[1]);
  char byte;
  EXPECT_EQ(read(ends[0], &byte, 1), 0);
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  struct stat record;
  EXPECT_EQ(stat((job / "exit-0.json").c_str(), &record), 0) << ending;
  close(ends[0]);
  (void)wait_for(pid);
  return (now.tv_sec - record.st_mtim.tv_sec) * 1000LL + (now.tv_nsec - record.st_mtim.tv_nsec) / 1000000;
}

TEST_F(Guard, ARankThatMayHaveLostItsPeerLeavesWhenThePeersGuardHadTimeToRecord) {
  for (const char* ending : {"kill -SEGV $$", "kill -ABRT $$", "exit 5"}) {
    EXPECT_GE(leaves_after(job, ending), 200) << ending;
    std::filesystem::remove(job / "exit-0.json");
  }
}

TEST_F(Guard, AnOrderToEndCutsThatTimeShort) {
  // Pending before the program's end, which the guard looks at first.
  long long least = 1000;
  for (int i = 0; i < 5 && least >= 200; ++i) {
    least = std::min(least, leaves_after(job,
                                         "kill -STOP $PPID; kill -TERM $PPID; (sleep 0.2; kill -CONT $PPID) & "
                                         "exec sh -c 'kill -SEGV $$'"));
    std::filesystem::remove(job / "exit-0.json");
  }
  EXPECT_LT(least, 200);
}

TEST_F(Guard, AddsTheArgumentsOfTheRank) {
  write_text(job / "arguments-2", std::string("a b\0\0$HOME `id`\n\0", 17));
  setenv("PMI_RANK", "2", 1);
  (void)wait_for(
      start({kGuard, "--job", job.path(), "--", "/bin/sh", "-c", "for word; do echo \"<$word>\"; done", "sh"}));
  unsetenv("PMI_RANK");
  EXPECT_EQ(read_text(job / "rank-2.log"), "<a b>\n<>\n<$HOME `id`\n>\n");
  (void)wait_for(start({kGuard, "--job", job.path(), "--", "/bin/echo", "alone"}));
  EXPECT_EQ(read_text(job / "rank-0.log"), "alone\n") << "another rank has no such words";
}

TEST_F(Guard, SetsWhatTheUserSaysForTheProgramAlone) {
  write_text(job / "environment", std::string("COLOUR=dark red\0EMPTY=\0HOME=/nowhere\0", 38));
  (void)wait_for(start({kGuard, "--job", job.path(), "--", "/bin/sh", "-c",
                        "echo \"<$COLOUR><${EMPTY-unset}><$HOME>\"; tr '\\0' '\\n' < /proc/$PPID/environ | grep -c -e "
                        "COLOUR -e nowhere"}));
  EXPECT_EQ(read_text(job / "rank-0.log"), "<dark red><></nowhere>\n0\n");
}

// What a shell that has a secret in its environment finds in its own, and then a program that it starts under a guard
// without it: how often the secret, and whether it can look at its parent.
std::string looked(const Scratch& job, const std::string& as_user) {
  write_text(job / "look",
             "tr '\\0' '\\n' 2>/dev/null < /proc/$TOP/environ | grep -c ^CANARY=; tr '\\0' '\\n' < /proc/$PPID/environ "
             "| grep -c ^TOP=\n");
  write_text(
      job / "top",
      "export TOP=$$\n/bin/sh $0/look\nenv -u CANARY /proc/self/fd/9 --job $0 -- /bin/sh $0/look\ncat $0/rank-0.log\n");
  (void)wait_for(
      start({"/usr/bin/env", "CANARY=secret", "/bin/sh", "-c",
             "exec 9<" + kGuard + " > $0/said 2>&1; chmod 777 $0; exec " + as_user + " /bin/sh -c '. $0/top' $0",
             job.path()}));
  return read_text(job / "said");
}

TEST_F(Guard, LetsTheProgramLookIntoNothingAboveIt) {
  EXPECT_EQ(looked(job, ""), "1\n0\n0\n1\n") << "a shell sees itself; a program under a guard the guard alone";
}

TEST_F(Guard, LetsTheProgramOfAnOrdinaryUserLookIntoNothingAboveIt) {
  if (getuid() != 0) GTEST_SKIP() << "the test before has done it";
  EXPECT_EQ(looked(job, "setpriv --reuid=65534 --regid=65534 --clear-groups"), "1\n0\n0\n1\n");
  EXPECT_EQ(WEXITSTATUS(wait_for(start({kGuard, "--confined"}))), 0);
}

TEST_F(Guard, BindsTheRankAndWhatItStarts) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  int last = CPU_SETSIZE - 1;
  while (!CPU_ISSET(last, &before)) --last;
  const std::string one = std::to_string(last), places = "{" + one + "},{" + one + "," + one + "}";
  const std::vector<std::string> look = {
      kGuard,
      "--job",
      job.path(),
      "--",
      "/bin/sh",
      "-c",
      "grep -o 'Cpus_allowed_list.*' /proc/self/status; echo $OMP_PLACES $OMP_PROC_BIND"};
  const auto said = [&] {
    std::filesystem::remove(job / "rank-0.log");
    (void)wait_for(start(look));
    return read_text(job / "rank-0.log");
  };
  const std::string unbound = said();
  EXPECT_NE(unbound.find("Cpus_allowed_list"), std::string::npos);
  write_text(job / "cpus-0", places);
  EXPECT_EQ(said(), "Cpus_allowed_list:\t" + one + "\n" + places + " close\n");
  setenv("OMP_PROC_BIND", "false", 1);
  EXPECT_EQ(said(), "Cpus_allowed_list:\t" + one + "\n" + places + " false\n") << "the user's word stands";
  unsetenv("OMP_PROC_BIND");
  write_text(job / "cpus-0", "{100000}");
  EXPECT_EQ(
      said(),
      "launch: expected to run on processors {100000}, found Invalid argument. This rank stays unpinned.\n" + unbound);
  std::filesystem::rename(job / "cpus-0", job / "cpus-1");
  EXPECT_EQ(said(), unbound) << "another rank's are not this one's";
}

TEST_F(Guard, GivesAnEmptyInput) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const int before = dup(STDIN_FILENO);
  dup2(ends[0], STDIN_FILENO);  // nobody writes or closes it
  const int status = wait_for(start({kGuard, "--job", job.path(), "--", "/bin/sh", "-c", "cat; echo end"}));
  dup2(before, STDIN_FILENO);
  for (const int file : {ends[0], ends[1], before}) close(file);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(read_text(job / "rank-0.log"), "end\n");
}

TEST_F(Guard, RecordsTheSignalAndDiesByIt) {
  const pid_t guard = start({kGuard, "--job", job.path(), "--", "/bin/sh", "-c", "echo $$; exec sleep 60"});
  kill(program(), SIGKILL);
  const int status = wait_for(guard);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  EXPECT_EQ(ended()["signal"], SIGKILL);
  EXPECT_EQ(ended()["asked"], false);
  EXPECT_EQ(ended()["code"], 0);
}

TEST_F(Guard, ForwardsTermination) {
  const pid_t guard = start({kGuard, "--job", job.path(), "--", "/bin/sh", "-c",
                             "trap 'exit 9' TERM; echo $$; while :; do sleep 0.05; done"});
  (void)program();
  kill(guard, SIGTERM);
  EXPECT_EQ(WEXITSTATUS(wait_for(guard)), 9);
  EXPECT_EQ(ended()["code"], 9);
  EXPECT_EQ(ended()["asked"], true);
}

TEST_F(Guard, AnOrderThatTheEndOfTheProgramBringsAboutIsNotItsCause) {
  const std::string pipe = job / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  for (int i = 0; i < 50; ++i) {
    const pid_t guard =
        start({kGuard, "--job", job.path(), "--", "/bin/sh", "-c", "exec 9>$0; echo $$ >&9; exec sleep 100 >&9", pipe});
    const int held = open(pipe.c_str(), O_RDONLY);
    char pid[16] = "";
    ASSERT_GT(read(held, pid, sizeof pid - 1), 0);
    kill(std::atoi(pid), SIGKILL);
    while (read(held, pid, sizeof pid) > 0) continue;  // until nobody holds the other end, as a launcher's socket
    kill(guard, SIGTERM);
    (void)wait_for(guard);
    close(held);
    ASSERT_FALSE(ended()["asked"]) << "after " << i;
  }
}

TEST_F(Guard, KillingTheGuardKillsTheProgram) {
  const pid_t guard = start({kGuard, "--job", job.path(), "--", "/bin/sh", "-c", "echo $$; exec sleep 60"});
  const pid_t pid = program();
  kill(guard, SIGKILL);
  (void)wait_for(guard);
  EXPECT_TRUE(within_seconds(5, [&] { return !alive(pid); }));
}

TEST_F(Guard, TheDeathOfWhoeverStartedItKillsEverything) {
  // A shell starts the guard, as a launcher would; the program starts a child of its own.
  const pid_t launcher = start(
      {"/bin/sh", "-c", kGuard + " --job " + job.path() + " -- /bin/sh -c 'echo $$; sleep 60 & echo $!; wait'; true"});
  const pid_t pid = program();
  std::string log;
  ASSERT_TRUE(within_seconds(10, [&] {
    log = read_text(job / "rank-0.log");
    return std::count(log.begin(), log.end(), '\n') == 2;
  }));
  const auto grandchild = static_cast<pid_t>(std::stol(log.substr(log.find('\n') + 1)));
  EXPECT_TRUE(alive(pid) && alive(grandchild));
  kill(launcher, SIGKILL);
  (void)wait_for(launcher);
  EXPECT_TRUE(within_seconds(5, [&] { return !alive(pid) && !alive(grandchild); }));
}

// What ranks leave that die while they start: files that they alone have mapped.
TEST_F(Guard, TheDeathOfWhoeverStartedItRemovesSharedMemory) {
  const std::string word = "_test_" + std::to_string(getpid());
  const std::string left = "/dev/shm/mpich_shm" + word + "_0", held = "/dev/shm/mpich_shm" + word + "_1",
                    other = "/dev/shm/other" + word;
  for (const auto& file : {left, held, other}) write_text(file, "x");
  const int keep = open(held.c_str(), O_RDONLY);
  const pid_t launcher =
      start({"/bin/sh", "-c",
             kGuard + " --job " + job.path() + " -- /bin/sh -c 'exec 9< " + left + "; echo $$; sleep 60'; true"});
  (void)program();
  kill(launcher, SIGKILL);
  (void)wait_for(launcher);
  EXPECT_TRUE(within_seconds(5, [&] { return !std::filesystem::exists(left); }));
  EXPECT_TRUE(std::filesystem::exists(held)) << "another job's";
  EXPECT_TRUE(std::filesystem::exists(other));
  close(keep);
  for (const auto& file : {held, other}) std::filesystem::remove(file);
}

TEST_F(Guard, OutlivesTheThreadThatStartedIt) {
  pid_t guard = 0;
  std::thread([&] {
    guard = start({kGuard, "--job", job.path(), "--", "/bin/sh", "-c", "echo $$; sleep 0.3; exit 4"});
  }).join();
  EXPECT_EQ(WEXITSTATUS(wait_for(guard)), 4);
}

TEST_F(Guard, SaysWhyAProgramCannotStart) {
  EXPECT_EQ(WEXITSTATUS(wait_for(start({kGuard, "--job", job.path(), "--", "/no/such/program"}))), 5);
  EXPECT_EQ(read_text(job / "rank-0.log"),
            "launch: expected a program at /no/such/program, found No such file or directory. Check the path.\n");
  EXPECT_EQ(ended()["code"], 5);
}

TEST_F(Guard, ExecRunsWithoutRecords) {
  EXPECT_EQ(WEXITSTATUS(wait_for(start({kGuard, "--exec", "--", "/bin/sh", "-c", "exit 6"}))), 6);
  EXPECT_TRUE(std::filesystem::is_empty(job.path()));
}

TEST_F(Guard, WrongArguments) { EXPECT_EQ(WEXITSTATUS(wait_for(start({kGuard, "--job"}))), 2); }

}  // namespace
}  // namespace sparkgap
