// Programs that leave sizes open, such as those that jax.export writes with symbolic shapes: compiled when arguments of
// new shapes come, and kept for the next ones.
//
//   BP_ASSIGN(bp::PolymorphicExecutable model, backend.compile_polymorphic(text, "model.mlir"));
//   BP_ASSIGN(bp::Literal result, model.run(std::move(arguments)));
//
// An executable is for the shapes of all arguments, and for the elements of those integer arguments on which sizes
// depend. CompileOptions::cache_dir keeps artifacts for later processes as well.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/backplane.h"

namespace bp {

// Threads: all functions may be called from any thread, also concurrently. Of several threads that need the same
// executable, one compiles it and the others wait. Copies share the executables.
class PolymorphicExecutable {
 public:
  struct Counters {
    std::uint64_t hits = 0;       // an executable was there, or another thread was compiling it
    std::uint64_t misses = 0;     // it was compiled, or could not be
    std::uint64_t evictions = 0;  // one was dropped: there were too many, or it could not be found any more
  };

  // Has runs pad arguments, so that fewer executables are compiled: each unknown size becomes bucket(size), unless that
  // is smaller. Only where the rules for run-time sizes show that elements beyond the sizes do not matter
  // (core/bucketed_program.h), and the backend runs the padded program without the host; otherwise the executable is
  // for the exact sizes. To be called before the first run; affects run() alone.
  void use_buckets(std::function<std::int64_t(std::int64_t size)> bucket);
  // Why the padded program for such arguments is not used; an empty text if it is, or if their sizes are a bucket's.
  Result<std::string> why_not_padded(std::span<const Literal> arguments) const;

  // As the program states them; unknown sizes are ir::unbounded.
  const std::vector<Parameter> &parameters() const;

  // Runs the program on the arguments, by parameter number. InvalidInput if they contradict the program, with what
  // contradicts what.
  Result<Literal> run(std::vector<Literal> arguments, const interpreter::Options &host = {}) const;
  // Returns the executable for such arguments, which are not changed. It ignores the arguments on whose elements sizes
  // depend. `unknown`: numbers of arguments that have shapes, but no elements yet; InvalidInput if sizes depend on
  // these.
  Result<std::shared_ptr<const Executable>> executable_for(std::span<const Literal> arguments,
                                                           const std::set<std::size_t> &unknown = {}) const;

  Counters counters() const;

 private:
  friend class Backend;
  struct State;
  explicit PolymorphicExecutable(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;
};

// For use_buckets(): the next power of two.
std::int64_t next_power_of_two(std::int64_t size);

}  // namespace bp
