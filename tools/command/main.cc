#include <dlfcn.h>
#include <fmt/core.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <system_error>

#include "backplane/base/status.h"
#include "core/host/build_configuration.h"
#include "tools/command/command.h"
#include "tools/command/layer_choice.h"
#include "tools/command/options.h"
#include "tools/command/terminal.h"

namespace bp::command {
namespace {

constexpr std::array all_commands = {
    Command{"run", "run a model on a backend and compare the results with another backend", run_model},
    Command{"check", "run self-checking programs on a backend", check_programs},
    Command{"conform", "run the conformance suite on a backend: thousands of cases", conform},
    Command{"compile", "compile a model for a backend, for this machine or another, and write the artifact",
            compile_model},
    Command{"aot", "compile a model ahead of time: an object or library, and a C header to call it",
            compile_ahead_of_time},
    Command{"opt", "run passes over a model and print the result", optimize},
    Command{"bisect", "find the pass or instruction after which a backend's results differ", bisect_model},
    Command{"reduce", "reduce a model to a few instructions that still show a problem", reduce_model},
    Command{"fuzz", "check the passes, or a backend, on random programs", fuzz_passes},
    Command{"memory", "show the memory plan of a model", describe_memory},
    Command{"stats", "count the operations and bytes of a model, and show what limits its kernels", show_stats},
    Command{"pack", "assign memory offsets to items with given sizes and lifetimes", pack_problem},
    Command{"replay", "repeat recorded calls of a plugin and compare the results", replay_calls},
    Command{"plugins", "list the backends that can be loaded by name", list_plugins},
    Command{"instances", "list the devices that are present, with free memory, health and more", list_instances},
    Command{"inspect", "show a plugin's file as the loader sees it, without loading it", inspect_plugin},
    Command{"new", "create a repository with a small backend that builds and passes the suite", new_backend},
    Command{"ops", "list the operations of HLO", list_ops},
    Command{"formats", "list the formats of models that are read, or say of which one a file is", list_formats},
};

constexpr std::array<std::string_view, 4> all_exit_codes = {"success", "a negative answer, such as different results",
                                                            "wrong usage", "failure"};

void print_help() {
  fmt::print("Usage: backplane COMMAND [arguments]\n\nCommands:\n");
  for (const Command &command : all_commands) {
    fmt::print("  {:<10} {}\n", command.name, command.summary);
  }
  fmt::print(
      "\nbackplane COMMAND --help describes a command, with examples; backplane --version prints the version.\n"
      "Exit codes: ");
  for (std::size_t code = 0; code < all_exit_codes.size(); ++code) {
    fmt::print("{}{}: {}", code == 0 ? "" : "; ", code, all_exit_codes[code]);
  }
  fmt::print(".\n");
}

void print_version() {
  constexpr bp_version_t abi = BP_VERSION_INIT;
  fmt::print("backplane {}, ABI of plugins {}.{}.{}\n", host::core_version, abi.major, abi.minor, abi.revision);
}

}  // namespace

std::span<const Command> commands() {
  return all_commands;
}

std::span<const std::string_view> exit_codes() {
  return all_exit_codes;
}

int report(const Error &error) {
  fmt::print(stderr, "backplane: {}\n", printable(error.to_string()));
  return failed;
}

void end_now(int code) {
  const bool is_written = std::fflush(nullptr) == 0 && std::ferror(stdout) == 0;
  if (!is_written) {
    std::fputs("backplane: cannot write the standard output\n", stderr);
  }
  std::_Exit(is_written ? code : failed);
}

namespace {

// The process that nothing but the command ends; 0: none. Children that a plugin forks are free to end.
pid_t command_process = getpid();

}  // namespace

void accept_exits() {
  command_process = 0;
}

}  // namespace bp::command

namespace {

[[noreturn]] void end_from_within(const char *function, int status) {
  if (getpid() == bp::command::command_process) {
    std::fprintf(
        stderr,
        "backplane: %s(%d) was called before the command was done, probably by a plugin; --isolate shows whether "
        "it was\n",
        function, status);
    bp::command::end_now(bp::command::failed);
  }
  reinterpret_cast<void (*)(int)>(dlsym(RTLD_NEXT, function))(status);
  std::abort();
}

}  // namespace

// In place of the functions of the C library: the command ends by returning from main() or by end_now(), so only a
// plugin calls these, and must not decide the exit code. A handler of atexit() would run too late, after the
// destructors of objects that other threads still use.
extern "C" {
[[gnu::visibility("default")]] void exit(int status) noexcept {
  end_from_within("exit", status);
}
[[gnu::visibility("default")]] void quick_exit(int status) noexcept {
  end_from_within("quick_exit", status);
}
[[gnu::visibility("default")]] void _exit(int status) {
  end_from_within("_exit", status);
}
}

namespace {

int run(std::span<const std::string> arguments) {
  using namespace bp::command;
  if (arguments.empty() || arguments[0] == "--help" || arguments[0] == "help") {
    print_help();
    return arguments.empty() ? usage : success;
  }
  if (arguments[0] == "--version") {
    print_version();
    return success;
  }
  if (arguments[0] == describe_argument) {
    return describe(arguments.subspan(1));
  }
  for (const Command &command : commands()) {
    if (command.name == arguments[0]) {
      return finish_layers(command.run(arguments.subspan(1)));
    }
  }
  fmt::print(stderr, "backplane: there is no command '{}'; backplane --help lists them\n", arguments[0]);
  return usage;
}

int run(int argc, char **argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  try {
    int code = run(arguments);
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {  // otherwise a full disk would look like success
      throw std::system_error(errno, std::generic_category());
    }
    return code;
  } catch (const std::bad_alloc &) {
    std::fputs("backplane: out of memory\n", stderr);
  } catch (const std::system_error &error) {  // from fmt::print, or from a thread that cannot be started
    const std::string_view what = std::ferror(stdout) != 0   ? "cannot write the standard output"
                                  : std::ferror(stderr) != 0 ? "cannot write the standard error"
                                                             : "out of resources";
    // Not with fmt::print, which throws if standard error cannot be written either.
    std::fputs(fmt::format("backplane: {}: {}\n", what, error.code().message()).c_str(), stderr);
  }
  return bp::command::failed;
}

}  // namespace

int main(int argc, char **argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // then writing beyond the limit of a file's size fails like on a full disk
  return run(argc, argv);
}
