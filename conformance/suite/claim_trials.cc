// Questions about instructions at other times: in reverse order, while programs run, and after the device was used and
// calls of it failed. The answers must not change (BP-CLAIM-01, BP-FIND-01).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
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
  constexpr int least_runs = 5, least_rounds = 2;
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

// After many programs were compiled and run, calls have failed, and another device has come and gone.
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
  return expect_same_answers(questions, before, after, "after programs have run and calls have failed");
}
Verdict asks_later(Subject &subject) {
  return verdict_or_error(ask_later(subject));
}

constexpr ContractTrial claim_table[] = {
    {"BP-CLAIM-01/reverse", "bp.compiler/1", asks_in_reverse},
    {"BP-CLAIM-01/running", "bp.compiler/1", asks_while_running},
    {"BP-CLAIM-01/later", "bp.compiler/1", asks_later},
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
