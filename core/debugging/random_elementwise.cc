// Elementwise ops: any op of the table, on any type that the table allows for it.
#include <fmt/format.h>

#include <optional>
#include <string>

#include "core/debugging/random_scope.h"

namespace bp::debugging {
namespace {

using ir::AttributeKey;
using ir::ElementType;
using ir::Opcode;
using ir::Shape;
using Id = ir::InstructionId;

// Returns all elementwise ops except those whose operands follow rules of their own, and bitcast-convert, which may be
// one.
std::vector<const ir::OpInfo *> find_elementwise_ops() {
  std::vector<const ir::OpInfo *> found;
  for (const ir::OpInfo &op : ir::ops()) {
    const bool has_own_rules = op.opcode == Opcode::StochasticConvert || op.opcode == Opcode::Complex;
    if ((op.has(ir::Trait::Elementwise) && !has_own_rules) || op.opcode == Opcode::BitcastConvert) {
      found.push_back(&op);
    }
  }
  return found;
}

const std::vector<const ir::OpInfo *> &plain_ops() {
  static const std::vector<const ir::OpInfo *> all = [] {
    std::vector<const ir::OpInfo *> found;
    for (const Opcode opcode :
         {Opcode::Add, Opcode::Subtract, Opcode::Multiply, Opcode::Divide, Opcode::Maximum, Opcode::Minimum,
          Opcode::Negate, Opcode::Abs, Opcode::Sqrt, Opcode::Compare, Opcode::Select, Opcode::Convert}) {
      found.push_back(&ir::info(opcode));
    }
    return found;
  }();
  return all;
}

// Returns a type for the operands; Invalid if the palette has none, and often then no op is added.
ElementType type_for(Scope &s, const ir::OpInfo &op) {
  for (int attempt = 0; attempt < 8; ++attempt) {
    if (ElementType type = s.random_type(); takes(op.types, type)) {
      return type;
    }
  }
  return ElementType::Invalid;
}

Shape with_type(Shape shape, ElementType type) {
  shape.set_element_type(type);
  return shape;
}

std::string random_accuracy(Scope &s) {
  return s.random.chance(2) ? "{mode=highest}"
                            : fmt::format("{{tolerance={{atol=0,rtol=0,ulps={}}}}}", s.random.between(2, 64));
}

std::vector<ElementType> types_of_width(int bits) {
  std::vector<ElementType> found;
  for (const ir::ElementTypeInfo &type : ir::element_types()) {
    if (type.bits == bits && type.type_class != ir::TypeClass::Opaque && type.type != ElementType::Pred) {
      found.push_back(type.type);
    }
  }
  return found;
}

// Returns a shape of the same bits: elements of the same width, narrower ones with one more dimension, or wider ones
// without the last dimension. Nothing if there is no such shape.
std::optional<Shape> bits_as_other_type(Scope &s, const Shape &shape) {
  const ElementType type = shape.element_type();
  if (type == ElementType::Pred) {
    return std::nullopt;
  }
  const int width = ir::bit_width(type);
  std::vector<std::int64_t> sizes(shape.sizes().begin(), shape.sizes().end());
  int other = width;
  if (s.palette.only_parameters && s.random.chance(3) && width % 2 == 0 && width > 4) {
    other = width / 2;
    sizes.push_back(2);
  } else if (s.palette.only_parameters && s.random.chance(2) && !sizes.empty() &&
             (sizes.back() == 2 || sizes.back() == 4)) {
    other = width * static_cast<int>(sizes.back());
    sizes.pop_back();
  }
  const std::vector<ElementType> choices = types_of_width(other);
  if (choices.empty()) {
    return std::nullopt;
  }
  const ElementType made = s.random.of(choices);
  return ir::is_complex(made) == ir::is_complex(type) ? std::optional(Shape::array(made, sizes)) : std::nullopt;
}

}  // namespace

std::span<const ir::OpInfo *const> elementwise_ops() {
  static const std::vector<const ir::OpInfo *> all = find_elementwise_ops();
  return all;
}

void add_elementwise(Scope &s) {
  add_elementwise(s, *(s.palette.is_plain ? s.random.of(plain_ops()) : s.random.of(elementwise_ops())));
}

void add_elementwise(Scope &s, const ir::OpInfo &op) {
  const ElementType type = type_for(s, op);
  if (type == ElementType::Invalid) {
    return;
  }
  const Id first = s.value(type);
  const Shape shape = s.shape(first);
  auto maybe_scalar = [&](ElementType of) {
    return s.value(s.random.chance(4) ? Shape::scalar(of) : with_type(shape, of));
  };
  std::vector<Id> operands{first};
  Shape written;
  switch (op.opcode) {
    case Opcode::Convert: written = with_type(shape, s.random_type()); break;
    case Opcode::Copy: written = shape; break;
    case Opcode::BitcastConvert: {
      const std::optional<Shape> other = bits_as_other_type(s, shape);
      if (!other) {
        return;
      }
      written = *other;
      break;
    }
    case Opcode::Select: operands = {maybe_scalar(ElementType::Pred), first, s.value(shape)}; break;
    case Opcode::Clamp: operands = {maybe_scalar(type), first, maybe_scalar(type)}; break;
    default:
      while (std::ssize(operands) < op.min_operands) {
        operands.push_back(s.value(shape));
      }
  }
  if ((op.opcode == Opcode::Clamp || op.opcode == Opcode::Maximum || op.opcode == Opcode::Minimum) &&
      ir::is_complex(type)) {
    return;
  }
  if (op.opcode == Opcode::Clamp) {  // either both bounds are scalars or none is
    operands[2] = s.value(s.shape(operands[0]));
  }
  s.add(
      op.opcode, operands,
      [&](ir::Module &m, Id id) {
        if (op.opcode == Opcode::Compare) {
          const std::int64_t directions = ir::is_complex(type) ? 2 : 6;  // equal and not equal come first
          m.set_number(id, AttributeKey::Direction, s.random.below(directions));
          // Only the bits of parameters are determined where they are NaN.
          if (s.palette.only_parameters && ir::is_floating(type) && s.random.chance(4)) {
            m.set_number(id, AttributeKey::ComparisonType, static_cast<std::int64_t>(ir::ComparisonType::TotalOrder));
          }
        } else if (op.opcode == Opcode::ReducePrecision) {
          m.set_number(id, AttributeKey::ExponentBits, s.random.between(2, 8));
          m.set_number(id, AttributeKey::MantissaBits, s.random.between(1, 10));
        } else if (s.palette.only_parameters && op.takes(AttributeKey::ResultAccuracy) && s.random.chance(2)) {
          m.set_text(id, AttributeKey::ResultAccuracy, random_accuracy(s));
        }
      },
      {}, written);
}

}  // namespace bp::debugging
