#include "conformance/suite/performance_audits.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <random>

#include "conformance/suite/loaded_program.h"
#include "core/interpreter/random_inputs.h"

namespace bp::conformance {
namespace {

using ir::ElementType;

// A program that computes much with few bytes, so that keeping and finding results takes far less time than computing
// them, also if every byte is read for it. `sizes`: tried until a run takes long enough.
struct AuditedProgram {
  std::string_view name;
  PerformanceProgram (*make)(ElementType type, std::int64_t size);
  std::array<std::int64_t, 3> sizes;
};
constexpr AuditedProgram audited_programs[] = {
    {"chain",
     [](ElementType type, std::int64_t size) { return chain_program(type, size, 512); },
     {1 << 12, 1 << 14, 1 << 16}},
    {"dot", dot_program, {128, 256, 512}},
};

// Loads the smallest program that keeps the caller waiting long enough for the cost of a call not to matter.
Result<LoadedProgram> load_audited(const Subject &subject, const AuditedProgram &audited) {
  constexpr double long_enough = 0.3e-3;
  BP_ASSIGN(ClockedDevice * device, clocked_device(subject));
  for (const std::int64_t size : audited.sizes) {
    BP_ASSIGN(LoadedProgram loaded, load_first(*device->backend, &device->clock, [&](ElementType type) {
                return std::vector{audited.make(type, size)};
              }));
    const Timed waiting = loaded.timed->call(1);
    BP_ASSIGN(const Measurement measured, measure(waiting, {.rounds = 2, .max_rounds = 2, .max_in_a_row = 1}));
    if (measured.least >= long_enough || size == audited.sizes.back()) {
      return loaded;
    }
  }
  return make_error(ErrorCode::Internal, "{} has no size", audited.name);
}

// Fails if `audited` takes much longer than `usual`: by the fastest runs of both, which took turns, because a
// disturbance only makes some runs slower, and in each of several attempts. An honest device takes as long for both,
// but for caches of the host and noise, which together stay below a factor of 2. A device that does not compute in one
// of them only reads and writes: it is faster by much more than 3 with these programs.
Result<Verdict> compare_speed(const LoadedProgram &loaded, const Timed &usual, const Timed &audited,
                              std::string_view audited_runs, std::string_view usual_runs) {
  constexpr double most = 3;
  constexpr int attempts = 3;
  constexpr Effort effort{.rounds = 8, .max_rounds = 20, .seconds = 0.2, .patience = 2, .seconds_in_a_row = 4e-3};
  const Timed both[] = {usual, audited};
  std::string found;
  for (int i = 0; i < attempts; ++i) {
    BP_ASSIGN(const std::vector<Measurement> measured, measure_in_turn(both, effort));
    if (measured[1].least <= most * measured[0].least) {
      return Verdict();
    }
    found = fmt::format(
        "{}: {} take {:.1f} times as long as {} ({:.3g} us, {:.3g} us), {} times in a row; expected at "
        "most {} times: work is done in some runs only",
        loaded.program.name, audited_runs, measured[1].least / measured[0].least, usual_runs, 1e6 * measured[1].least,
        1e6 * measured[0].least, attempts, most);
  }
  return failure(std::move(found));
}

// Inputs, and what the program makes of them outside of timed runs.
struct SampledRun {
  std::vector<Literal> arguments;
  std::vector<std::byte> result;
};

// Each result is that of the first run of memory of its own, in a program that is loaded for this purpose.
Result<std::vector<SampledRun>> make_samples(const Subject &subject, const LoadedProgram &loaded,
                                             std::mt19937_64 &random) {
  constexpr std::size_t count = 4;
  constexpr std::byte before{0x5a};
  BP_ASSIGN(const LoadedProgram apart, load_program(subject, loaded.program));
  BP_ASSIGN(const ir::Module module, read_program(loaded.program));
  std::vector<SampledRun> samples;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t seed = random();
    BP_ASSIGN(std::vector<Literal> arguments, interpreter::random_arguments(module, seed));
    BP_ASSIGN(const auto run, TimedProgram::make(apart.compiled, module, seed, nullptr));
    run->fill_outputs(before);
    run->set_inputs(arguments);
    BP_TRY(run->run());
    samples.push_back({std::move(arguments), run->outputs()});
  }
  return samples;
}

// Checks the outputs of a run that was sampled.
Status check_bits(const std::vector<std::byte> &found, const std::vector<std::byte> &expected) {
  const auto at = std::ranges::mismatch(found, expected);
  if (at.in1 == found.end()) {
    return {};
  }
  return make_error(ErrorCode::PluginFailure,
                    "a run among timed ones, with other inputs than those before, has another result than the same "
                    "program with the same inputs outside of timed runs: byte {} is {:#04x}, expected {:#04x}",
                    at.in1 - found.begin(), std::to_integer<int>(*at.in1), std::to_integer<int>(*at.in2));
}

// Between runs that are only timed, others get their inputs from a sample and memory that was written for their
// outputs, and have to give the bits of the sample: not much slower, and nothing that was there before.
Result<Verdict> audit_sampling(Subject &subject, const AuditedProgram &audited, std::uint64_t seed) {
  constexpr std::byte before{0xa5};  // not that of make_samples(): an output that is not written differs
  std::mt19937_64 random(seed);
  BP_ASSIGN(const LoadedProgram loaded, load_audited(subject, audited));
  BP_ASSIGN(const std::vector<SampledRun> samples, make_samples(subject, loaded, random));
  const Timed sampled = [&]() -> Result<RunClock::Reading> {
    const SampledRun &sample = samples[random() % samples.size()];
    loaded.timed->fill_outputs(before);
    loaded.timed->set_inputs(sample.arguments);
    BP_ASSIGN(const RunClock::Reading reading, loaded.timed->run());
    BP_TRY(check_bits(loaded.timed->outputs(), sample.result));
    return reading;
  };
  return compare_speed(loaded, loaded.run(), sampled, "runs whose results are looked at", "those before and after");
}

// Runs with inputs that no run has had must not be slower than runs that repeat the inputs of the last one. Before
// both, the host makes new inputs and writes the ones to be used, so that its caches are in the same state.
Result<Verdict> audit_equal_inputs(Subject &subject, const AuditedProgram &audited, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  BP_ASSIGN(const LoadedProgram loaded, load_audited(subject, audited));
  BP_ASSIGN(const ir::Module module, read_program(loaded.program));
  BP_ASSIGN(std::vector<Literal> arguments, interpreter::random_arguments(module, random()));
  const auto with = [&](bool are_new) -> Timed {
    return [&, are_new]() -> Result<RunClock::Reading> {
      BP_ASSIGN(std::vector<Literal> made, interpreter::random_arguments(module, random()));
      if (are_new) {
        arguments = std::move(made);
      }
      loaded.timed->set_inputs(arguments);
      return loaded.timed->run();
    };
  };
  return compare_speed(loaded, with(false), with(true), "runs with new inputs", "those that repeat the last inputs");
}

struct Audit {
  std::string_view name;
  Result<Verdict> (*run)(Subject &subject, const AuditedProgram &audited, std::uint64_t seed);
};
constexpr Audit audits[] = {{"sampling", audit_sampling}, {"equal-inputs", audit_equal_inputs}};

}  // namespace

std::vector<std::string> audit_names() {
  std::vector<std::string> names;
  for (const Audit &audit : audits) {
    for (const AuditedProgram &program : audited_programs) {
      names.push_back(fmt::format("{}/{}", audit.name, program.name));
    }
  }
  return names;
}

Result<Verdict> run_audit(Subject &subject, std::string_view audit, std::string_view program, std::uint64_t seed) {
  const auto found = std::ranges::find(audits, audit, &Audit::name);
  const auto audited = std::ranges::find(audited_programs, program, &AuditedProgram::name);
  if (found == std::end(audits) || audited == std::end(audited_programs)) {
    return invalid_input("there is no audit {} of {}", audit, program);
  }
  return found->run(subject, *audited, seed);
}

}  // namespace bp::conformance
