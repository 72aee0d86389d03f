#include "conformance/suite/overlapping_runs.h"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <ctime>
#include <optional>
#include <thread>

#include "conformance/suite/direct_program.h"
#include "conformance/suite/stage.h"
#include "core/interpreter/random_inputs.h"

namespace bp::conformance {
namespace {

constexpr std::size_t overlapping_threads = 3;

// The inputs of a thread, and the outputs of a run alone.
struct Share {
  std::vector<Literal> arguments;
  DirectProgram::Outputs expected;
};

// The outputs are those of another load of the same parts.
Result<std::vector<Share>> make_shares(const DevicePointer &device, const std::shared_ptr<const DirectParts> &parts,
                                       const ir::Module &module, std::uint64_t seed) {
  BP_ASSIGN(const std::unique_ptr<DirectProgram> program, DirectProgram::load(device, parts));
  std::vector<Share> shares(overlapping_threads);
  for (Share &share : shares) {
    BP_ASSIGN(share.arguments, interpreter::random_arguments(module, seed++));
    BP_ASSIGN(share.expected, program->run(share.arguments, {}));
  }
  return shares;
}

// Begins one run per thread at the same time. The memory is prepared before, so that nothing delays them.
Status run_together(const DirectProgram &program, const std::vector<Share> &shares, std::string_view when) {
  std::vector<std::unique_ptr<DirectRun>> runs;
  for (std::size_t t = 0; t < overlapping_threads; ++t) {
    BP_ASSIGN(std::unique_ptr<DirectRun> run,
              program.prepare(shares[t].arguments, {.poison = static_cast<std::byte>(0xff - t)}));
    runs.push_back(std::move(run));
  }
  std::vector<Status> outcomes(overlapping_threads);
  std::atomic<std::size_t> ready = 0;
  {
    std::vector<std::jthread> running;
    for (std::size_t t = 0; t < overlapping_threads; ++t) {
      running.emplace_back([&, t] {
        ++ready;
        while (ready < overlapping_threads) {
          std::this_thread::yield();
        }
        outcomes[t] = program.start(*runs[t]);
      });
    }
  }
  for (std::size_t t = 0; t < overlapping_threads; ++t) {
    BP_TRY(std::move(outcomes[t]));
    BP_ASSIGN(const DirectProgram::Outputs found, runs[t]->finish());
    if (found != shares[t].expected) {
      return make_error(ErrorCode::PluginFailure, "the result of a run differs in bits {}", when);
    }
  }
  return {};
}

}  // namespace

Result<Verdict> run_first_together(Subject &subject, const ir::Module &module, std::uint64_t seed) {
  BP_ASSIGN(const Backend *backend, subject.backend());
  BP_ASSIGN(const auto parts, DirectParts::compile(backend->device(), module));
  BP_ASSIGN(const std::vector<Share> shares, make_shares(backend->device(), parts, module, seed));
  for (int i = 0; i < (subject.is_full() ? 100 : 8); ++i) {
    BP_ASSIGN(const std::unique_ptr<DirectProgram> program, DirectProgram::load(backend->device(), parts));
    if (Status status = run_together(*program, shares, "if the first runs of a program begin together"); !status.ok()) {
      return failure(status.error().to_string());
    }
  }
  return Verdict();
}

Result<Verdict> run_overlapping(Subject &subject, const ir::Module &module, std::uint64_t seed) {
  BP_ASSIGN(const Backend *backend, subject.backend());
  BP_ASSIGN(const auto parts, DirectParts::compile(backend->device(), module));
  BP_ASSIGN(const std::vector<Share> shares, make_shares(backend->device(), parts, module, seed));
  BP_ASSIGN(const std::unique_ptr<DirectProgram> program, DirectProgram::load(backend->device(), parts));
  // Fast devices run more often, because short runs overlap less. The processor's time counts, so that a busy
  // machine changes nothing; a device that leaves the processor idle is given twice that long.
  using Clock = std::chrono::steady_clock;
  constexpr int least = 2;
  const double seconds = subject.is_full() ? 6 : 0.4;
  const auto end = Clock::now() + std::chrono::duration<double>(2 * seconds);
  const auto is_over = [seconds, end, begin = std::clock()] {
    return static_cast<double>(std::clock() - begin) > seconds * CLOCKS_PER_SEC || Clock::now() > end;
  };
  for (int i = 0; i < least || !is_over(); ++i) {
    if (Status status = run_together(*program, shares, "if runs of a program overlap"); !status.ok()) {
      return failure(status.error().to_string());
    }
  }
  return Verdict();
}

Result<Verdict> run_many_times(Subject &subject, const ir::Module &module, std::uint64_t seed) {
  BP_ASSIGN(const Backend *backend, subject.backend());
  BP_ASSIGN(const auto parts, DirectParts::compile(backend->device(), module));
  BP_ASSIGN(const std::unique_ptr<DirectProgram> program, DirectProgram::load(backend->device(), parts));
  BP_ASSIGN(const std::vector<Literal> arguments, interpreter::random_arguments(module, seed));
  std::optional<DirectProgram::Outputs> expected;
  for (int i = 0; i < (subject.is_full() ? 70'000 : 600); ++i) {
    BP_ASSIGN(DirectProgram::Outputs found, program->run(arguments, {.poison = static_cast<std::byte>(i % 251)}));
    if (expected && found != *expected) {
      return failure(fmt::format("BP-RUN-04: the result of run {} of a program differs in bits from the first", i + 1));
    }
    expected = std::move(found);
  }
  return Verdict();
}

}  // namespace bp::conformance
