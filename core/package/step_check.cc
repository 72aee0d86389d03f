#include "core/package/step_check.h"

#include <algorithm>

#include "core/host/image_leaves.h"

namespace bp::package {
namespace {

std::string without_layout(const ir::Shape &shape) {
  return to_string(shape, ir::PrintLayout::Never);
}

Status expect_same(const ir::Shape &found, const ir::Shape &expected, std::string_view what) {
  return same(found, expected, ir::CompareLayout::No)
             ? Status()
             : invalid_input("{} has shape {}, expected {}", what, without_layout(found), without_layout(expected));
}

class StepCheck {
 public:
  explicit StepCheck(const ir::Module &module) : module_(module), is_there_(module.instruction_id_limit()) {}

  Status check(const runtime::Step &step) {
    if (step.instruction != ir::no_instruction) {
      return check_instruction(step.instruction);
    }
    if (step.program != nullptr) {
      return check_part(step, step.program->signature());
    }
    const ir::Module &inner = step.executable->module();
    return check_part(step, runtime::signature_of(inner));
  }

  Status check_root() const {
    const ir::Instruction root = module_.entry().root();
    return is_there_[index(root.id())] ? Status() : invalid_input("no step computes the result, {}", root.name());
  }

 private:
  Status expect_there(ir::InstructionId id) const {
    return is_there_[index(id)] ? Status()
                                : invalid_input("{} is used before a step computes it", module_.instruction(id).name());
  }

  Status make(ir::InstructionId id) {
    if (is_there_[index(id)]) {
      return invalid_input("two steps compute {}", module_.instruction(id).name());
    }
    is_there_[index(id)] = true;
    return {};
  }

  Status check_instruction(ir::InstructionId id) {
    for (ir::InstructionId operand : module_.instruction(id).operands()) {
      BP_TRY(expect_there(operand));
    }
    return make(id);
  }

  Status check_part(const runtime::Step &step, const runtime::Signature &signature) {
    if (step.inputs.size() != signature.parameters.size()) {
      return invalid_input("{} takes {} values, but its step has {}", signature.name, signature.parameters.size(),
                           step.inputs.size());
    }
    for (std::size_t i = 0; i < step.inputs.size(); ++i) {
      BP_TRY(expect_there(step.inputs[i]));
      const ir::Instruction input = module_.instruction(step.inputs[i]);
      BP_TRY(expect_same(input.shape(), signature.parameters[i],
                         fmt::format("{}, a value for {},", input.name(), signature.name)));
    }
    const std::span<const ir::Shape> results =
        signature.result.is_tuple() ? std::span(signature.result.elements()) : std::span(&signature.result, 1);
    if (step.outputs.size() != results.size()) {
      return invalid_input("{} computes {} values, but its step has {}", signature.name, results.size(),
                           step.outputs.size());
    }
    for (std::size_t i = 0; i < step.outputs.size(); ++i) {
      const ir::Instruction output = module_.instruction(step.outputs[i]);
      BP_TRY(
          expect_same(results[i], output.shape(), fmt::format("{}, computed by {},", output.name(), signature.name)));
      BP_TRY(make(step.outputs[i]));
    }
    return {};
  }

  const ir::Module &module_;
  std::vector<bool> is_there_;  // by instruction
};

}  // namespace

Status check_steps(const ir::Module &module, std::span<const runtime::Step> steps) {
  StepCheck check(module);
  for (const runtime::Step &step : steps) {
    BP_TRY(check.check(step));
  }
  return check.check_root();
}

Status check_interface(const ir::Module &module, const Interface &interface) {
  const runtime::Signature signature = runtime::signature_of(module);
  std::vector<ir::Shape> parameters, results;
  for (const Value &value : interface.parameters) {
    parameters.push_back(value.shape);
  }
  for (const Value &value : interface.results) {
    results.push_back(value.shape);
  }
  // Results may be in a tuple more or less: what counts is the order of the arrays.
  const ir::Shape all = ir::Shape::tuple(std::move(results));
  const auto written = host::leaves_of(all).leaves, computed = host::leaves_of(signature.result).leaves;
  const bool is_same =
      std::ranges::equal(parameters, signature.parameters,
                         [](const auto &a, const auto &b) { return same(a, b, ir::CompareLayout::No); }) &&
      std::ranges::equal(written, computed,
                         [](const auto &a, const auto &b) { return same(*a.shape, *b.shape, ir::CompareLayout::No); });
  return is_same ? Status()
                 : invalid_input("the parameters and results in the index are not those of {}", module.name());
}

Status check_program(ir::Computation computation, const runtime::Signature &signature) {
  if (signature.parameters.size() != computation.parameter_count()) {
    return invalid_input("{} takes {} values, but {} takes {}", signature.name, signature.parameters.size(),
                         computation.name(), computation.parameter_count());
  }
  for (std::size_t i = 0; i < signature.parameters.size(); ++i) {
    BP_TRY(expect_same(signature.parameters[i], computation.parameter(i).shape(),
                       fmt::format("parameter {} of {}", i, signature.name)));
  }
  return expect_same(signature.result, computation.root().shape(), fmt::format("the result of {}", signature.name));
}

Status check_called(ir::Computation computation, const runtime::Executable &executable) {
  return check_program(computation, runtime::signature_of(executable.module()));
}

}  // namespace bp::package
