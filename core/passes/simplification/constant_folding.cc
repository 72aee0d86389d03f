// Evaluates instructions whose operands are constants, with the interpreter: only small constants from small ones with
// little work, by limits that depend on shapes alone, so that the result is the same on every machine. Broadcasts and
// iotas are kept, because they are smaller than their values. The size of a static dimension is also a constant.
#include "core/analysis/side_effects.h"
#include "core/interpreter/interpreter.h"
#include "core/ir/builder.h"
#include "core/passes/pass.h"
#include "core/passes/rewrite.h"

namespace bp::passes {
namespace {

using ir::Instruction;
using ir::InstructionId;
using ir::Opcode;

bool is_foldable(Opcode opcode) {
  switch (opcode) {
    case Opcode::BitcastConvert:
    case Opcode::Reshape:
    case Opcode::Transpose:
    case Opcode::Reverse:
    case Opcode::Slice:
    case Opcode::DynamicSlice:
    case Opcode::DynamicUpdateSlice:
    case Opcode::Concatenate:
    case Opcode::Pad:
    case Opcode::Gather:
    case Opcode::Reduce:
    case Opcode::Dot: return true;
    case Opcode::Copy: return false;  // the program may need a buffer of its own here
    default: return info(opcode).has(ir::Trait::Elementwise);
  }
}

// Returns the approximate number of element operations: elements of the result and of the operands, for a dot the pairs
// of elements.
std::int64_t work(const Instruction &instruction) {
  std::int64_t elements = instruction.shape().element_count();
  for (std::size_t i = 0; i < instruction.operand_count(); ++i) {
    std::int64_t operand = instruction.operand(i).shape().element_count();
    bool overflows = instruction.opcode() == Opcode::Dot ? __builtin_mul_overflow(elements, operand, &elements)
                                                         : __builtin_add_overflow(elements, operand, &elements);
    if (overflows) {
      return std::numeric_limits<std::int64_t>::max();
    }
  }
  return elements;
}

bool may_fold(const Instruction &instruction, const PassContext &context) {
  const ir::Shape &shape = instruction.shape();
  if (!is_foldable(instruction.opcode()) || instruction.operand_count() == 0 || !shape.is_array() ||
      !shape.is_static() || shape.byte_size() > context.max_folded_bytes ||
      work(instruction) > context.max_folding_work) {
    return false;
  }
  for (std::size_t i = 0; i < instruction.operand_count(); ++i) {
    if (instruction.operand(i).opcode() != Opcode::Constant) {
      return false;
    }
  }
  return true;
}

}  // namespace

Result<bool> constant_folding(ir::Module &module, const PassContext &context) {
  analysis::SideEffects side_effects(module);
  return rewrite_all(module, [&](Instruction instruction) -> Result<InstructionId> {
    if (instruction.opcode() == Opcode::GetDimensionSize) {
      const ir::Shape &shape = instruction.operand(0).shape();
      const auto dimension = static_cast<std::size_t>(instruction.dimensions()[0]);
      ir::Builder builder(module, instruction.parent().id());
      builder.copy_origin_from(instruction);
      return shape.is_dynamic(dimension)
                 ? instruction.id()
                 : builder.constant(ir::ElementType::S32, static_cast<double>(shape.size(dimension)));
    }
    if (!may_fold(instruction, context) || side_effects.has(instruction)) {
      return instruction.id();
    }
    std::vector<ir::Literal> operands;
    for (std::size_t i = 0; i < instruction.operand_count(); ++i) {
      operands.push_back(instruction.operand(i).literal());
    }
    interpreter::Options options;
    options.threads = 1;
    options.max_steps = context.max_folding_work;
    Result<ir::Literal> value = interpreter::evaluate_instruction(instruction, operands, options);
    if (!value.ok() || !same(value->shape(), instruction.shape(), ir::CompareLayout::No)) {
      return instruction.id();  // left to the device
    }
    ir::Builder builder(module, instruction.parent().id());
    builder.copy_origin_from(instruction);
    InstructionId constant = builder.constant(std::move(*value));
    module.set_shape(constant, module.instruction(instruction.id()).shape());  // its layout
    return constant;
  });
}

}  // namespace bp::passes
