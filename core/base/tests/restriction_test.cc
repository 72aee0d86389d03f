#include "core/base/restriction.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/seccomp.h>
#include <linux/sockios.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/reboot.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <functional>
#include <thread>

#include "core/base/sanitizers.h"
#include "tools/testing/skip.h"
#include "tools/testing/temporary_folder.h"

namespace bp {
namespace {

// Runs the function in a child that is restricted, and returns what it returns; an empty text is a success.
std::string in_restricted_child(const std::function<std::string()> &function) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  if (child == 0) {
    setpgid(0, 0);
    const std::string missing = restrict_process();
    const std::string said = missing.empty() ? function() : "not restricted: " + missing;
    const bool is_written = write(ends[1], said.data(), said.size()) == static_cast<ssize_t>(said.size());
    _exit(is_written ? 0 : 1);
  }
  close(ends[1]);
  std::string said;
  char buffer[1000];
  for (ssize_t size; (size = read(ends[0], buffer, sizeof(buffer))) > 0;) {
    said.append(buffer, static_cast<std::size_t>(size));
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? said : said + fmt::format("; it ended with {}", status);
}

struct Attempt {
  const char *name;
  std::function<long()> call;
};
// Returns the names of the attempts that do not fail with EPERM.
std::string not_refused(const std::vector<Attempt> &attempts) {
  std::string names;
  for (const Attempt &attempt : attempts) {
    errno = 0;
    const long result = attempt.call();
    if (result != -1 || errno != EPERM) {
      names += fmt::format("{} returns {} ({}); ", attempt.name, result, std::strerror(errno));
    }
  }
  return names;
}

// Makes a call of an ABI that shares the machine's with 64-bit programs, where there is one.
long call_of_x32() {
#if defined(__x86_64__)
  constexpr long first_of_x32 = 0x40000000;
  return syscall(first_of_x32 + SYS_getpid);
#else
  errno = EPERM;
  return -1;
#endif
}

bool can_restrict() {
  const std::string said = in_restricted_child([] { return std::string(); });
  if (BP_SANITIZES_MEMORY || !said.empty()) {
    testing::skip(BP_SANITIZES_MEMORY ? "sanitizers trace their own process" : said);
  }
  return !BP_SANITIZES_MEMORY && said.empty();
}

TEST_CASE("a restricted process cannot reach others") {
  if (!can_restrict()) {
    return;
  }
  const pid_t parent = getpid();
  char secret = 's';
  CHECK(in_restricted_child([&] {
          char byte = 0;
          iovec own{&byte, 1}, other{&secret, 1};
          siginfo_t info{};
          rlimit limit{};
          int pipe_ends[2];
          REQUIRE(pipe(pipe_ends) == 0);
          return not_refused({
              {"kill", [&] { return kill(parent, SIGKILL); }},
              {"kill of every process", [] { return kill(-1, 0); }},
              {"tgkill", [&] { return syscall(SYS_tgkill, parent, parent, SIGKILL); }},
              {"tkill", [&] { return syscall(SYS_tkill, parent, SIGKILL); }},
              {"rt_sigqueueinfo", [&] { return syscall(SYS_rt_sigqueueinfo, parent, SIGKILL, &info); }},
              {"rt_tgsigqueueinfo", [&] { return syscall(SYS_rt_tgsigqueueinfo, parent, parent, SIGKILL, &info); }},
              {"pidfd_send_signal",
               [&] {
                 const long process = syscall(SYS_pidfd_open, parent, 0);
                 return syscall(SYS_pidfd_send_signal, process, SIGKILL, nullptr, 0);
               }},
              {"fcntl(F_SETOWN)", [&] { return fcntl(pipe_ends[0], F_SETOWN, parent); }},
              {"ioctl(FIOSETOWN)", [&] { return ioctl(pipe_ends[0], FIOSETOWN, &parent); }},
              // The kernel ignores the upper half of a command.
              {"ioctl(TIOCSTI)", [&] { return syscall(SYS_ioctl, 0, TIOCSTI | 1l << 32, &byte); }},
              {"ptrace", [&] { return ptrace(PTRACE_ATTACH, parent, nullptr, nullptr); }},
              {"process_vm_readv", [&] { return process_vm_readv(parent, &own, 1, &other, 1, 0); }},
              {"process_vm_writev", [&] { return process_vm_writev(parent, &own, 1, &other, 1, 0); }},
              {"prlimit", [&] { return syscall(SYS_prlimit64, parent, RLIMIT_CPU, nullptr, &limit); }},
          });
        }) == "");
  CHECK(secret == 's');
  CHECK(in_restricted_child([&] {
          const int memory = open(fmt::format("/proc/{}/mem", parent).c_str(), O_RDWR);
          return memory < 0 ? std::string() : "the parent's memory is open";
        }) == "");
}

TEST_CASE("a restricted process cannot change the machine") {
  if (!can_restrict()) {
    return;
  }
  CHECK(in_restricted_child([] {
          return not_refused({
              {"mount", [] { return mount("none", "/tmp", "tmpfs", 0, nullptr); }},
              {"unshare", [] { return unshare(CLONE_NEWUSER); }},
              {"setns", [] { return setns(0, 0); }},
              {"chroot", [] { return chroot("/"); }},
              {"clone into a namespace",
               [] { return syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, nullptr, nullptr, nullptr, nullptr); }},
              {"reboot", [] { return syscall(SYS_reboot, 0, 0, 0, nullptr); }},
              {"init_module", [] { return syscall(SYS_init_module, nullptr, 0, ""); }},
              {"bpf", [] { return syscall(SYS_bpf, 0, nullptr, 0); }},
              {"perf_event_open", [] { return syscall(SYS_perf_event_open, nullptr, 0, -1, -1, 0); }},
              {"userfaultfd", [] { return syscall(SYS_userfaultfd, 0); }},
              {"keyctl", [] { return syscall(SYS_keyctl, 0, 0, 0, 0, 0); }},
              {"io_uring_setup", [] { return syscall(425, 1, nullptr); }},
              {"a call of another ABI", [] { return call_of_x32(); }},
          });
        }) == "");
}

#if defined(__x86_64__)
TEST_CASE("a restricted process cannot make calls of 32-bit programs") {
  if (!can_restrict()) {
    return;
  }
  CHECK(in_restricted_child([] {
          long result = 20;  // getpid
          asm volatile("int $0x80" : "+a"(result) : : "memory");
          return result == -EPERM || result == -ENOSYS ? std::string() : fmt::format("getpid returns {}", result);
        }) == "");
}
#endif

TEST_CASE("a restricted process can do what drivers need") {
  if (!can_restrict()) {
    return;
  }
  const testing::TemporaryFolder folder;
  std::filesystem::create_directory(folder / "other");
  CHECK(in_restricted_child([&]() -> std::string {
          int started = 0;
          std::thread([&] { started = 1; }).join();
          if (started != 1) {
            return "no thread starts";
          }
          testing::write_file(folder / "file", "text");
          if (std::rename((folder / "file").c_str(), (folder / "other/file").c_str()) != 0) {
            return fmt::format("a file cannot be moved: {}", std::strerror(errno));
          }
          if (kill(getpid(), 0) != 0 || kill(0, 0) != 0) {
            return "it cannot signal itself";
          }
          const pid_t child = fork();
          if (child == 0) {
            execlp("true", "true", nullptr);
            _exit(1);
          }
          int status = -1, terminal_size[4];
          if (waitpid(child, &status, 0) != child || status != 0) {
            return "it cannot run a program";
          }
          if (ioctl(0, TIOCGWINSZ, terminal_size) != 0 && errno == EPERM) {
            return "it cannot use ioctl";
          }
          rlimit limit{};
          return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? "" : "it cannot read its limits";
        }) == "");
}

TEST_CASE("a restricted process has no more rights than drivers need") {
  if (!can_restrict()) {
    return;
  }
  CHECK(in_restricted_child([] {
          return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 && prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) == 0 &&
                         prctl(PR_GET_SECCOMP, 0, 0, 0, 0) == SECCOMP_MODE_FILTER
                     ? std::string()
                     : "it can be dumped, or gets new rights";
        }) == "");
  CHECK(in_restricted_child([]() -> std::string {
          std::ifstream file("/proc/self/status");
          for (std::string line; std::getline(file, line);) {
            constexpr unsigned long long trace_and_admin = 1ull << 19 | 1ull << 21 | 1ull << 5 | 1ull << 16;
            if (line.starts_with("CapPrm:") && (std::stoull(line.substr(7), nullptr, 16) & trace_and_admin) != 0) {
              return "it has " + line;
            }
          }
          return {};
        }) == "");
}

}  // namespace
}  // namespace bp
