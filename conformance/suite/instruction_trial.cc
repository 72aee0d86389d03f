#include "conformance/suite/instruction_trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <map>
#include <variant>

#include "conformance/check/number.h"
#include "conformance/suite/direct_program.h"
#include "conformance/suite/growth.h"
#include "conformance/suite/library.h"
#include "conformance/suite/program_judge.h"
#include "conformance/suite/shown.h"
#include "conformance/suite/stage.h"
#include "conformance/suite/sum_bound.h"
#include "core/interpreter/interpreter.h"
#include "core/interpreter/random_inputs.h"
#include "core/ir/result_accuracy.h"
#include "core/ir/storage.h"
#include "core/ir/verifier.h"

namespace bp::conformance {
namespace {

using ir::Literal;
using ir::Module;
using ir::Opcode;
using Arguments = std::vector<Literal>;
// The result, or the verdict on a program that the device did not run.
using Execution = std::variant<Literal, Verdict>;

Execution execution_of(Result<Literal> found) {
  return found.ok() ? Execution(std::move(found).value()) : Execution(failure(found.error().to_string()));
}

// --- Ways of execution ---

using Program = std::shared_ptr<const Compiled>;

using Preparation = std::variant<Program, Verdict>;

Preparation compile(Subject &subject, const std::string &key, const Module &module) {
  auto program = subject.compile(key, module);
  if (!program.ok()) {
    return verdict_of_compilation(subject, module, program.error(), key);
  }
  return subject.is_on_device(**program) ? Preparation(std::move(program).value()) : nothing_to_do();
}

// Whether runs leave memory behind: a few, and only if each of these leaves the same, many. Threads of the device may
// free what they have used a moment after the run.
Status expect_no_leak(const Executable &executable, const Arguments &arguments) {
  constexpr int few = 3;
  constexpr std::int64_t slack = 8192, slack_per_run = 16;
  constexpr double seconds_per_round = 0.05;
  const auto start = std::chrono::steady_clock::now();
  std::int64_t usual = 0;
  for (int i = 0; i < few; ++i) {
    const std::int64_t before = heap_bytes();
    BP_TRY(executable.run(arguments));
    const std::int64_t left = heap_bytes() - before;
    if (left <= 0 || (i > 0 && left != usual)) {
      return {};
    }
    usual = left;
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  const int many = std::clamp(static_cast<int>(seconds_per_round * few / seconds.count()), 16, 1024);
  return judge_growth([&]() -> Result<std::string> {
    const std::int64_t before = heap_bytes();
    for (int i = 0; i < many; ++i) {
      BP_TRY(executable.run(arguments));
    }
    const std::int64_t left = heap_bytes() - before;
    return left <= slack + many * slack_per_run
               ? std::string()
               : fmt::format("BP-ENTRY-03: {} runs of the program leave {} bytes on the heap", many, left);
  });
}

Execution run_plain(Subject &subject, const std::string &key, const Module &module, const Arguments &arguments) {
  const auto prepared = compile(subject, key, module);
  if (const auto *verdict = std::get_if<Verdict>(&prepared)) {
    return *verdict;
  }
  const Executable &executable = std::get<Program>(prepared)->executable;
  Result<Literal> found = executable.run(arguments);
  const bool is_looked_at = found.ok() && !subject.is_interpreter() && subject.is_next(key);
  const Status status = is_looked_at ? expect_no_leak(executable, arguments) : Status();
  return status.ok() ? execution_of(std::move(found)) : failure(status.error().message());
}

// Whether two literals of one shape have the same bits.
bool are_same_bits(const Literal &a, const Literal &b) {
  if (a.shape().is_tuple()) {
    return std::ranges::equal(a.tuple_elements(), b.tuple_elements(), are_same_bits);
  }
  return std::ranges::equal(a.bytes(), b.bytes());
}

Execution run_repeatedly(Subject &subject, const InstructionTrial &trial) {
  const auto prepared = compile(subject, trial.key, trial.module);
  if (const auto *verdict = std::get_if<Verdict>(&prepared)) {
    return *verdict;
  }
  const Executable &executable = std::get<Program>(prepared)->executable;
  Result<Literal> first = executable.run(trial.arguments);
  const auto others = interpreter::random_arguments(trial.module, trial.seed);
  if (!first.ok() || !others.ok()) {
    return execution_of(std::move(first));
  }
  static_cast<void>(executable.run(*others));
  const Result<Literal> again = executable.run(trial.arguments);
  if (!again.ok()) {
    return failure(again.error().to_string());
  }
  if (!are_same_bits(*first, *again)) {
    return failure("the bits of the result differ after a run with other arguments (BP-RUN-04)");
  }
  const Status status = subject.is_interpreter() ? Status() : expect_no_leak(executable, trial.arguments);
  return status.ok() ? execution_of(std::move(first)) : failure(status.error().message());
}

bool has_tiles(const ir::Shape &shape) {
  return shape.is_tuple() ? std::ranges::any_of(shape.elements(), has_tiles)
                          : shape.is_array() && !shape.layout().tiles.empty();
}

Result<Literal> run_between_guards(const Backend &backend, const std::shared_ptr<const DirectParts> &parts,
                                   const Arguments &arguments) {
  BP_ASSIGN(const std::unique_ptr<DirectProgram> program, DirectProgram::load(backend.device(), parts));
  BP_ASSIGN(const DirectProgram::Outputs first,
            program->run(arguments, {.side = GuardedBlock::Side::AtEnd, .poison = std::byte{0xff}}));
  BP_ASSIGN(
      const DirectProgram::Outputs second,
      program->run(arguments, {.side = GuardedBlock::Side::AtStart, .poison = std::byte{0x2a}, .is_reversed = true}));
  std::span<const std::vector<std::byte>> outputs = first, again = second;
  BP_ASSIGN(Literal found, literal_of(parts->result, outputs));
  BP_ASSIGN(const Literal other, literal_of(parts->result, again));
  // Nothing is said about the gaps that tiles leave.
  if (has_tiles(parts->result) ? !are_same_bits(found, other) : first != second) {
    return make_error(ErrorCode::PluginFailure,
                      "the bits of the result differ when buffers have other addresses and other bytes before the run");
  }
  return found;
}

Execution run_guarded(Subject &subject, const InstructionTrial &trial) {
  const auto backend = subject.backend();
  if (!backend.ok() || (*backend)->is_interpreter()) {
    return run_plain(subject, trial.key, trial.module, trial.arguments);
  }
  const auto parts = DirectParts::compile((*backend)->device(), trial.module);
  if (!parts.ok()) {
    const auto program = compile(subject, trial.key, trial.module);
    const auto *verdict = std::get_if<Verdict>(&program);
    return verdict != nullptr ? *verdict : verdict_of_compilation(subject, trial.module, parts.error());
  }
  if (*parts == nullptr) {
    return nothing_to_do();
  }
  if ((*parts)->image.view().entry().roots().size() != count_arrays((*parts)->result)) {
    return run_plain(subject, trial.key, trial.module, trial.arguments);  // parts of the result are no arrays
  }
  return execution_of(run_between_guards(**backend, *parts, trial.arguments));
}

// Turns one parameter into a constant, and removes it from the arguments.
void make_constant(Module &module, Arguments &arguments, std::size_t which) {
  const ir::ComputationId entry = module.entry().id();
  const auto parameters = module.entry().parameter_ids();
  const std::vector<ir::InstructionId> before(parameters.begin(), parameters.end());
  const ir::Shape stored = module.instruction(before[which]).shape();
  const ir::InstructionId constant = module.add_constant(entry, arguments[which]);
  module.set_shape(constant, stored);
  std::vector<ir::InstructionId> replacements(static_cast<std::size_t>(constant) + 1, ir::no_instruction);
  replacements[static_cast<std::size_t>(before[which])] = constant;
  module.replace_uses(replacements);
  std::vector<ir::InstructionId> order{constant};
  for (const ir::Instruction i : module.entry().instructions()) {
    if (i.id() != constant && i.id() != before[which]) {
      order.push_back(i.id());
    }
  }
  for (std::size_t p = which + 1; p < before.size(); ++p) {
    module.set_number(before[p], ir::AttributeKey::ParameterNumber, static_cast<std::int64_t>(p) - 1);
  }
  module.set_instruction_order(entry, std::move(order));
  module.unique_names();
  arguments.erase(arguments.begin() + static_cast<std::ptrdiff_t>(which));
}

Execution run_with_constant(Subject &subject, const InstructionTrial &trial) {
  Module module = trial.module;
  Arguments arguments = trial.arguments;
  if (arguments.size() > 1) {
    make_constant(module, arguments, trial.seed % arguments.size());
  }
  return run_plain(subject, trial.key + "/constant", module, arguments);
}

Execution run_donated(Subject &subject, const InstructionTrial &trial) {
  Module module = trial.module;
  const ir::Shape &result = module.entry().root().shape();
  const auto parameters = module.entry().parameter_ids();
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    if (result.is_array() && module.instruction(parameters[p]).shape() == result) {
      module.header().input_output_alias.push_back({.output_index = {},
                                                    .parameter = static_cast<std::int64_t>(p),
                                                    .parameter_index = {},
                                                    .must = trial.seed % 2 == 0});
      break;
    }
  }
  Execution donated = run_plain(subject, trial.key + "/donated", module, trial.arguments);
  const auto *verdict = std::get_if<Verdict>(&donated);
  const auto plain = verdict == nullptr ? Preparation(Program()) : compile(subject, trial.key, trial.module);
  // Where the device has no part in the program itself, the copy that a donation needs says nothing about it.
  return std::holds_alternative<Verdict>(plain) ? Execution(std::get<Verdict>(plain)) : donated;
}

Execution execute(Subject &subject, const InstructionTrial &trial) {
  switch (trial.way) {
    case Way::Plain: return run_plain(subject, trial.key, trial.module, trial.arguments);
    case Way::Repeated: return run_repeatedly(subject, trial);
    case Way::Guarded: return run_guarded(subject, trial);
    case Way::Constant: return run_with_constant(subject, trial);
    case Way::Donated: return run_donated(subject, trial);
  }
  return failure("there is no such way");
}

std::string_view describe(Way way) {
  switch (way) {
    case Way::Plain: return "";
    case Way::Repeated: return "in the first of several runs";
    case Way::Guarded: return "with memory of the caller";
    case Way::Constant: return "with an operand that is a constant";
    case Way::Donated: return "with an operand whose memory the result may take";
  }
  return "";
}

// --- Judgement ---

// Whether the program is nothing but the instruction: the table of tolerances says how close its result must be.
bool is_alone(const Module &module) {
  return std::ranges::all_of(module.entry().instructions(), [&](const ir::Instruction &i) {
    return i.opcode() == Opcode::Parameter || i.opcode() == Opcode::Constant || i.id() == module.entry().root().id();
  });
}

// The accuracy of a map is that of its function, which is an instruction here.
Accuracy accuracy_of(const Module &module) {
  const ir::Instruction root = module.entry().root();
  const bool is_map = root.opcode() == Opcode::Map;
  return ir::accuracy_of(is_map ? root.called(0).root() : root);
}

// The most frequent element and the infinite ones and NaNs, of all arrays of a value.
struct Census {
  std::size_t elements = 0, unlimited = 0;
  std::map<std::array<std::uint64_t, 2>, std::size_t> by_bits;
};

void add_to_census(const Literal &literal, Census &census) {
  if (literal.shape().is_tuple()) {
    for (const Literal &element : literal.tuple_elements()) {
      add_to_census(element, census);
    }
  } else if (literal.shape().is_array()) {
    ir::visit_element_type(literal.shape().element_type(), [&]<class T>() {
      constexpr std::size_t max_looked_at = 512;
      const auto elements = literal.elements<T>();
      const std::size_t step = elements.size() / max_looked_at + 1;
      for (std::size_t i = 0; i < elements.size(); i += step) {
        ++census.elements;
        if constexpr (is_float<T>) {
          census.unlimited += std::isfinite(static_cast<double>(elements[i])) ? 0 : 1;
        }
        std::array<std::uint64_t, 2> bits{};
        std::memcpy(bits.data(), &elements[i], sizeof(T));
        ++census.by_bits[bits];
      }
    });
  }
}

std::size_t count_most_frequent(const Census &census) {
  std::size_t most = 0;
  for (const auto &[bits, count] : census.by_bits) {
    most = std::max(most, count);
  }
  return most;
}

Judgement judge_result(const InstructionTrial &trial, const Literal &found, const Literal &expected) {
  if (trial.is_one_op && is_alone(trial.module)) {
    return judge_instruction(trial.module, trial.arguments, trial.values, found, expected, accuracy_of(trial.module),
                             trial.type);
  }
  const auto judge = ProgramJudge::make(trial.module, trial.arguments);
  const auto unit = trial.is_elementwise ? ProgramJudge::Unit::Element : ProgramJudge::Unit::Output;
  const auto mismatch = judge.ok() ? judge->find_mismatch(found, unit) : Result<std::string>(judge.error());
  return {.max_ulp = {}, .mismatch = mismatch.ok() ? *mismatch : mismatch.error().to_string()};
}

// Whether the core has rewritten the trial's function, solver, transform or normalization for the device, and the
// result is right by what it became.
bool is_right_on_device(Subject &subject, const InstructionTrial &trial, const Literal &found) {
  const auto backend = subject.backend();
  const Closeness closeness = accuracy_of(trial.module).closeness;
  const bool is_approximate = closeness == Closeness::Norm || closeness == Closeness::Ulp;
  if (!is_approximate || !backend.ok() || (*backend)->is_interpreter()) {
    return false;
  }
  const Opcode opcode = trial.module.entry().root().opcode();
  Module parts = trial.module;
  const bool is_rewritten = compile::survey(trial.module, (*backend)->device(), &parts).ok() &&
                            std::ranges::none_of(parts.computations(), [&](const ir::Computation &computation) {
                              return std::ranges::any_of(computation.instructions(), [&](const ir::Instruction &i) {
                                return i.opcode() == opcode;
                              });
                            });
  return is_rewritten && is_right_by_parts(std::move(parts), trial, found);
}

}  // namespace

std::string find_weakness(const Arguments &arguments, const Literal &expected) {
  constexpr std::size_t few = 16;  // fewer elements may be the same by chance
  Census census;
  add_to_census(expected, census);
  if (census.elements == 0) {
    return "the result has no elements";
  }
  const std::size_t most_same = count_most_frequent(census);
  const std::size_t limit = census.elements - census.elements / 16;
  if (census.elements >= few && census.unlimited >= limit) {
    return "almost all elements of the result are infinite or NaN";
  }
  const bool operands_vary = std::ranges::any_of(arguments, [](const Literal &argument) {
    Census of_operand;
    add_to_census(argument, of_operand);
    return of_operand.elements >= few && of_operand.by_bits.size() > 1;
  });
  return operands_vary && census.elements >= few && most_same >= limit
             ? "almost all elements of the result are the same"
             : "";
}

bool is_right_by_parts(Module parts, const InstructionTrial &trial, const Literal &found) {
  const bool is_elementwise = ir::info(trial.module.entry().root().opcode()).has(ir::Trait::Elementwise);
  const auto judge = ProgramJudge::make(std::move(parts), trial.arguments);
  const auto mismatch = judge.ok() ? judge->find_mismatch(found, is_elementwise ? ProgramJudge::Unit::Element
                                                                                : ProgramJudge::Unit::Output)
                                   : Result<std::string>(judge.error());
  return mismatch.ok() && mismatch->empty();
}

bool store_in_tiles(Subject &subject, InstructionTrial &trial, Tiles kind) {
  if (!subject.takes_tiles()) {
    return false;
  }
  const bool is_same = kind == Tiles::Same;
  constexpr std::int64_t lengths[] = {2, 3, 4, 8, 16, 32, 128};
  std::uint64_t rest = trial.seed;
  const auto draw = [&](std::uint64_t count) {
    rest = rest * 0xd1342543de82ef95 + 1;
    return (rest >> 33) % count;
  };
  Module module = trial.module;
  std::vector<ir::Tile> tiles;  // mostly the same, so that arrays are read and written tile by tile
  const auto give_tiles = [&](ir::InstructionId id) {
    ir::Shape shape = module.instruction(id).shape();
    if (!shape.is_array() || shape.rank() == 0 || shape.layout().element_bits != 0 || (!is_same && draw(8) == 0)) {
      return;
    }
    if (tiles.empty() || tiles[0].sizes.size() > shape.rank() || (!is_same && draw(3) == 0)) {
      tiles.assign(1, ir::Tile());
      for (std::size_t left = std::min<std::size_t>(shape.rank(), 1 + draw(3)); left > 0; --left) {
        // Several tiles, of which the last is not full, show more than one that is larger than the array.
        const std::int64_t size = shape.size(static_cast<std::size_t>(shape.layout().minor_to_major[left - 1]));
        const auto shorter = std::ranges::count_if(lengths, [&](std::int64_t length) { return length < size; });
        const bool has_several = shorter > 0 && draw(4) != 0;
        tiles[0].sizes.push_back(lengths[draw(has_several ? static_cast<std::size_t>(shorter) : std::size(lengths))]);
      }
    }
    ir::Layout layout = shape.layout();
    layout.tiles = tiles;
    shape.set_layout(std::move(layout));
    constexpr std::int64_t max_bytes = 1 << 24;
    if (shape.byte_size() <= max_bytes) {
      module.set_shape(id, shape);
    }
  };
  const auto parameters = module.entry().parameter_ids();
  for (const ir::InstructionId id : std::vector(parameters.begin(), parameters.end())) {
    give_tiles(id);
  }
  give_tiles(module.entry().root().id());
  const std::string key = trial.key + "/tiles";
  if (tiles.empty() || !ir::verify(module).ok() || !subject.compile(key, module).ok()) {
    return false;
  }
  trial.module = std::move(module);
  trial.key = key;
  return true;
}

void store_packed(Subject &subject, InstructionTrial &trial) {
  Module module = trial.module;
  bool is_changed = false;
  const auto pack = [&](ir::InstructionId id) {
    ir::Shape shape = module.instruction(id).shape();
    const std::int64_t bits = shape.is_array() ? ir::bit_width(shape.element_type()) : 8;
    if (bits < 8 && shape.element_type() != ir::ElementType::Pred && shape.layout().tiles.empty()) {
      ir::Layout layout = shape.layout();
      layout.element_bits = bits;
      shape.set_layout(std::move(layout));
      module.set_shape(id, shape);
      is_changed = true;
    }
  };
  const auto parameters = module.entry().parameter_ids();
  for (const ir::InstructionId id : std::vector(parameters.begin(), parameters.end())) {
    pack(id);
  }
  pack(module.entry().root().id());
  const std::string key = trial.key + "/packed";
  if (is_changed && ir::verify(module).ok() && subject.compile(key, module).ok()) {
    trial.module = std::move(module);
    trial.key = key;
  }
}

Verdict judge_on_device(Subject &subject, const InstructionTrial &trial) {
  const auto expected = interpreter::interpret(trial.module, trial.arguments);
  if (!expected.ok()) {
    return {.status = CaseStatus::Unsupported,
            .message = "the oracle cannot run it either: " + expected.error().message(),
            .is_evidence = false};
  }
  const Execution execution = execute(subject, trial);
  if (const auto *verdict = std::get_if<Verdict>(&execution)) {
    return *verdict;
  }
  return judge_outcome(subject, trial, std::get<Literal>(execution), *expected);
}

Verdict judge_outcome(Subject &subject, const InstructionTrial &trial, const Literal &found, const Literal &expected) {
  const ir::Instruction root = trial.module.entry().root();
  if (trial.is_one_op && trial.values != Values::Factors && multiplies_by_function(root) &&
      is_order_everything(root, trial.arguments)) {
    return {.status = CaseStatus::Weak, .message = "overflow or underflow depends on the order of the factors"};
  }
  Judgement judgement = judge_result(trial, found, expected);
  if (!judgement.mismatch.empty() && is_right_on_device(subject, trial, found)) {
    judgement.mismatch.clear();
  }
  Verdict verdict;
  verdict.max_ulp = judgement.max_ulp;
  if (!judgement.mismatch.empty()) {
    const std::string_view way = describe(trial.way);
    verdict.status = CaseStatus::Fail;
    verdict.message = describe_failure(fmt::format("{}{}{}", judgement.mismatch, way.empty() ? "" : ", ", way),
                                       trial.module, trial.arguments, judgement.worst);
  } else if (judgement.open > judgement.elements / 2) {
    verdict.status = CaseStatus::Weak;
    verdict.message = "most sums may overflow, so that the order of additions decides";
  } else if (std::string weakness = find_weakness(trial.arguments, expected); !weakness.empty()) {
    verdict.status = CaseStatus::Weak;
    verdict.message = std::move(weakness);
  }
  return verdict;
}

}  // namespace bp::conformance
