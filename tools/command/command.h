// The `backplane` command: a table of subcommands, one file each. A subcommand reads its options, does its work with
// the core, and returns an exit code.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace bp::command {

// Exit codes, the same for every subcommand.
enum ExitCode : int {
  success = 0,
  negative = 1,  // done, with a negative answer: results differ, a check failed, no evidence
  usage = 2,     // the command line is wrong
  failed = 3,    // an input, a plugin or the system caused a failure; standard error says what and where
};

struct Command {
  std::string_view name;
  std::string_view summary;
  int (*run)(std::span<const std::string> arguments);
};

// Returns all subcommands, in the order of the help text. Defined in main.cc.
std::span<const Command> commands();
// Returns the meanings of the exit codes, in the order of their numbers. Defined in main.cc.
std::span<const std::string_view> exit_codes();

int run_model(std::span<const std::string> arguments);        // run.cc
int compile_model(std::span<const std::string> arguments);    // compile.cc
int compile_ahead_of_time(std::span<const std::string> arguments);  // aot.cc
int optimize(std::span<const std::string> arguments);         // opt.cc
int check_programs(std::span<const std::string> arguments);   // check.cc
int conform(std::span<const std::string> arguments);          // conform.cc
int pack_problem(std::span<const std::string> arguments);     // pack.cc
int list_formats(std::span<const std::string> arguments);     // formats.cc
int list_plugins(std::span<const std::string> arguments);     // plugins.cc
int list_instances(std::span<const std::string> arguments);   // instances.cc
int list_ops(std::span<const std::string> arguments);         // ops.cc
int reduce_model(std::span<const std::string> arguments);     // reduce.cc
int bisect_model(std::span<const std::string> arguments);     // bisect.cc
int fuzz_passes(std::span<const std::string> arguments);      // fuzz.cc
int replay_calls(std::span<const std::string> arguments);     // replay.cc
int describe_memory(std::span<const std::string> arguments);  // memory.cc
int show_stats(std::span<const std::string> arguments);       // stats.cc
int inspect_plugin(std::span<const std::string> arguments);   // inspect.cc
int new_backend(std::span<const std::string> arguments);      // new.cc

// `backplane --describe`, which is not a subcommand: describes all of them as JSON, for tools/documentation, or lists
// the names of backends or passes, for the completion of command lines.
int describe(std::span<const std::string> arguments);  // describe.cc

// Prints the error on standard error, as "backplane: ...", and returns ExitCode::failed.
int report(const Error &error);
// Writes what is printed so far and ends the process without destructors, because a plugin may still use the memory of
// this process.
[[noreturn]] void end_now(int code);
// From now on a plugin that calls exit() ends the process with its own exit code, which by default is an error of the
// command. For a process whose parent judges how it ends.
void accept_exits();

}  // namespace bp::command
