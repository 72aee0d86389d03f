// Questions about instructions at other times: in reverse order, while programs run, after the device was used and
// calls of it failed, and many times. The answers must not change (BP-CLAIM-01, BP-FIND-01).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <thread>

#include "conformance/coverage/programs.h"
#include "conformance/suite/contract_trials.h"
#include "conformance/suite/direct_program.h"
#include "conformance/suite/failing_calls.h"
#include "conformance/suite/sample_programs.h"
#include "conformance/suite/stage.h"
#include "core/host/diagnostics.h"
#include "core/interpreter/random_inputs.h"
#include "core/ir/verifier.h"
#include "core/layers/interposer.h"
#include "core/text/parser.h"

namespace bp::conformance {
namespace {

using Answers = std::vector<std::vector<bool>>;  // by question and instruction

// Every op on several element types and shapes, so that there are answers of both kinds for most ops.
std::vector<host::Image> make_questions() {
  std::vector<host::Image> questions;
  const auto add = [&](ir::Opcode opcode, ir::ElementType type, const coverage::Size &size) {
    for (const coverage::Program &program : coverage::programs(opcode, type, size)) {
      auto module = text::parse_module(program.text);
      if (!module.ok() || !ir::verify(*module).ok()) {
        continue;  // the op does not have this type
      }
      if (auto image = host::build_image(*module, host::Stage::Legalize); image.ok()) {
        questions.push_back(std::move(image).value());
      }
    }
  };
  for (const ir::OpInfo &op : ir::ops()) {
    using enum ir::ElementType;
    for (const ir::ElementType type : {F16, S32, F32, S8}) {
      add(op.opcode, type, {});
    }
    add(op.opcode, F32, {67, 2});
  }
  return questions;
}

Result<Answers> ask_all(const host::Device &device, const std::vector<host::Image> &questions, bool backwards) {
  Answers answers(questions.size());
  for (std::size_t k = 0; k < questions.size(); ++k) {
    const std::size_t i = backwards ? questions.size() - 1 - k : k;
    BP_ASSIGN(answers[i], claims_of(device, questions[i].module(), backwards));
  }
  return answers;
}

Verdict expect_same_answers(const std::vector<host::Image> &questions, const Answers &before, const Answers &after,
                            std::string_view when) {
  bool any_claimed = false;
  for (std::size_t i = 0; i < questions.size(); ++i) {
    for (std::uint32_t k = 0; k < before[i].size(); ++k) {
      if (!is_asked(questions[i].module(), k)) {
        continue;
      }
      any_claimed |= before[i][k];
      if (before[i][k] != after[i][k]) {
        return failure(fmt::format("{} is {}claimed, but {}claimed {}:\n{}", questions[i].view().instruction(k).name(),
                                   before[i][k] ? "" : "not ", after[i][k] ? "" : "not ", when,
                                   host::image_to_text(questions[i].module())));
      }
    }
  }
  return any_claimed ? Verdict() : nothing_to_do();
}

// Each order in a library that was loaded anew.
Result<Verdict> ask_in_reverse(Subject &subject) {
  const std::vector<host::Image> questions = make_questions();
  subject.unload();
  std::array<Answers, 2> answers;
  for (const bool backwards : {false, true}) {
    BP_ASSIGN(const std::shared_ptr<const host::Plugin> library, load_library(subject));
    BP_ASSIGN(const DevicePointer device, make_device(library, subject));
    BP_ASSIGN(answers[backwards ? 1 : 0], ask_all(*device, questions, backwards));
  }
  return expect_same_answers(questions, answers[0], answers[1], "if the questions are asked in reverse order");
}
Verdict asks_in_reverse(Subject &subject) {
  return verdict_or_error(ask_in_reverse(subject));
}

Result<ir::Module> lasting_program(Subject &subject) {
  BP_ASSIGN(ir::Module module, sample_program("large_dot"));
  const auto compiled = subject.compile("lasting", module);
  return compiled.ok() && subject.is_on_device(**compiled) ? Result<ir::Module>(std::move(module))
                                                           : first_supported_sample(subject);
}

Result<Verdict> ask_while_running(Subject &subject) {
  constexpr int least_runs = 24, least_rounds = 16;
  const std::vector<host::Image> questions = make_questions();
  BP_ASSIGN(const ir::Module module, lasting_program(subject));
  BP_ASSIGN(const auto compiled, subject.compile("running", module));
  BP_ASSIGN(const std::vector<Literal> arguments, interpreter::random_arguments(module, 1));
  BP_ASSIGN(const Backend *backend, subject.backend());
  const host::Device &device = *backend->device();
  BP_ASSIGN(const Answers before, ask_all(device, questions, false));
  std::atomic<bool> is_enough = false, has_ended = false;
  std::atomic<int> runs = 0;
  Status outcome;
  Verdict verdict;
  {
    const std::jthread running([&] {
      while (!is_enough && outcome.ok()) {
        auto result = compiled->executable.run(arguments);
        outcome = result.ok() ? Status() : Status(std::move(result).error());
        ++runs;
      }
      has_ended = true;
    });
    for (int round = 0; verdict.status == CaseStatus::Pass && !has_ended && (round < least_rounds || runs < least_runs);
         ++round) {
      const auto during = ask_all(device, questions, false);
      verdict = during.ok() ? expect_same_answers(questions, before, *during, "while a program runs")
                            : failure(during.error().to_string());
    }
    is_enough = true;
  }
  BP_TRY(std::move(outcome));
  return verdict;
}
Verdict asks_while_running(Subject &subject) {
  return verdict_or_error(ask_while_running(subject));
}

// Calls that fail, whatever the device has. Their outcome is what other cases judge.
void make_calls_fail(const host::Device &device) {
  host::Diagnostics diagnostics;
  if (device.compiler() != nullptr) {
    for (int i = 0; i < 5; ++i) {
      diagnostics.call([&](const bp_diag_t *diag) {
        const bp_program_t *program = nullptr;
        const std::lock_guard lock(device.control_mutex());
        return device.compiler()->load(device.abi(), "no artifact", 11, nullptr, nullptr, 0, &program, diag);
      });
    }
  }
  if (device.memory() != nullptr) {
    diagnostics.call([&](const bp_diag_t *diag) {
      bp_memory_t piece{};
      return device.memory()->alloc(device.abi(), 0, std::uint64_t{1} << 50, 64, &piece, diag);
    });
  }
}

// After many programs were compiled and run, calls have failed, and another device has come and gone; and when there is
// no memory left.
Result<Verdict> ask_later(Subject &subject) {
  constexpr std::size_t most_programs = 10;
  const std::vector<host::Image> questions = make_questions();
  BP_ASSIGN(const std::shared_ptr<const host::Plugin> library, load_library(subject));
  BP_ASSIGN(const DevicePointer device, make_device(library, subject));
  BP_ASSIGN(const Answers before, ask_all(*device, questions, false));
  std::size_t programs = 0;
  for (const std::string &name : sample_program_names()) {
    BP_ASSIGN(const ir::Module module, sample_program(name));
    const auto parts = DirectParts::compile(device, module);
    if (!parts.ok() || *parts == nullptr) {
      continue;  // other stages judge what does not compile
    }
    if (++programs > most_programs) {
      break;
    }
    BP_ASSIGN(const std::unique_ptr<DirectProgram> program, DirectProgram::load(device, *parts));
    BP_ASSIGN(const std::vector<Literal> arguments, interpreter::random_arguments(module, 1));
    static_cast<void>(program->run(arguments, {}));
  }
  make_calls_fail(*device);
  {
    BP_ASSIGN(const DevicePointer other, make_device(library, subject));
    make_calls_fail(*other);
  }
  BP_ASSIGN(const Answers after, ask_all(*device, questions, false));
  const Verdict verdict =
      expect_same_answers(questions, before, after, "after programs have run and calls have failed");
  if (verdict.status == CaseStatus::Fail) {
    return verdict;
  }
  const std::vector<runtime::Block> everything = allocate_all(*device);
  BP_ASSIGN(const Answers at_last, ask_all(*device, questions, false));
  return expect_same_answers(questions, before, at_last, "while all memory is allocated");
}
Verdict asks_later(Subject &subject) {
  return verdict_or_error(ask_later(subject));
}

// Several threads ask at the same time.
Result<Verdict> ask_together(Subject &subject) {
  constexpr std::size_t threads = 3;
  const std::vector<host::Image> questions = make_questions();
  BP_ASSIGN(const Backend *backend, subject.backend());
  const host::Device &device = *backend->device();
  BP_ASSIGN(const Answers before, ask_all(device, questions, false));
  std::vector<Result<Answers>> during(threads, Answers());
  {
    std::vector<std::jthread> asking;
    for (std::size_t t = 0; t < threads; ++t) {
      asking.emplace_back([&, t] { during[t] = ask_all(device, questions, t % 2 == 1); });
    }
  }
  Verdict verdict;
  for (const Result<Answers> &answers : during) {
    if (verdict.status == CaseStatus::Pass) {
      verdict = answers.ok() ? expect_same_answers(questions, before, *answers, "while other threads ask")
                             : failure(answers.error().to_string());
    }
  }
  return verdict;
}
Verdict asks_together(Subject &subject) {
  return verdict_or_error(ask_together(subject));
}

// Some of the questions whose answer is yes, of all ops, each many times.
Result<Verdict> ask_often(Subject &subject) {
  constexpr std::size_t times = 1000, one_of = 3;
  const std::vector<host::Image> questions = make_questions();
  BP_ASSIGN(const Backend *backend, subject.backend());
  const host::Device &device = *backend->device();
  std::size_t claimed = 0;
  for (const host::Image &question : questions) {
    BP_ASSIGN(const std::vector<bool> first, claims_of(device, question.module()));
    if (std::ranges::count(first, true) == 0 || claimed++ % one_of != 0) {
      continue;
    }
    for (std::size_t i = 1; i < times; ++i) {
      BP_ASSIGN(const std::vector<bool> again, claims_of(device, question.module()));
      for (std::uint32_t k = 0; k < first.size(); ++k) {
        if (first[k] != again[k] && is_asked(question.module(), k)) {
          return failure(fmt::format("{} is {}claimed, but {}claimed after {} equal questions:\n{}",
                                     question.view().instruction(k).name(), first[k] ? "" : "not ",
                                     again[k] ? "" : "not ", i, host::image_to_text(question.module())));
        }
      }
    }
  }
  return claimed > 0 ? Verdict() : nothing_to_do();
}
Verdict asks_often(Subject &subject) {
  return verdict_or_error(ask_often(subject));
}

// A device that is not there answers like one that is, if their targets are equal.
Result<Verdict> ask_offline(Subject &subject) {
  const std::vector<host::Image> questions = make_questions();
  BP_ASSIGN(const std::shared_ptr<const host::Plugin> library, load_library(subject));
  BP_ASSIGN(const DevicePointer device, make_device(library, subject));
  BP_ASSIGN(const DevicePointer offline, make_device(library, subject, BP_NONE));
  const std::string_view target = device->abi()->target, offline_target = offline->abi()->target;
  if (target != offline_target) {
    return Verdict{.status = CaseStatus::Unsupported,
                   .message = fmt::format("offline, the target is {}, and else {}", offline_target, target)};
  }
  BP_ASSIGN(const Answers before, ask_all(*device, questions, false));
  BP_ASSIGN(const Answers after, ask_all(*offline, questions, false));
  return expect_same_answers(questions, before, after, "by an offline device with the same target");
}
Verdict asks_offline(Subject &subject) {
  return verdict_or_error(ask_offline(subject));
}

// --- BP-DIAG-01: what is reported ---

bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto first = static_cast<unsigned char>(text[i++]);
    const int more = first < 0x80 ? 0 : first >> 5 == 6 ? 1 : first >> 4 == 14 ? 2 : first >> 3 == 30 ? 3 : -1;
    if (more < 0 || text.size() - i < static_cast<std::size_t>(more)) {
      return false;
    }
    for (int k = 0; k < more; ++k) {
      if (static_cast<unsigned char>(text[i++]) >> 6 != 2) {
        return false;
      }
    }
  }
  return true;
}

// `instructions`: of the module that was passed to the call; 0 if none was.
Status expect_sound_report(const host::Report &report, std::uint32_t instructions, std::string_view call) {
  const bool is_line = !report.message.empty() && report.message.back() != '\n' && is_utf8(report.message);
  return !is_line
             ? Status(make_error(ErrorCode::PluginFailure,
                                 "BP-DIAG-01: {} reports \"{}\", expected a sentence in UTF-8 without a final newline",
                                 call, host::printable(report.message)))
         : report.instruction != BP_NONE && report.instruction >= instructions
             ? Status(make_error(ErrorCode::PluginFailure,
                                 "BP-DIAG-01: {} blames instruction {}, but the module has {}: {}", call,
                                 report.instruction, instructions, host::printable(report.message)))
             : Status();
}

// Asks about an instruction at a time where the device has kernels, else about the whole module: reasons are reported
// for instructions that are not taken.
Status expect_sound_reasons(const host::Device &device, const bp_module_t *module) {
  BP_ASSIGN(const std::vector<bool> claimed, claims_of(device, module));
  std::vector<float> cost(module->instrs.count, -1);
  for (std::uint32_t i = 0; i < (device.compiler() != nullptr ? 1 : module->instrs.count); ++i) {
    host::Diagnostics diagnostics;
    diagnostics.call([&](const bp_diag_t *diag) -> bp_status {
      if (device.compiler() != nullptr) {
        return device.compiler()->claim(device.abi(), module, cost.data(), diag);
      }
      device.kernels()->find(device.abi(), module, i, diag);
      return BP_OK;
    });
    for (const host::Report &report : diagnostics.reports()) {
      BP_TRY(expect_sound_report(report, module->instrs.count, device.compiler() != nullptr ? "claim()" : "find()"));
      if (report.status == BP_UNSUPPORTED && report.instruction != BP_NONE && is_asked(module, report.instruction) &&
          claimed[report.instruction]) {
        return make_error(ErrorCode::PluginFailure, "BP-DIAG-01: a reason is reported against {}, which is taken: {}",
                          plugin::ModuleView(module).instruction(report.instruction).name(),
                          host::printable(report.message));
      }
    }
  }
  return {};
}

Result<Verdict> report_soundly(Subject &subject) {
  BP_ASSIGN(const Backend *backend, subject.backend());
  const host::Device &device = *backend->device();
  for (const host::Image &question : make_questions()) {
    BP_TRY(expect_sound_reasons(device, question.module()));
  }
  // Calls that fail should say why.
  if (device.compiler() != nullptr) {
    host::Diagnostics diagnostics;
    const bp_status status = diagnostics.call([&](const bp_diag_t *diag) {
      const bp_program_t *program = nullptr;
      const std::lock_guard lock(device.control_mutex());
      return device.compiler()->load(device.abi(), "no artifact", 11, nullptr, nullptr, 0, &program, diag);
    });
    if (status != BP_OK && diagnostics.reports().empty()) {
      return failure("BP-DIAG-01: load() refuses an artifact, and does not say why");
    }
    for (const host::Report &report : diagnostics.reports()) {
      BP_TRY(expect_sound_report(report, 0, "load()"));
    }
  }
  if (device.memory() != nullptr) {
    host::Diagnostics diagnostics;
    const bp_status status = diagnostics.call([&](const bp_diag_t *diag) {
      bp_memory_t piece{};
      return device.memory()->alloc(device.abi(), 0, std::uint64_t{1} << 50, 64, &piece, diag);
    });
    if (status != BP_OK && diagnostics.reports().empty()) {
      return failure("BP-DIAG-01: alloc() refuses a piece, and does not say why");
    }
    for (const host::Report &report : diagnostics.reports()) {
      BP_TRY(expect_sound_report(report, 0, "alloc()"));
    }
  }
  return Verdict();
}
Verdict reports_soundly(Subject &subject) {
  return verdict_or_error(report_soundly(subject));
}

// --- BP-LOG-01: lines of the log ---

struct LogWatch final : layers::Interposer {
  struct Lines {
    std::mutex mutex;
    std::size_t count = 0;
    std::string broken;
  };
  LogWatch(std::unique_ptr<host::Entry> below, Lines &lines) : Interposer(std::move(below)), lines_(lines) {}
  void log_log(layers::LayeredHost &, std::uint32_t severity, const char *msg) override {
    const std::lock_guard lock(lines_.mutex);
    ++lines_.count;
    const std::string_view line = msg == nullptr ? "" : msg;
    if (line.empty() || line.find('\n') != std::string_view::npos || !is_utf8(line) || severity > BP_LOG_ERROR) {
      lines_.broken = fmt::format("\"{}\" with severity {}", host::printable(line), severity);
    }
  }
  Lines &lines_;
};

Result<Verdict> log_lines(Subject &subject) {
  LogWatch::Lines lines;
  {
    BP_ASSIGN(const ir::Module module, first_supported_sample(subject));
    BP_ASSIGN(const Backend backend, load_under(subject, [&lines](std::unique_ptr<host::Entry> below) {
                return std::make_unique<LogWatch>(std::move(below), lines);
              }));
    BP_TRY(run_alone(subject, backend, module));
    make_calls_fail(*backend.device());
  }
  if (!lines.broken.empty()) {
    return failure("BP-LOG-01: the device logs " + lines.broken + ", expected one line in UTF-8 without its newline");
  }
  return lines.count > 0 ? Verdict() : Verdict{.status = CaseStatus::Unsupported, .message = "the device logs nothing"};
}
Verdict logs_lines(Subject &subject) {
  return verdict_or_error(log_lines(subject));
}

constexpr ContractTrial claim_table[] = {
    {"BP-CLAIM-01/reverse", "bp.compiler/1", asks_in_reverse},
    {"BP-CLAIM-01/running", "bp.compiler/1", asks_while_running},
    {"BP-CLAIM-01/later", "bp.compiler/1", asks_later},
    {"BP-CLAIM-01/offline", "bp.compiler/1", asks_offline},
    {"BP-CLAIM-01/threads", "bp.compiler/1", asks_together},
    {"BP-CLAIM-01/often", "bp.compiler/1", asks_often},
    {"BP-FIND-01/often", "bp.kernels/1", asks_often},
    {"BP-FIND-01/threads", "bp.kernels/1", asks_together},
    {"BP-DIAG-01/reports", "", reports_soundly},
    {"BP-LOG-01/lines", "", logs_lines},
    {"BP-FIND-01/reverse", "bp.kernels/1", asks_in_reverse},
    {"BP-FIND-01/running", "bp.kernels/1", asks_while_running},
    {"BP-FIND-01/later", "bp.kernels/1", asks_later},
};

}  // namespace

const std::span<const ContractTrial> claim_trials = claim_table;

Result<std::vector<bool>> claims_of(const host::Device &device, const bp_module_t *module, bool backwards) {
  std::vector<bool> claimed(module->instrs.count);
  host::Diagnostics diagnostics;
  if (device.compiler() != nullptr) {
    std::vector<float> cost(module->instrs.count, -1);
    const bp_status status = diagnostics.call(
        [&](const bp_diag_t *diag) { return device.compiler()->claim(device.abi(), module, cost.data(), diag); });
    BP_TRY(diagnostics.result(status, device.id(), "claim", module));
    std::transform(cost.begin(), cost.end(), claimed.begin(), [](float ns) { return ns >= 0; });
    return claimed;
  }
  for (std::uint32_t k = 0; device.kernels() != nullptr && k < claimed.size(); ++k) {
    const std::uint32_t i = backwards ? static_cast<std::uint32_t>(claimed.size()) - 1 - k : k;
    const bp_status status = diagnostics.call([&](const bp_diag_t *diag) -> bp_status {
      claimed[i] = device.kernels()->find(device.abi(), module, i, diag) != nullptr;
      return BP_OK;
    });
    BP_TRY(diagnostics.result(status, device.id(), "find", module));
  }
  return claimed;
}

bool is_asked(const bp_module_t *module, std::uint32_t i) {
  const std::uint16_t op = plugin::ModuleView(module).instruction(i).op();
  if (op == BP_OP_PARAMETER || op == BP_OP_CONSTANT || op == BP_OP_BITCAST) {
    return false;
  }
  for (const bp_computation_t &computation : plugin::array<bp_computation_t>(module, module->computations)) {
    if (i >= computation.instrs && i - computation.instrs < computation.instr_count) {
      return computation.kind == BP_COMPUTATION_CONTROL;
    }
  }
  return false;
}

}  // namespace bp::conformance
