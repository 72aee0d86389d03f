// Runs a function or command in a separate process, so that a crash, a hang or excessive use of memory is only an
// outcome.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace bp::debugging {

struct Limits {
  double seconds = 30;
  std::int64_t bytes = std::int64_t{8} << 30;  // of address space; 0: no limit; ignored in sanitizer builds
};

struct Ending {
  enum class Kind { Exited, Crashed, TimedOut };
  Kind kind = Kind::Exited;
  int code = 0;  // exit code or signal number
};

// Returns "exit code 1", "killed by signal 11 (SIGSEGV, Segmentation fault)" or "still running after 30 s".
std::string to_string(const Ending &ending, const Limits &limits);

// Calls `body` in a fork of this process and waits for it; its result is the exit code. Its output goes to the file
// `output`, or nowhere. The caller must have no other threads; the body may start some.
Ending run_in_child(const std::function<int()> &body, const Limits &limits, const std::string &output = "/dev/null");

// Runs a command line in the shell.
Ending run_command(const std::string &command, const Limits &limits, const std::string &output = "/dev/null");

}  // namespace bp::debugging
