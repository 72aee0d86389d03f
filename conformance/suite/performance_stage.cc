// Performance: the peaks of the device, measured with programs; each op, compared with the peaks; the costs of a call
// and of an instruction, at run time and compile time. These figures are reported, not judged, because machines differ
// and may be busy. Only properties that hold on every machine are judged: how time grows with size, and how the
// smallest call compares with a large one. Audits (performance_audits.h) judge whether the figures are worth anything.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/algorithm/string.hpp>

#include "conformance/suite/loaded_program.h"
#include "conformance/suite/performance_audits.h"
#include "conformance/suite/performance_programs.h"
#include "conformance/suite/stage.h"
#include "conformance/suite/timing.h"

namespace bp::conformance {
namespace {

using ir::ElementType;

constexpr std::array quick_types = {ElementType::F32, ElementType::BF16, ElementType::F16, ElementType::F64,
                                    ElementType::S8};

Verdict verdict_with(Measurement measured) {
  Verdict verdict;
  verdict.measured = std::move(measured);
  return verdict;
}

// --- Peaks ---

// Returns the best rate of programs of one kind. Larger ones are tried until a run takes long.
template <class Make, class Rate>
Result<Measurement> best_of(const Subject &subject, std::span<const std::int64_t> sizes, const Make &make,
                            const Rate &rate) {
  constexpr double long_seconds = 0.02;
  std::optional<Measurement> best;
  Error reason = make_error(ErrorCode::Unsupported, "the device runs no such program");
  double wall = 0;
  for (std::size_t i = 0; i < sizes.size() && wall < long_seconds; ++i) {
    for (PerformanceProgram &program : make(sizes[i])) {
      const Result<LoadedProgram> loaded = load_program(subject, std::move(program));
      if (!loaded.ok()) {
        reason = loaded.error();
        continue;
      }
      const Timed run = loaded->run();
      BP_ASSIGN(const Measurement on_wall, measure(on_the_wall([&]() -> Status {
                                                     BP_TRY(run());
                                                     return {};
                                                   }),
                                                   {.rounds = 1, .max_rounds = 1}));
      wall = std::max(wall, on_wall.seconds);
      BP_ASSIGN(Measurement measured, measure(run, {.patience = 0.2}));
      measured = loaded->finish(std::move(measured));
      if (!best || rate(measured) > rate(*best)) {
        best = std::move(measured);
      }
    }
  }
  if (!best) {
    return reason;
  }
  return std::move(*best);
}

double operations_per_second(const Measurement &one) {
  return one.operations / one.seconds;
}
double bytes_per_second(const Measurement &one) {
  return one.bytes / one.seconds;
}

Result<Verdict> peak_of_memory(Subject &subject) {
  constexpr std::array<std::int64_t, 2> sizes = {1 << 20, 1 << 22};
  BP_ASSIGN(
      Measurement best,
      best_of(
          subject, sizes, [](std::int64_t size) { return memory_programs(ElementType::F32, size); }, bytes_per_second));
  return verdict_with(std::move(best));
}

Result<Verdict> peak_of_multiply_add(Subject &subject, ElementType type) {
  constexpr std::array<std::int64_t, 3> sizes = {1 << 12, 1 << 15, 1 << 18};
  BP_ASSIGN(Measurement best,
            best_of(
                subject, sizes, [&](std::int64_t size) { return std::vector{chain_program(type, size, 64)}; },
                operations_per_second));
  return verdict_with(std::move(best));
}

Result<Verdict> peak_of_dot(Subject &subject, ElementType type) {
  constexpr std::array<std::int64_t, 4> sizes = {128, 256, 512, 1024};
  BP_ASSIGN(Measurement best,
            best_of(
                subject, sizes, [&](std::int64_t size) { return std::vector{dot_program(type, size)}; },
                operations_per_second));
  return verdict_with(std::move(best));
}

// --- Ops ---

Result<Verdict> time_op(Subject &subject, const std::string &name, ElementType type) {
  BP_ASSIGN(PerformanceProgram program, op_program(name, type));
  BP_ASSIGN(const LoadedProgram loaded, load_program(subject, std::move(program)));
  BP_ASSIGN(Measurement measured, measure(loaded.run()));
  return verdict_with(loaded.finish(std::move(measured)));
}

// --- Growth ---

// Time grows out of proportion if it grows by at least `min_step` with each step, which is 4 times the work (so neither
// a single disturbance nor the limit of a cache is enough), and by at least 8 per step in total, that is 4 to the power
// of 1.5.
constexpr std::int64_t step = 4;
constexpr double min_step = 5, max_growth = 8;

bool grows_too_fast(const std::vector<Measurement> &measured) {
  double allowed = 1;
  for (std::size_t i = 1; i < measured.size(); ++i) {
    if (measured[i].least < min_step * measured[i - 1].least) {
      return false;
    }
    allowed *= max_growth;
  }
  return measured.back().least >= allowed * measured.front().least;
}

std::string growth_of(const std::vector<Measurement> &measured, std::string_view of) {
  std::vector<std::string> steps;
  for (std::size_t i = 1; i < measured.size(); ++i) {
    steps.push_back(fmt::format("{:.1f}", measured[i].least / measured[i - 1].least));
  }
  return fmt::format("with {} times as many {} it takes {} times as long, each time, expected about {}", step, of,
                     fmt::join(steps, ", "), step);
}

Verdict judge_growth(const std::vector<Measurement> &measured, std::string_view of, Measurement told) {
  Verdict verdict = verdict_with(std::move(told));
  if (grows_too_fast(measured)) {
    verdict.status = CaseStatus::Fail;
    verdict.message = growth_of(measured, of);
  }
  return verdict;
}

Result<Verdict> growth_of_elements(Subject &subject) {
  constexpr std::array<std::int64_t, 4> sizes = {1 << 14, 1 << 16, 1 << 18, 1 << 20};
  BP_ASSIGN(ClockedDevice * device, clocked_device(subject));
  std::vector<LoadedProgram> loaded;
  std::vector<Timed> runs;
  for (const std::int64_t size : sizes) {
    BP_ASSIGN(LoadedProgram one, load_first(*device->backend, &device->clock,
                                            [&](ElementType type) { return simple_programs(type, size); }));
    runs.push_back(one.run());
    loaded.push_back(std::move(one));
  }
  BP_ASSIGN(const std::vector<Measurement> measured, measure_in_turn(runs));
  return judge_growth(measured, "elements", loaded.back().finish(measured.back()));
}

// Judged by the growth with the program's length.
Result<Verdict> cost_of_instruction(Subject &subject) {
  constexpr std::array<std::int64_t, 3> lengths = {64, 256, 1024};
  BP_ASSIGN(const Backend *backend, subject.backend());
  std::vector<LoadedProgram> loaded;
  std::vector<Timed> calls;
  for (const std::int64_t length : lengths) {
    BP_ASSIGN(LoadedProgram one, load_first(*backend, nullptr, [&](ElementType type) {
                return std::vector{chain_program(type, 64, length)};
              }));
    calls.push_back(one.timed->call(4));
    loaded.push_back(std::move(one));
  }
  BP_ASSIGN(const std::vector<Measurement> measured, measure_in_turn(calls));
  Measurement each = measured.back();
  const auto count = static_cast<double>(lengths.back());
  each.seconds /= count, each.spread /= count, each.least /= count;
  each.what = "one of " + loaded.back().program.name;
  return judge_growth(measured, "instructions", std::move(each));
}

Result<Verdict> time_to_compile(Subject &subject) {
  constexpr std::array<std::int64_t, 3> lengths = {64, 256, 1024};
  BP_ASSIGN(const Backend *backend, subject.backend());
  if (backend->device()->compiler() == nullptr) {
    return make_error(ErrorCode::Unsupported, "the device compiles nothing");
  }
  std::vector<ir::Module> modules;
  std::vector<Timed> compilations;
  std::string what;
  for (const std::int64_t length : lengths) {
    const auto make = [&](ElementType type) { return std::vector{chain_program(type, 64, length)}; };
    BP_ASSIGN(const LoadedProgram one, load_first(*backend, nullptr, make));
    what = one.program.name;
    BP_ASSIGN(ir::Module module, read_program(one.program));
    compilations.push_back([backend, module = std::move(module)]() -> Result<RunClock::Reading> {
      BP_ASSIGN(const Compiled compiled, backend->compile(module, performance_options()));
      return RunClock::Reading{compiled.report.compile, false};
    });
  }
  // All times are compared with the shortest, so it is measured several times per round, whatever else is going on.
  BP_ASSIGN(const std::vector<Measurement> measured,
            measure_in_turn(compilations, {.rounds = 3, .max_rounds = 3, .patience = 1, .seconds_in_a_row = 0.05}));
  Measurement each = measured.back();
  const auto count = static_cast<double>(lengths.back());
  each.seconds /= count, each.spread /= count, each.least /= count;
  each.what = "one of " + what;
  return judge_growth(measured, "instructions to compile", std::move(each));
}

// A device that keeps its runs, and goes through them, becomes slower with each run.
Result<Verdict> growth_of_runs(Subject &subject) {
  constexpr std::size_t runs = 400, quarter = runs / 4;
  constexpr double most = 4, negligible = 50e-6;
  BP_ASSIGN(const Backend *backend, subject.backend());
  BP_ASSIGN(const LoadedProgram loaded,
            load_first(*backend, nullptr, [](ElementType type) { return simple_programs(type, 64); }));
  const Timed call = loaded.timed->call(1);
  std::vector<double> seconds;
  for (std::size_t i = 0; i < runs; ++i) {
    BP_ASSIGN(const RunClock::Reading reading, call());
    seconds.push_back(reading.seconds);
  }
  // Compares the fastest runs of the first and the last quarter: a disturbance does not affect all runs.
  const double first = *std::min_element(seconds.begin(), seconds.begin() + quarter);
  const double last = *std::min_element(seconds.end() - quarter, seconds.end());
  return last > std::max(most * first, negligible)
             ? failure(fmt::format("after {} runs, one takes at least {:.3g} us; before, {:.3g}", runs - quarter,
                                   1e6 * last, 1e6 * first))
             : Verdict();
}

// --- Calls ---

// Compares the smallest program with one that adds a million elements. A call that takes more than a quarter of that
// time is too expensive, unless its absolute time is negligible.
Result<Verdict> cost_of_call(Subject &subject) {
  constexpr double max_share = 0.25, negligible = 300e-6;
  BP_ASSIGN(const Backend *backend, subject.backend());
  BP_ASSIGN(const LoadedProgram small,
            load_first(*backend, nullptr, [](ElementType type) { return simple_programs(type, 1); }));
  BP_ASSIGN(const LoadedProgram large,
            load_first(*backend, nullptr, [](ElementType type) { return simple_programs(type, 1 << 20); }));
  const Timed calls[] = {small.timed->call(16), large.timed->call(1)};
  BP_ASSIGN(const std::vector<Measurement> measured, measure_in_turn(calls));
  Verdict verdict = verdict_with(measured[0]);
  verdict.measured->what = small.program.name;
  if (measured[0].least > std::max(negligible, max_share * measured[1].least)) {
    verdict.status = CaseStatus::Fail;
    verdict.message =
        fmt::format("{} takes {:.3g} ms at least, {} takes {:.3g} ms: a call costs {:.3g} ms", small.program.name,
                    1e3 * measured[0].least, large.program.name, 1e3 * measured[1].least, 1e3 * measured[0].least);
  }
  return verdict;
}

Result<Verdict> time_to_load_plugin(Subject &subject) {
  BP_ASSIGN(const Measurement measured, measure(on_the_wall([&]() -> Status {
              BP_ASSIGN(auto plugin, host::Plugin::load(subject.candidate(), host::AfterUse::Unload, subject.layers()));
              host::DeviceOptions options;
              options.settings = subject.choice().settings;
              options.host.log = subject.backend_options().log;
              BP_TRY(host::Device::create(std::move(plugin), subject.device_id(), std::move(options)));
              return {};
            })));
  return verdict_with(measured);
}

Result<Verdict> time_to_load_program(Subject &subject) {
  BP_ASSIGN(const Backend *backend, subject.backend());
  const auto make = [](ElementType type) { return std::vector{chain_program(type, 64, 64)}; };
  BP_ASSIGN(const LoadedProgram loaded, load_first(*backend, nullptr, make));
  BP_ASSIGN(const ir::Module module, read_program(loaded.program));
  BP_ASSIGN(Measurement measured, measure([&]() -> Result<RunClock::Reading> {
              BP_ASSIGN(const Compiled compiled, backend->compile(module, performance_options()));
              return RunClock::Reading{compiled.report.load, false};
            }));
  measured.what = loaded.program.name;
  return verdict_with(std::move(measured));
}

// --- The stage ---

struct TimedCase {
  std::string_view name;
  Result<Verdict> (*run)(Subject &subject);
};
constexpr TimedCase timed_cases[] = {
    {"peak/memory", peak_of_memory},
    {"overhead/call", cost_of_call},
    {"overhead/instruction", cost_of_instruction},
    {"growth/elements", growth_of_elements},
    {"growth/runs", growth_of_runs},
    {"compile/instruction", time_to_compile},
    {"load/plugin", time_to_load_plugin},
    {"load/program", time_to_load_program},
};

struct PeakCase {
  std::string_view name;
  Result<Verdict> (*run)(Subject &subject, ElementType type);
};
constexpr PeakCase peak_cases[] = {{"multiply-add", peak_of_multiply_add}, {"dot", peak_of_dot}};

// Returns the types with which an op is timed: f32, or the first type that its program allows. In full mode all that it
// allows.
std::vector<ElementType> types_of(const std::string &op, bool is_full) {
  constexpr std::array all = {ElementType::F32,  ElementType::S32, ElementType::Pred, ElementType::C64,
                              ElementType::BF16, ElementType::F16, ElementType::F64,  ElementType::S8};
  std::vector<ElementType> types;
  const bool is_about_parts = op == "real" || op == "imag";  // a real number leaves nothing to compute
  for (const ElementType type : all) {
    if (is_about_parts && !ir::is_complex(type)) {
      continue;
    }
    const auto program = op_program(op, type);
    if (program.ok() && read_program(*program).ok()) {
      types.push_back(type);
      if (!is_full) {
        break;
      }
    }
  }
  return types;
}

std::vector<std::string> list_performance(const Subject &subject) {
  std::vector<std::string> ids;
  if (subject.is_interpreter()) {
    return ids;
  }
  for (const TimedCase &one : timed_cases) {
    ids.push_back(fmt::format("performance/{}", one.name));
  }
  for (const PeakCase &one : peak_cases) {
    for (const ElementType type : quick_types) {
      ids.push_back(fmt::format("performance/peak/{}/{}", one.name, ir::to_string(type)));
    }
  }
  for (const std::string &name : audit_names()) {
    ids.push_back(fmt::format("performance/audit/{}", name));
  }
  for (const std::string &op : timed_op_names()) {
    for (const ElementType type : types_of(op, subject.is_full())) {
      ids.push_back(fmt::format("performance/op/{}/{}", op, ir::to_string(type)));
    }
  }
  return ids;
}

Result<Verdict> run_case(Subject &subject, const std::string &id) {
  const auto named = std::ranges::find(timed_cases, std::string_view(id).substr(id.find('/') + 1), &TimedCase::name);
  if (named != std::end(timed_cases)) {
    return named->run(subject);
  }
  std::vector<std::string> parts;
  boost::split(parts, id, boost::is_any_of("/"));
  if (parts.size() == 4 && parts[1] == "audit") {
    return run_audit(subject, parts[2], parts[3], subject.seed_of(id));
  }
  const auto type = ir::element_type_from_string(parts.back());
  if (parts.size() == 4 && type && parts[1] == "op") {
    return time_op(subject, parts[2], *type);
  }
  const auto peak = parts.size() == 4 ? std::ranges::find(peak_cases, parts[2], &PeakCase::name) : std::end(peak_cases);
  if (peak != std::end(peak_cases) && type) {
    return peak->run(subject, *type);
  }
  return invalid_input("there is no case {}", id);
}

Verdict run_performance(Subject &subject, const std::string &id) {
  return verdict_or_error(run_case(subject, id));
}

}  // namespace

const Stage performance_stage = {
    .name = "performance",
    .summary = "peak rates of the device, ops compared with them, and the costs of calls and instructions",
    .list = list_performance,
    .run = run_performance,
    .is_timed = true};

}  // namespace bp::conformance
