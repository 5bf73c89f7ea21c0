// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "guard/confine.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

namespace sparkgap {
namespace {

// From <linux/landlock.h>, which older build systems do not have.
constexpr int kCreateRuleset = 444, kAddRule = 445, kRestrictSelf = 446;  // the same number on every architecture
constexpr unsigned kAskVersion = 1;
constexpr int kPathBeneath = 1, kOldestVersion = 2;
constexpr std::uint64_t kRefer = 1ULL << 13;
struct [[gnu::packed]] PathBeneath {
  std::uint64_t allowed;
  std::int32_t folder;
};

// A domain of Landlock's may look into no process outside of it. It needs a rule about files: that they may be linked
// and moved between folders, everywhere, as before. That right came with version 2; a domain of version 1 has it
// nowhere.
bool enter_domain() {
  if (syscall(kCreateRuleset, nullptr, 0, kAskVersion) < kOldestVersion) return false;
  const int rules = static_cast<int>(syscall(kCreateRuleset, &kRefer, sizeof kRefer, 0));
  const int root = open("/", O_PATH | O_CLOEXEC);
  const PathBeneath everywhere{kRefer, root};
  const bool inside = rules >= 0 && root >= 0 && syscall(kAddRule, rules, kPathBeneath, &everywhere, 0) == 0 &&
                      syscall(kRestrictSelf, rules, 0) == 0;
  if (rules >= 0) close(rules);
  if (root >= 0) close(root);
  return inside;
}

// Root looks into any process by CAP_SYS_PTRACE, or into the machine's memory by others; without one that the other
// has, into none. Those that programs work with stay: files of other users, priorities, locked memory, network. True
// where there was one to lay down.
bool lay_down() {
  // The last three are younger than some headers: PERFMON, BPF, CHECKPOINT_RESTORE.
  constexpr int kinds[] = {
      CAP_SYS_PTRACE, CAP_SYS_ADMIN, CAP_SYS_MODULE, CAP_SYS_RAWIO, CAP_MKNOD, CAP_SETPCAP, 38, 39, 40};
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct held[2]{};
  if (syscall(SYS_capget, &header, held) != 0) return false;
  bool any = false;
  for (const int kind : kinds) {
    auto& part = held[kind / 32];
    const std::uint32_t bit = 1U << (kind % 32);
    any = any || (part.permitted & bit) != 0;
    part.effective &= ~bit, part.permitted &= ~bit, part.inheritable &= ~bit;
  }
  return any && syscall(SYS_capset, &header, held) == 0;
}

}  // namespace

bool confine() {
  // Else starting any program would give root its capabilities back. Landlock asks for it too.
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return false;
  const bool inside = enter_domain();
  return lay_down() || inside;
}

}  // namespace sparkgap
