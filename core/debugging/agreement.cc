#include "core/debugging/agreement.h"

#include <algorithm>
#include <functional>

#include "core/interpreter/interpreter.h"
#include "core/interpreter/nudge.h"
#include "core/interpreter/random_inputs.h"
#include "core/ir/float_spacing.h"
#include "core/passes/pipeline.h"

namespace bp::debugging {
namespace {

using interpreter::Comparison;
using ir::Instruction;
using ir::Opcode;

bool is_inexact(const ir::Shape &shape) {
  return shape.is_tuple()
             ? std::ranges::any_of(shape.elements(), is_inexact)
             : shape.is_array() && (ir::is_floating(shape.element_type()) || ir::is_complex(shape.element_type()));
}

// With fewer mantissa bits, small changes are mostly rounded away.
constexpr int coarse_bits = 4;

bool is_coarse(const ir::Shape &shape) {
  return shape.is_array() && ir::is_floating(shape.element_type()) &&
         ir::spacing_of(shape.element_type()).mantissa_bits < coarse_bits;
}

bool is_step_function(Instruction i) {
  switch (i.opcode()) {
    case Opcode::ReducePrecision: return i.number(ir::AttributeKey::MantissaBits) < coarse_bits;
    case Opcode::Sign:
    case Opcode::Floor:
    case Opcode::Ceil:
    case Opcode::RoundNearestAfz:
    case Opcode::RoundNearestEven: return true;
    default: return i.opcode() != Opcode::Parameter && is_coarse(i.shape());
  }
}

// Runs what is compared on other arguments.
using Run = std::function<Result<Literal>(std::vector<Literal> arguments)>;

// Determines where the arrays of a result come from.
class Origins {
 public:
  // Values which a function only passes on, or whose bytes stay as they are, count as passed through. If
  // `is_by_device`, the result is a tuple of those of several devices.
  static Result<Origins> of(const Module &module, bool is_by_device) {
    Module flat = module;
    BP_TRY(
        passes::run_passes(flat, {passes::call_inlining, passes::tuple_simplification, passes::bitcast_recognition}));
    return Origins(std::move(flat), is_by_device);
  }

  bool is_passed_through(std::span<const std::int64_t> output) const {
    const Opcode opcode = source(output).opcode();
    return opcode == Opcode::Parameter || opcode == Opcode::Constant;
  }

  // Whether a small change of a floating-point input changes it, as far as can be determined without running.
  bool is_continuous(const Comparison &comparison) const {
    return is_inexact(comparison.shape) && continuous_[index(source(comparison.output).id())];
  }

 private:
  Origins(Module module, bool is_by_device)
      : module_(std::move(module)), is_by_device_(is_by_device), continuous_(module_.instruction_id_limit()) {
    for (const Instruction i : module_.entry().instructions()) {
      bool continuous = i.opcode() == Opcode::Parameter;
      for (const ir::InstructionId operand : i.operands()) {
        continuous = continuous || continuous_[index(operand)];
      }
      continuous_[index(i.id())] = continuous && is_inexact(i.shape()) && !is_step_function(i);
    }
  }

  // Returns the instruction that computes an array of the result, looking through instructions that only name it.
  Instruction source(std::span<const std::int64_t> output) const {
    std::vector<std::int64_t> path(output.rbegin(), output.rend());  // the outermost last
    path.resize(path.size() - (is_by_device_ ? 1 : 0));
    Instruction i = module_.entry().root();
    for (;;) {
      switch (i.opcode()) {
        case Opcode::Tuple:
          i = i.operand(static_cast<std::uint32_t>(path.back()));
          path.pop_back();
          break;
        case Opcode::GetTupleElement:
          path.push_back(i.tuple_index());
          i = i.operand(0);
          break;
        case Opcode::Copy:
          if (i.operand(0).shape() != i.shape()) {  // another layout
            return i;
          }
          [[fallthrough]];
        case Opcode::Bitcast:
        case Opcode::OptimizationBarrier: i = i.operand(0); break;
        default: return i;
      }
    }
  }

  Module module_;
  bool is_by_device_;
  std::vector<bool> continuous_;  // by instruction id
};

using Move = Result<Literal> (*)(const Literal &, std::uint64_t);

// Compares the result with the results on moved inputs.
Result<std::vector<Comparison>> responses_to(Move move, const Run &run, const std::vector<Literal> &arguments,
                                             const Literal &result) {
  std::vector<Literal> moved;
  for (const Literal &argument : arguments) {
    BP_ASSIGN(Literal literal, move(argument, moved.size() + 1));
    moved.push_back(std::move(literal));
  }
  BP_ASSIGN(const Literal answer, run(std::move(moved)));
  return interpreter::compare(answer, result);
}

bool is_computed(const Output &output) {
  return !output.is_passed_through;
}

// An output is sensitive to its inputs if at least a tenth of its elements change.
void mark_insensitive(const Origins &origins, const std::vector<Comparison> &responses, std::vector<Output> &outputs) {
  constexpr double min_share = 0.1;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    Comparison &comparison = outputs[i].comparison;
    const double share = responses[i].share_noticeable;
    if (is_computed(outputs[i]) && comparison.weak_evidence.empty() && share < min_share &&
        origins.is_continuous(comparison)) {
      comparison.weak_evidence =
          comparison.shape.element_count() == 0
              ? "it has no elements"
              : fmt::format("inputs that are larger by up to a 32nd move {:.2g} % of its elements that are not zero",
                            100 * share);
    }
  }
}

void mark_ill_conditioned(const std::vector<Comparison> &responses, std::vector<Output> &outputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    auto &[comparison, is_passed_through, verdict] = outputs[i];
    const double response = responses[i].typical_error;
    if (verdict == Verdict::Differs && !is_passed_through && is_ill_conditioned(comparison.typical_error, response)) {
      comparison.weak_evidence =
          fmt::format("moving the inputs by one unit in the last place changes it by {:.2g}", response);
      verdict = Verdict::WeakEvidence;
    }
  }
}

Result<Agreement> compare(const Module &module, const Run &run, bool is_by_device,
                          const std::vector<Literal> &arguments, const Literal &result, const Literal &expected,
                          double tolerance) {
  BP_ASSIGN(std::vector<Comparison> comparisons, interpreter::compare(result, expected));
  BP_ASSIGN(const Origins origins, Origins::of(module, is_by_device));
  Agreement agreement;
  for (Comparison &comparison : comparisons) {
    const bool is_passed_through = origins.is_passed_through(comparison.output);
    const ir::ElementType type = comparison.shape.element_type();
    const bool is_exact = is_passed_through || type == ir::ElementType::Pred || ir::is_integer(type);
    const bool agrees = is_exact ? comparison.identical : comparison.typical_error <= tolerance;
    agreement.outputs.push_back(
        {std::move(comparison), is_passed_through, agrees ? Verdict::Agrees : Verdict::Differs});
  }
  const auto is_any = [&](auto &&test) { return std::ranges::any_of(agreement.outputs, test); };
  if (is_any([](const Output &output) { return output.verdict == Verdict::Differs && is_computed(output); })) {
    BP_ASSIGN(const auto responses, responses_to(interpreter::nudge, run, arguments, result));
    mark_ill_conditioned(responses, agreement.outputs);
  }
  if (is_any([&](const Output &output) { return is_computed(output) && origins.is_continuous(output.comparison); })) {
    BP_ASSIGN(const auto responses, responses_to(interpreter::perturb, run, arguments, result));
    mark_insensitive(origins, responses, agreement.outputs);
  }
  agreement.has_inputs = module.entry().parameter_count() != 0;
  for (Output &output : agreement.outputs) {
    if (!agreement.has_inputs && output.comparison.identical) {
      output.comparison.weak_evidence.clear();
    }
    if (is_computed(output) && output.verdict == Verdict::Agrees && !output.comparison.weak_evidence.empty()) {
      output.verdict = Verdict::WeakEvidence;
    }
  }
  return agreement;
}

}  // namespace

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::Agrees: return "agrees";
    case Verdict::WeakEvidence: return "weak evidence";
    case Verdict::Differs: return "differs";
  }
  return {};
}

Verdict Agreement::verdict() const {
  const auto any = [&](Verdict verdict) {
    return std::ranges::any_of(outputs, [&](const Output &output) { return output.verdict == verdict; });
  };
  if (any(Verdict::Differs)) {
    return Verdict::Differs;
  }
  return any(Verdict::WeakEvidence) || std::ranges::none_of(outputs, is_computed) ? Verdict::WeakEvidence
                                                                                  : Verdict::Agrees;
}

std::optional<std::string> Agreement::difference() const {
  for (const Output &output : outputs) {
    if (output.verdict == Verdict::Differs) {
      return interpreter::to_string(output.comparison);
    }
  }
  return std::nullopt;
}

bool is_ill_conditioned(double relative_error, double response) {
  return relative_error <= 8 * response;
}

Result<Agreement> compare(const Module &module, const Executable &executable, const std::vector<Literal> &arguments,
                          const Literal &result, const Literal &expected, double tolerance) {
  const Run run = [&](std::vector<Literal> given) { return executable.run(std::move(given)); };
  return compare(module, run, false, arguments, result, expected, tolerance);
}

Result<Agreement> compare(const Module &module, const EnsembleExecutable &executable,
                          const std::vector<Literal> &arguments, const std::vector<Literal> &results,
                          const std::vector<Literal> &expected, double tolerance) {
  const Run run = [&](const std::vector<Literal> &given) -> Result<Literal> {
    BP_ASSIGN(std::vector<Literal> by_device, executable.run(std::vector(results.size(), given)));
    return Literal::tuple(std::move(by_device));
  };
  return compare(module, run, true, arguments, Literal::tuple(results), Literal::tuple(expected), tolerance);
}

Result<Agreement> compare(const Module &module, const Backend &backend, const Backend &reference, std::uint64_t seed,
                          double tolerance) {
  BP_ASSIGN(std::vector<Literal> arguments, interpreter::random_arguments(module, seed));
  BP_ASSIGN(Compiled compiled, backend.compile(module));
  BP_ASSIGN(Literal result, compiled.executable.run(arguments));
  BP_ASSIGN(Compiled other, reference.compile(module));
  BP_ASSIGN(Literal expected, other.executable.run(arguments));
  return compare(module, compiled.executable, arguments, result, expected, tolerance);
}

}  // namespace bp::debugging
