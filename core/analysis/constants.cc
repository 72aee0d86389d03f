#include "core/analysis/constants.h"

#include <limits>

namespace bp::analysis {

std::optional<std::int64_t> constant_integer(const ir::Instruction &instruction) {
  const ir::Shape &shape = instruction.shape();
  if (instruction.opcode() != ir::Opcode::Constant || !shape.is_scalar()) {
    return std::nullopt;
  }
  return ir::visit_element_type(shape.element_type(), [&]<class T>() -> std::optional<std::int64_t> {
    const T &value = instruction.literal().elements<T>()[0];
    if constexpr (std::is_same_v<T, std::uint64_t>) {
      if (value > std::uint64_t{std::numeric_limits<std::int64_t>::max()}) {
        return std::nullopt;
      }
    }
    if constexpr (std::is_integral_v<T> || requires { T::is_signed; }) {
      return static_cast<std::int64_t>(value);
    } else {
      return std::nullopt;
    }
  });
}

}  // namespace bp::analysis
