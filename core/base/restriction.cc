// Three mechanisms of Linux, because none covers everything. A seccomp filter decides by the number and the arguments
// of a system call, but not by the file that a path leads to: /proc/PID/mem is a way into another process too. That
// way is closed by Landlock, whose domains cannot trace what is outside of them, and, for root, by the lack of
// privileges that the other process has.
#include "core/base/restriction.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <linux/sockios.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <span>
#include <vector>

#include "core/base/sanitizers.h"

namespace bp {
namespace {

#if defined(__x86_64__)
#define BP_AUDIT_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define BP_AUDIT_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#ifdef BP_AUDIT_ARCHITECTURE

// Numbers that the headers of Debian 12 may lack; they are the same on all machines.
constexpr int nr_io_uring_setup = 425, nr_io_uring_enter = 426, nr_io_uring_register = 427, nr_open_tree = 428,
              nr_move_mount = 429, nr_fsopen = 430, nr_fsconfig = 431, nr_fsmount = 432, nr_fspick = 433,
              nr_clone3 = 435, nr_pidfd_getfd = 438, nr_process_madvise = 440, nr_mount_setattr = 442,
              nr_quotactl_fd = 443, nr_landlock_create_ruleset = 444, nr_landlock_add_rule = 445,
              nr_landlock_restrict_self = 446, nr_process_mrelease = 448, nr_open_tree_attr = 467;

constexpr int denied_calls[] = {
    // Other processes: their memory, their descriptors, and signals that name no process.
    SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, nr_process_madvise, nr_process_mrelease, SYS_kcmp,
    SYS_pidfd_send_signal, nr_pidfd_getfd, SYS_tkill, SYS_migrate_pages, SYS_move_pages,
    // File systems, and other views of the system.
    SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_setns, SYS_unshare, nr_open_tree, nr_open_tree_attr,
    nr_move_mount, nr_fsopen, nr_fsconfig, nr_fsmount, nr_fspick, nr_mount_setattr, SYS_quotactl, nr_quotactl_fd,
    SYS_open_by_handle_at, SYS_fanotify_init, SYS_swapon, SYS_swapoff, SYS_acct,
    // The kernel and the machine.
    SYS_reboot, SYS_kexec_load, SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_syslog, SYS_settimeofday,
    SYS_clock_settime, SYS_clock_adjtime, SYS_adjtimex, SYS_sethostname, SYS_setdomainname, SYS_vhangup,
#ifdef SYS_kexec_file_load
    SYS_kexec_file_load,
#endif
#ifdef SYS_iopl
    SYS_iopl, SYS_ioperm, SYS_modify_ldt,
#endif
    // Parts of the kernel in which many of its holes were, and which no driver needs.
    SYS_bpf, SYS_perf_event_open, SYS_userfaultfd, SYS_keyctl, SYS_add_key, SYS_request_key, nr_io_uring_setup,
    nr_io_uring_enter, nr_io_uring_register};

// The filter, a program for the machine of classic BPF. Each rule for a call ends the program, so that the next one
// finds the call's number in the accumulator.
class Filter {
 public:
  Filter() {
    load(offsetof(seccomp_data, arch));
    if_equal(BP_AUDIT_ARCHITECTURE, 1);
    answer(SECCOMP_RET_ERRNO | EPERM);
    load(offsetof(seccomp_data, nr));
#if defined(__x86_64__)
    constexpr std::uint32_t first_of_x32 = 0x40000000;
    program_.push_back(BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, first_of_x32, 0, 1));
    answer(SECCOMP_RET_ERRNO | EPERM);
#endif
  }

  void deny(int call, std::uint32_t error = EPERM) {
    if_equal_else_skip(static_cast<std::uint32_t>(call), 1);
    answer(SECCOMP_RET_ERRNO | error);
  }
  // Allows the call only if the argument has one of these values, of 32 bits.
  void allow_only(int call, int argument, std::initializer_list<std::uint32_t> values) {
    if_equal_else_skip(static_cast<std::uint32_t>(call), values.size() + 3);
    load(argument_offset(argument));
    std::size_t left = values.size();
    for (const std::uint32_t value : values) {
      if_equal(value, left--);
    }
    answer(SECCOMP_RET_ERRNO | EPERM);
    answer(SECCOMP_RET_ALLOW);
  }
  // Denies the call if the argument has one of these values, of 32 bits: the kernel ignores the others.
  void deny_values(int call, int argument, std::initializer_list<std::uint32_t> values) {
    if_equal_else_skip(static_cast<std::uint32_t>(call), values.size() + 3);
    load(argument_offset(argument));
    std::size_t left = values.size();
    for (const std::uint32_t value : values) {
      if_equal(value, left--);
    }
    answer(SECCOMP_RET_ALLOW);
    answer(SECCOMP_RET_ERRNO | EPERM);
  }
  // Denies the call if the argument has any of these bits.
  void deny_bits(int call, int argument, std::uint32_t bits) {
    if_equal_else_skip(static_cast<std::uint32_t>(call), 4);
    load(argument_offset(argument));
    program_.push_back(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 1, 0));
    answer(SECCOMP_RET_ALLOW);
    answer(SECCOMP_RET_ERRNO | EPERM);
  }

  // Puts the filter into force, for all threads. Returns errno, or 0.
  int install() {
    answer(SECCOMP_RET_ALLOW);
    const sock_fprog program{static_cast<unsigned short>(program_.size()), program_.data()};
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0 ? 0 : errno;
  }

 private:
  static std::uint32_t argument_offset(int argument) {  // the lower half: both machines are little-endian
    return static_cast<std::uint32_t>(offsetof(seccomp_data, args) + sizeof(std::uint64_t) * argument);
  }
  void load(std::size_t offset) {
    program_.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)));
  }
  void answer(std::uint32_t action) { program_.push_back(BPF_STMT(BPF_RET | BPF_K, action)); }
  // Skips this number of instructions if the accumulator has the value, or if it has another one.
  void if_equal(std::uint32_t value, std::size_t skipped) {
    program_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, static_cast<std::uint8_t>(skipped), 0));
  }
  void if_equal_else_skip(std::uint32_t value, std::size_t skipped) {
    program_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, static_cast<std::uint8_t>(skipped)));
  }

  std::vector<sock_filter> program_;
};

int install_filter() {
  // The commands below act on this process and its process group; kill(0, ...) means the group.
  const auto own = static_cast<std::uint32_t>(getpid());
  const auto own_group = static_cast<std::uint32_t>(-getpgrp());
  constexpr std::uint32_t set_owner_ex = 15;  // F_SETOWN_EX
  constexpr std::uint32_t namespaces =
      CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;
  Filter filter;
  for (const int call : denied_calls) {
    filter.deny(call);
  }
  // Its arguments are in memory, where a filter cannot see them. Libraries then use clone.
  filter.deny(nr_clone3, ENOSYS);
  filter.deny_bits(SYS_clone, 0, namespaces);
  filter.allow_only(SYS_kill, 0, {own, 0, own_group});
  for (const int call : {SYS_tgkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo}) {
    filter.allow_only(call, 0, {own});
  }
  filter.allow_only(SYS_prlimit64, 0, {0, own});
  // The owner of a descriptor gets a signal of any number when there is data; a terminal's user can be made to type.
  filter.deny_values(SYS_fcntl, 1, {F_SETOWN, set_owner_ex});
  filter.deny_values(SYS_ioctl, 1, {FIOSETOWN, SIOCSPGRP, TIOCSTI, TIOCLINUX});
  return filter.install();
}

#else
int install_filter() {
  return ENOSYS;
}
#endif

// Gives up the privileges of root, except those that drivers may need.
void drop_privileges() {
  constexpr int kept[] = {CAP_CHOWN,  CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH, CAP_FOWNER,
                          CAP_FSETID, CAP_IPC_LOCK,     CAP_SYS_NICE,        CAP_SYS_RESOURCE};
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct sets[2] = {};
  if (syscall(SYS_capget, &header, sets) != 0) {
    return;
  }
  std::uint32_t mask[2] = {};
  for (const int capability : kept) {
    mask[capability / 32] |= std::uint32_t{1} << capability % 32;
  }
  for (int i = 0; i < 2; ++i) {
    sets[i].effective &= mask[i];
    sets[i].permitted &= mask[i];
    sets[i].inheritable &= mask[i];
  }
  syscall(SYS_capset, &header, sets);
}

// Enters a Landlock domain. Nothing is denied in it but making device nodes and tracing processes outside. Does
// nothing where the system has no Landlock, or its first version, which would also prevent files from being moved.
void enter_domain() {
#ifdef BP_AUDIT_ARCHITECTURE
  constexpr std::uint64_t make_char = 1 << 6, make_block = 1 << 11, refer = 1 << 13;  // LANDLOCK_ACCESS_FS_
  constexpr int version_flag = 1, beneath_path = 1;
  if (syscall(nr_landlock_create_ruleset, nullptr, 0, version_flag) < 2) {
    return;
  }
  const std::uint64_t handled = make_char | make_block | refer;
  const auto rules = static_cast<int>(syscall(nr_landlock_create_ruleset, &handled, sizeof(handled), 0));
  if (rules < 0) {
    return;
  }
  struct __attribute__((packed)) {
    std::uint64_t allowed;
    std::int32_t directory;
  } const anywhere{refer, open("/", O_PATH | O_CLOEXEC)};
  if (syscall(nr_landlock_add_rule, rules, beneath_path, &anywhere, 0) == 0) {
    syscall(nr_landlock_restrict_self, rules, 0);
  }
  close(anywhere.directory);
  close(rules);
#endif
}

// Whether this process can write to the memory of its parent.
bool reaches_parent() {
  const int memory = open(fmt::format("/proc/{}/mem", getppid()).c_str(), O_RDWR | O_CLOEXEC);
  if (memory >= 0) {
    close(memory);
  }
  return memory >= 0;
}

}  // namespace

std::string restrict_process() {
  if (BP_SANITIZES_MEMORY) {
    return {};
  }
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
    return fmt::format("the system has no no_new_privs ({})", std::strerror(errno));
  }
  enter_domain();
  drop_privileges();
  if (const int error = install_filter(); error != 0) {
    return fmt::format("the system has no seccomp filters ({})", std::strerror(error));
  }
  return reaches_parent()
             ? fmt::format("the system has neither Landlock nor Yama, which protect /proc/{}/mem", getppid())
             : std::string();
}

}  // namespace bp
