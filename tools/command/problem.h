// What is wrong with a program, as a test that can be repeated on others: the same options for `reduce` and `fuzz`.
#pragma once

#include <string>
#include <vector>

#include "core/debugging/isolated.h"
#include "core/debugging/pass_check.h"
#include "core/passes/pass.h"
#include "tools/command/backend_choice.h"

namespace bp::command {

class Problem {
 public:
  // What is done with a program ...
  enum class Trial {
    Check,    // the passes, as opt --check
    Run,      // two backends, as run --against
    Judge,    // a backend, as the random programs of conform are judged
    Command,  // a command of the user's, given the file
  };
  // ... and which ending of it is the problem.
  enum class Symptom { Differs, Crashes, Hangs };

  // --passes, --on, --against, --tolerance, --seed, --draws, --deadline, --memory.
  static void add_to(Options &options);
  // After Options::parse(). An exit code if the command line is wrong.
  std::optional<int> read(const Options &options);

  Trial trial = Trial::Check;
  Symptom symptom = Symptom::Differs;
  std::string command;  // of Trial::Command

  // Does it in a process of its own.
  debugging::Ending attempt(const ir::Module &module) const;
  bool is_shown_by(const debugging::Ending &ending) const;
  // Makes this ending the problem, if it is one.
  bool adopt(const debugging::Ending &ending);
  // What attempt() prints, for people.
  std::string explain(const ir::Module &module) const;
  // The command that shows it again.
  std::string rerun(const std::string &file) const;
  // Which build of which plugin has it: "libbackplane_acme.so, SHA-256 ..."; empty where there is none.
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
  std::string pass_names_;  // as given; empty: all
  BackendChoice backend_;
  std::string against_;
  double tolerance_ = 1e-4;
  debugging::CheckOptions check_;
  debugging::Limits limits_;
};

// Shrinks the module and writes it, with the command that shows the problem again, to a file. Says so.
int reduce_and_write(const ir::Module &module, const Problem &problem, const std::string &origin,
                     const std::string &output);

}  // namespace bp::command
