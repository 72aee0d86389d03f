// Computes with the real and imaginary parts of complex numbers. An instruction on complex arrays becomes an
// instruction on real parts, one on imaginary parts, and a `complex` op of both, from which the next instruction reads
// the parts again. Where the operand is not a `complex` op, as for parameters, the bytes of the array are reinterpreted
// as reals with one more dimension, of size 2.
#include <algorithm>
#include <array>

#include "core/passes/array_builder.h"
#include "core/passes/expand.h"
#include "core/passes/expansion/complex_arithmetic.h"
#include "core/passes/expansion/complex_formulas.h"
#include "core/passes/pairs.h"
#include "core/passes/rewrite.h"

namespace bp::passes {
namespace {

using ir::ElementType;
using ir::Instruction;
using ir::Opcode;
using ir::Shape;
using Id = ir::InstructionId;

bool is_complex(const Shape &shape) {
  return shape.is_array() && ir::is_complex(shape.element_type());
}

// Whether the op does with each of the parts what it does with complex numbers.
bool treats_parts_alike(Opcode opcode) {
  switch (opcode) {
    case Opcode::Copy:
    case Opcode::Broadcast:
    case Opcode::Reshape:
    case Opcode::Transpose:
    case Opcode::Slice:
    case Opcode::DynamicSlice:
    case Opcode::DynamicUpdateSlice:
    case Opcode::Concatenate:
    case Opcode::Pad:
    case Opcode::Reverse:
    case Opcode::Gather:
    case Opcode::Select: return true;
    default: return false;
  }
}

Shape with_type(Shape shape, ElementType type) {
  shape.set_element_type(type);
  return shape;
}

class ComplexExpansion {
 public:
  ComplexExpansion(ir::Module &module, Instruction original, bool has_f64)
      : b_(module, original), original_(original), has_f64_(has_f64) {}

  // Returns the replacement of the instruction; the instruction itself if it is not replaced.
  Result<Id> run() {
    BP_ASSIGN(Id result, expanded());
    return with_layout(result);
  }

 private:
  Result<Id> expanded() {
    const Instruction i = original_;
    if (treats_parts_alike(i.opcode())) {
      return complex({part_of_result(part_type(), &Parts::real), part_of_result(part_type(), &Parts::imaginary)});
    }
    switch (i.opcode()) {
      case Opcode::Real: return split(operand(0)).real;
      case Opcode::Imag: return split(operand(0)).imaginary;
      case Opcode::Complex: return joined({operand(0), operand(1)});
      case Opcode::Abs: return rounded(parts::modulus(b_, in_double(split(operand(0)))), i.shape().element_type());
      case Opcode::Convert: return converted();
      case Opcode::BitcastConvert: return is_plain(i) ? b_.bitcast_to(operand(0), i.shape()) : i.id();
      case Opcode::Compare: return compared();
      case Opcode::Iota: {
        const Shape parts = with_type(i.shape(), part_type());
        return complex({b_.iota(parts, i.number(ir::AttributeKey::IotaDimension)), b_.zeros(parts)});
      }
      case Opcode::Dot:
      case Opcode::Convolution: return multiplied();
      case Opcode::Reduce:
      case Opcode::ReduceWindow: return reduced();
      case Opcode::Scatter: return scattered();
      default: break;
    }
    const ComplexFormula *formula = find_complex_formula(i.opcode());
    return formula == nullptr ? i.id() : computed(*formula);
  }

  Id operand(std::size_t number) const { return original_.operands()[number]; }
  ElementType part_type() const { return ir::real_part_type(original_.shape().element_type()); }
  // Returns the value in the layout that users of the instruction expect; bitcasts, for example, depend on it.
  Id with_layout(Id x) { return x == original_.id() ? x : b_.with_layout(x, original_.shape().layout()); }
  Id complex(Parts parts) {
    const Id real = with_layout(parts.real), imaginary = with_layout(parts.imaginary);
    const Id result = b_.add(Opcode::Complex, {real, imaginary});
    b_.module().set_shape(result, original_.shape());
    return result;
  }

  Parts split(Id x) {
    const Instruction i = b_.module().instruction(x);
    if (i.opcode() == Opcode::Complex) {
      return {i.operands()[0], i.operands()[1]};
    }
    const Pair parts = split_pairs(b_, x, ir::real_part_type(i.shape().element_type()));
    return {parts.first, parts.second};
  }

  Id joined(Parts parts) { return join_pairs(b_, {parts.real, parts.imaginary}, original_.shape()); }

  Id in_double(Id x) { return has_f64_ ? b_.cast(x, ElementType::F64) : x; }
  Parts in_double(Parts parts) { return {in_double(parts.real), in_double(parts.imaginary)}; }
  Id rounded(Id x, ElementType type) { return b_.cast(x, type); }

  Id computed(const ComplexFormula &formula) {
    std::vector<Parts> operands;
    for (Id id : copy_operands()) {
      operands.push_back(formula.needs_double ? in_double(split(id)) : split(id));
    }
    const Parts result = formula.apply(b_, operands);
    return complex({rounded(result.real, part_type()), rounded(result.imaginary, part_type())});
  }

  Id converted() {
    const ElementType from = b_.type(operand(0)), to = original_.shape().element_type();
    if (!ir::is_complex(to)) {
      const Parts parts = split(operand(0));
      if (to == ElementType::Pred) {
        auto differs = [&](Id part) { return b_.compare(ir::ComparisonDirection::Ne, part, b_.splat(0, part)); };
        return b_.bit_or({differs(parts.real), differs(parts.imaginary)});
      }
      return b_.cast(parts.real, to);
    }
    if (!ir::is_complex(from)) {
      return complex({b_.cast(operand(0), part_type()), b_.zeros(with_type(original_.shape(), part_type()))});
    }
    const Parts parts = split(operand(0));
    return complex({b_.cast(parts.real, part_type()), b_.cast(parts.imaginary, part_type())});
  }

  Id compared() {
    const auto direction = original_.enumerator(ir::AttributeKey::Direction, ir::ComparisonDirection::Eq);
    const Parts x = split(operand(0)), y = split(operand(1));
    const Id real = b_.compare(direction, x.real, y.real), imaginary = b_.compare(direction, x.imaginary, y.imaginary);
    return direction == ir::ComparisonDirection::Ne ? b_.bit_or({real, imaginary}) : b_.bit_and({real, imaginary});
  }

  std::vector<Id> copy_operands() const { return {original_.operands().begin(), original_.operands().end()}; }

  // Applies the same op to one part of each complex operand. The result has real elements of `type`.
  Id part_of_result(ElementType type, Id Parts::*part, std::span<const ir::ComputationId> calls = {}) {
    std::vector<Id> operands = copy_operands();
    for (Id &id : operands) {
      if (is_complex(b_.shape(id))) {
        id = split(id).*part;
      }
    }
    return cloned(operands, type, calls);
  }
  Id cloned(std::span<const Id> operands, ElementType type, std::span<const ir::ComputationId> calls = {}) {
    const Id id = b_.module().clone_instruction(b_.computation(), original_, operands, calls);
    b_.module().set_shape(id, with_type(original_.shape(), type));
    return id;
  }

  // Computes (a + ib)(c + id) with products of arrays, in double, so that the difference of two sums keeps its digits.
  Id multiplied() {
    if (!is_complex(b_.shape(operand(0))) || !is_complex(original_.shape())) {
      return original_.id();  // contraction-upcast makes all types complex, or none
    }
    const Parts x = in_double(split(operand(0))), y = in_double(split(operand(1)));
    auto product = [&](Id lhs, Id rhs) { return cloned(std::array{lhs, rhs}, b_.type(lhs)); };
    const Id squares = b_.difference({product(x.real, y.real), product(x.imaginary, y.imaginary)});
    const Id mixed = b_.sum({product(x.real, y.imaginary), product(x.imaginary, y.real)});
    return complex({rounded(squares, part_type()), rounded(mixed, part_type())});
  }

  // Whether the combiner is a sum: only sums can be reduced part by part.
  bool adds_up(ir::Computation combiner) const {
    return combiner.parameter_count() == 2 && combiner.root().opcode() == Opcode::Add &&
           combiner.root().operand(0).opcode() == Opcode::Parameter &&
           combiner.root().operand(1).opcode() == Opcode::Parameter &&
           combiner.root().operands()[0] != combiner.root().operands()[1];
  }
  bool replaces(ir::Computation combiner) const {
    return combiner.parameter_count() == 2 && combiner.root().opcode() == Opcode::Parameter &&
           combiner.root().parameter_number() == 1;
  }
  Id with_calls(ir::ComputationId combiner) {
    const std::array calls{combiner};
    return complex(
        {part_of_result(part_type(), &Parts::real, calls), part_of_result(part_type(), &Parts::imaginary, calls)});
  }
  Id reduced() {
    if (original_.shape().is_tuple() || !adds_up(original_.called(0))) {
      return original_.id();
    }
    return with_calls(ir::add_scalar_computation(b_.module(), Opcode::Add, part_type(), "add_parts"));
  }
  Id scattered() {
    if (original_.shape().is_tuple()) {
      return original_.id();
    }
    if (adds_up(original_.called(0))) {
      return with_calls(ir::add_scalar_computation(b_.module(), Opcode::Add, part_type(), "add_parts"));
    }
    if (!replaces(original_.called(0))) {
      return original_.id();
    }
    ir::Builder second(b_.module(), b_.module().add_computation("second"));
    second.parameter(Shape::scalar(part_type()));
    const Id update = second.parameter(Shape::scalar(part_type()));
    b_.module().set_root(second.computation(), update);
    return with_calls(second.computation());
  }

  ArrayBuilder b_;
  Instruction original_;
  bool has_f64_;
};

bool works_on_complex(Instruction i) {
  return is_complex(i.shape()) || (i.operand_count() != 0 && is_complex(i.operand(0).shape()));
}

}  // namespace

Result<bool> complex_expansion(ir::Module &module, const PassContext &context) {
  const std::vector<bool> embedded = embedded_computations(module);
  return expand_all(module, context, [&](Instruction i) -> Result<Id> {
    if (const auto parent = index(i.parent().id()); parent < embedded.size() && embedded[parent]) {
      return i.id();
    }
    const auto is_static = [&](Id id) { return module.instruction(id).shape().is_static(); };
    return works_on_complex(i) && has_room_for_pairs(i) && !needs_better_than_formulas(i) &&
                   std::ranges::all_of(i.operands(), is_static)
               ? ComplexExpansion(module, i, context.has_f64).run()
               : i.id();
  });
}

}  // namespace bp::passes
