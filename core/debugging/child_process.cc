#include "core/debugging/child_process.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "core/base/confinement.h"

namespace bp::debugging {
namespace {

[[noreturn]] void be_child(const std::function<int()> &body, const Limits &limits, const std::string &output) {
  confine_process(limits.bytes);
  const int file = open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (file >= 0) {
    dup2(file, STDOUT_FILENO);
    dup2(file, STDERR_FILENO);
  }
  int code = 127;
  try {
    code = body();
  } catch (...) {
    std::abort();
  }
  std::fflush(stdout);
  std::_Exit(code);
}

// Returns "signal 11 (SIGSEGV, Segmentation fault)".
std::string describe_signal(int signal) {
  const char *name = sigabbrev_np(signal);
  return name == nullptr ? fmt::format("signal {} ({})", signal, strsignal(signal))
                         : fmt::format("signal {} (SIG{}, {})", signal, name, strsignal(signal));
}

}  // namespace

std::string to_string(const Ending &ending, const Limits &limits) {
  switch (ending.kind) {
    case Ending::Kind::Exited: return fmt::format("exit code {}", ending.code);
    case Ending::Kind::Crashed: return "killed by " + describe_signal(ending.code);
    case Ending::Kind::TimedOut: return fmt::format("still running after {:g} s", limits.seconds);
  }
  return {};
}

Ending run_in_child(const std::function<int()> &body, const Limits &limits, const std::string &output) {
  std::fflush(stdout);
  const auto start = std::chrono::steady_clock::now();
  auto seconds = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  auto pause = std::chrono::microseconds(200);
  pid_t child = fork();
  // A machine without free processes says nothing about the body, so fork is retried.
  while (child < 0 && errno == EAGAIN && seconds() < limits.seconds) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    child = fork();
  }
  if (child == 0) {
    be_child(body, limits, output);
  }
  if (child < 0) {
    return {Ending::Kind::Exited, 127};
  }
  for (int status = 0;;) {
    const pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child) {
      return WIFSIGNALED(status) ? Ending{Ending::Kind::Crashed, WTERMSIG(status)}
                                 : Ending{Ending::Kind::Exited, WEXITSTATUS(status)};
    }
    if (ended < 0 && errno != EINTR) {
      return {Ending::Kind::Exited, 127};
    }
    if (seconds() > limits.seconds) {
      kill(-child, SIGKILL);
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      return {Ending::Kind::TimedOut, 0};
    }
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::microseconds(20'000));
  }
}

Ending run_command(const std::string &command, const Limits &limits, const std::string &output) {
  const Ending ending = run_in_child(
      [&] {
        execl("/bin/sh", "sh", "-c", command.c_str(), static_cast<char *>(nullptr));
        return 127;
      },
      limits, output);
  // The shell adds this to the signal number if its command was killed.
  constexpr int killed = 128;
  const bool is_crash = ending.kind == Ending::Kind::Exited && ending.code > killed && ending.code < killed + NSIG;
  return is_crash ? Ending{Ending::Kind::Crashed, ending.code - killed} : ending;
}

}  // namespace bp::debugging
