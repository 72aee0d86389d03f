#include "core/c/arrays.h"

#include <cstring>
#include <span>

#include "core/c/objects.h"

namespace bp::c {

backplane_array_t describe(const Shape &shape, const char *name) {
  const auto width = static_cast<std::uint64_t>(ir::byte_width(shape.element_type()));
  return {name,
          shape.rank() == 0 ? nullptr : shape.sizes().data(),
          static_cast<std::uint64_t>(shape.element_count()) * width,
          static_cast<std::uint32_t>(shape.rank()),
          static_cast<std::uint16_t>(shape.element_type()),
          0};
}

Result<Literal> make_literal(const Shape &shape, const void *const *&inputs) {
  if (shape.is_tuple()) {
    std::vector<Literal> elements;
    for (const Shape &element : shape.elements()) {
      BP_ASSIGN(Literal literal, make_literal(element, inputs));
      elements.push_back(std::move(literal));
    }
    return Literal::tuple(std::move(elements));
  }
  if (!shape.is_array()) {
    return Literal::token();
  }
  BP_ASSIGN(Literal literal, Literal::zeros(shape));
  const void *input = *inputs++;
  if (const std::span<std::byte> bytes = literal.mutable_bytes(); !bytes.empty()) {
    BP_TRY(expect_given(input, "an input"));
    std::memcpy(bytes.data(), input, bytes.size());
    ir::extend(literal);
  }
  return literal;
}

Status copy_out(const Literal &literal, void *const *&outputs) {
  if (literal.shape().is_tuple()) {
    for (const Literal &element : literal.tuple_elements()) {
      BP_TRY(copy_out(element, outputs));
    }
  } else if (literal.shape().is_array()) {
    void *output = *outputs++;
    if (const auto bytes = literal.bytes(); !bytes.empty()) {
      BP_TRY(expect_given(output, "an output"));
      std::memcpy(output, bytes.data(), bytes.size());
    }
  }
  return {};
}

}  // namespace bp::c
