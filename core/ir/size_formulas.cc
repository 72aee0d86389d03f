#include "core/ir/size_formulas.h"

#include "core/ir/shape_inference_rules.h"

namespace bp::ir::size_formulas {
namespace {

using shape_rules::Int128;

SizeFormula arithmetic(Opcode opcode, SizeFormula a, SizeFormula b) {
  std::vector<SizeFormula> terms;
  terms.push_back(std::move(a));
  terms.push_back(std::move(b));
  return {opcode, 0, 0, std::move(terms)};
}
bool is_fixed(const SizeFormula &formula, std::int64_t number) {
  return formula.opcode == Opcode::Constant && formula.number == number;
}

}  // namespace

SizeFormula fixed(std::int64_t number) {
  return {Opcode::Constant, number, 0, {}};
}
SizeFormula value_operand(std::size_t operand) {
  return {Opcode::Parameter, static_cast<std::int64_t>(operand), 0, {}};
}
SizeFormula of_all(Opcode opcode, SizeFormulas terms) {
  while (terms.size() > 1) {
    SizeFormulas pairs;
    for (std::size_t k = 0; k + 1 < terms.size(); k += 2) {
      pairs.push_back(arithmetic(opcode, std::move(terms[k]), std::move(terms[k + 1])));
    }
    if (terms.size() % 2 != 0) {
      pairs.push_back(std::move(terms.back()));
    }
    terms = std::move(pairs);
  }
  return std::move(terms[0]);
}

SizeFormula plus(SizeFormula a, SizeFormula b) {
  return is_fixed(b, 0) ? a : arithmetic(Opcode::Add, std::move(a), std::move(b));
}
SizeFormula times(SizeFormula a, SizeFormula b) {
  return is_fixed(a, 1) ? b : is_fixed(b, 1) ? a : arithmetic(Opcode::Multiply, std::move(a), std::move(b));
}
SizeFormula quotient(SizeFormula a, SizeFormula b) {
  return is_fixed(b, 1) ? a : arithmetic(Opcode::Divide, std::move(a), std::move(b));
}
SizeFormula at_least_zero(SizeFormula a) {
  return arithmetic(Opcode::Maximum, std::move(a), fixed(0));
}

SizeFormula windowed(SizeFormula size, const WindowDimension &window) {
  SizeFormula gaps = times(plus(std::move(size), fixed(-1)), fixed(window.lhs_dilate));
  SizeFormula dilated = at_least_zero(plus(std::move(gaps), fixed(1)));
  const Int128 extent = (Int128{window.size} - 1) * window.rhs_dilate + 1;
  const Int128 room = Int128{window.pad_low} + window.pad_high - extent + window.stride;
  return quotient(at_least_zero(plus(std::move(dilated), fixed(static_cast<std::int64_t>(room)))),
                  fixed(window.stride));
}

std::vector<ReshapeGroup> common_groups(const Shape &from, const Shape &to) {
  if (from.element_count() == 0) {
    return {{0, from.rank(), 0, to.rank()}};
  }
  std::vector<ReshapeGroup> groups;
  std::size_t i = 0, j = 0;
  while (i < from.rank() || j < to.rank()) {
    ReshapeGroup group{i, i, j, j};
    std::int64_t from_count = 1, to_count = 1;
    while ((i == group.from_begin && i < from.rank()) || (j == group.to_begin && j < to.rank()) ||
           from_count != to_count) {
      const bool takes_from = i < from.rank() && (i == group.from_begin || from_count < to_count);
      takes_from ? from_count *= from.size(i++) : to_count *= to.size(j++);
    }
    if (i == from.rank() || j == to.rank()) {
      i = from.rank();
      j = to.rank();
    }
    groups.push_back({group.from_begin, i, group.to_begin, j});
  }
  return groups;
}

}  // namespace bp::ir::size_formulas
