// Builder: adds instructions to a computation and infers their shapes. Used by passes, importers and tests.
//
//   Builder b(module, module.add_computation("main"));
//   auto x = b.parameter(Shape::array(ElementType::F32, {4}));
//   auto y = b.add(Opcode::Add, {x, b.broadcast(b.constant(ElementType::F32, 1.0), {4})});
//   b.finish(y);
//
// Operands are ids of the same computation. An instruction that cannot be built (its operands do not fit) is a bug of
// the caller and aborts: build from input that the verifier has accepted, or use try_add().
#pragma once

#include <concepts>
#include <string_view>

#include "core/base/result.h"
#include "core/ir/module.h"

namespace bp::ir {

// A function that sets attributes of an instruction just added: [](Module &m, InstructionId id) { m.set_number(id,
// ...); }
template <class F>
concept AttributeSetter = std::invocable<F, Module &, InstructionId>;

class Builder {
 public:
  using Operands = std::span<const InstructionId>;

  Builder(Module &module, ComputationId computation) : module_(module), computation_(computation) {}

  Module &module() { return module_; }
  ComputationId computation() const { return computation_; }
  const Shape &shape(InstructionId id) const { return module_.instruction(id).shape(); }

  // New instructions get the metadata and source location of `original`, and names that begin with its name.
  void copy_origin_from(Instruction original);

  InstructionId parameter(const Shape &shape, std::string_view name = {});  // numbered in the order of calls
  InstructionId constant(Literal literal);
  // Adds a scalar of any numeric type or pred; the value is rounded to the type.
  InstructionId constant(ElementType type, double value);
  InstructionId iota(const Shape &shape, std::int64_t dimension);

  // Adds an instruction with attributes and called computations and infers its shape. Ops with Trait::ExplicitShape
  // take their shape from `written`.
  template <AttributeSetter F>
  Result<InstructionId> try_add(Opcode opcode, Operands operands, F &&set_attributes,
                                std::span<const ComputationId> calls = {}, const Shape &written = {}) {
    InstructionId id = append(opcode, operands, calls, written);
    set_attributes(module_, id);
    return infer(id);
  }
  template <AttributeSetter F>
  InstructionId add(Opcode opcode, std::initializer_list<InstructionId> operands, F &&set_attributes,
                    std::span<const ComputationId> calls = {}, const Shape &written = {}) {
    return try_add(opcode, Operands(operands.begin(), operands.size()), set_attributes, calls, written).value();
  }
  InstructionId add(Opcode opcode, std::initializer_list<InstructionId> operands) {
    return add(opcode, operands, [](Module &, InstructionId) {});
  }

  InstructionId broadcast(InstructionId operand, const Shape &result, std::span<const std::int64_t> dimensions = {});
  // Broadcasts a scalar to all elements.
  InstructionId broadcast(InstructionId operand, std::initializer_list<std::int64_t> sizes);
  InstructionId reshape(InstructionId operand, std::span<const std::int64_t> sizes);
  InstructionId transpose(InstructionId operand, std::span<const std::int64_t> permutation);
  InstructionId convert(InstructionId operand, ElementType type);
  InstructionId compare(ComparisonDirection direction, InstructionId lhs, InstructionId rhs);
  InstructionId reduce(InstructionId operand, InstructionId init, std::span<const std::int64_t> dimensions,
                       ComputationId combiner);
  InstructionId tuple(Operands operands);
  InstructionId get_tuple_element(InstructionId operand, std::int64_t index);

  // Makes `root` the root of the computation, and the computation the entry if the module has none yet.
  void finish(InstructionId root);

 private:
  InstructionId append(Opcode opcode, Operands operands, std::span<const ComputationId> calls, const Shape &written);
  Result<InstructionId> infer(InstructionId id);

  Module &module_;
  ComputationId computation_;
  InstructionId original_ = no_instruction;
};

// Adds a computation that applies an op to two scalars of a type, as reduce needs it.
ComputationId add_scalar_computation(Module &module, Opcode opcode, ElementType type, std::string_view name);

}  // namespace bp::ir
