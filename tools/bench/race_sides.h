// The sides of a race: who runs a program, and how its runs are timed.
#pragma once

#include <boost/json.hpp>
#include <memory>
#include <string>
#include <vector>

#include "conformance/suite/timing.h"
#include "core/backplane.h"
#include "core/base/thread_pool.h"

namespace bp::bench {

// Seconds per run: the median, the minimum, and the median deviation from the median.
struct Figures {
  double run = 0, least = 0, spread = 0;

  static Figures of(const std::vector<double> &seconds);  // at least one
};

// The backend here, and what peers need.
struct Setting {
  const Backend &backend;
  CompileOptions options;
  bool has_constant_weights;  // here, inputs after the first are constants of the program
  conformance::RunClock &clock;
  ThreadPool &pool;     // for peers in this process
  std::string python;   // Python interpreter
  std::string scripts;  // folder of KIND_peer.py
};

class Side {
 public:
  Side() = default;
  virtual ~Side() = default;
  Side(const Side &) = delete;
  Side &operator=(const Side &) = delete;

  // Runs the program once to warm up, and then `count` times, whose seconds it adds.
  virtual Status add_runs(int count, std::vector<double> &seconds) = 0;
  // Returns fields about the side: compile_seconds, version, device, and `difference`, how far its results are from
  // ours (the norm of the difference divided by the norm of its own, the maximum over all results), as far as they
  // are known after runs.
  virtual boost::json::object about() const = 0;
};

// The program on the backend, with its inputs and results for the peers.
class Ours final : public Side {
 public:
  static Result<std::unique_ptr<Ours>> make(const std::string &file, const Setting &setting);

  Status add_runs(int count, std::vector<double> &seconds) override;
  boost::json::object about() const override { return {{"compile_seconds", compile_seconds_}}; }

  const Module &module() const { return module_; }  // as it was read
  Result<std::vector<Literal>> arguments() const;
  Result<std::vector<Literal>> results() const;  // arrays

 private:
  Ours(Module module, Compiled compiled, std::shared_ptr<conformance::TimedProgram> timed, double compile_seconds)
      : module_(std::move(module)),
        compiled_(std::move(compiled)),
        timed_(std::move(timed)),
        compile_seconds_(compile_seconds) {}

  Module module_;
  Compiled compiled_;
  std::shared_ptr<conformance::TimedProgram> timed_;
  double compile_seconds_;
};

// Why a text is not a peer KIND:PLATFORM, or nothing.
std::optional<std::string> problem_of_peer(const std::string &peer);

// Returns a peer that is ready to run the program of `ours`, which must outlive it:
// - backplane:no-fusion is the same backend, without fusion;
// - c:LIBRARY calls the function with the program's name in a shared library (tools/bench/evidence_kernels.c);
// - with other kinds, a process of the script KIND_peer.py runs the program at each turn.
Result<std::unique_ptr<Side>> make_peer(const std::string &peer, const std::string &file, const Ours &ours,
                                        const Setting &setting);

}  // namespace bp::bench
