// A problem of a program, as a test that can be repeated on other programs: the same options for `reduce` and `fuzz`.
#pragma once

#include <string>
#include <vector>

#include "core/debugging/child_process.h"
#include "core/debugging/pass_check.h"
#include "core/passes/pass.h"
#include "tools/command/backend_choice.h"

namespace bp::command {

class Problem {
 public:
  // The experiment with a program ...
  enum class Trial {
    Check,    // run the passes, like opt --check
    Run,      // run two backends, like run --against
    Judge,    // run a backend; judge the result like the random programs of conform
    Command,  // run a command of the user with the file as argument
  };
  // ... and the outcome of it that is the problem.
  enum class Symptom { Differs, Crashes, Hangs };

  // Adds --passes, --on, --against, --tolerance, --seed, --draws, --deadline, --memory.
  static void add_to(Options &options);
  // To be called after Options::parse(). Returns an exit code if the command line is wrong.
  std::optional<int> read(const Options &options);

  Trial trial = Trial::Check;
  Symptom symptom = Symptom::Differs;
  std::string command;  // for Trial::Command

  // Runs the trial in a process of its own.
  debugging::Ending attempt(const ir::Module &module) const;
  bool is_reproduced_by(const debugging::Ending &ending) const;
  // Makes this ending the problem, if it is one; otherwise returns false.
  bool adopt(const debugging::Ending &ending);
  // Returns the output of attempt(), for people.
  std::string explain(const ir::Module &module) const;
  // Returns the command that shows the problem again.
  std::string rerun(const std::string &file) const;
  // Identifies the build of the plugin that has the problem: "libbackplane_acme.so, SHA-256 ..."; empty where there is
  // none.
  std::string plugin() const;
  const debugging::Limits &limits() const { return limits_; }
  const debugging::CheckOptions &check() const { return check_; }
  void set_seed(std::uint64_t seed) { check_.seed = seed; }

 private:
  debugging::Ending attempt(const ir::Module &module, const std::string &output) const;
  int do_trial(const ir::Module &module) const;
  int check_passes(const ir::Module &module) const;
  int compare_backends(const ir::Module &module) const;
  int judge_backend(const ir::Module &module) const;

  std::vector<passes::Pass> passes_;
  std::string pass_names_;  // as given on the command line; empty: all
  BackendChoice backend_;
  std::string against_;
  double tolerance_ = 1e-4;
  debugging::CheckOptions check_;
  debugging::Limits limits_;
};

// Reduces the module and writes it to a file, together with the command that shows the problem again. Prints what it
// did.
int reduce_and_write(const ir::Module &module, const Problem &problem, const std::string &origin,
                     const std::string &output);

}  // namespace bp::command
