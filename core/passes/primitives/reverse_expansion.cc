// Rewrites reverse as exchanges of halves: of the whole, of its halves, and so on. Sizes that are not a power of two
// are padded first.
#include <bit>

#include "core/passes/array_builder.h"
#include "core/passes/expand.h"
#include "core/passes/pass.h"
#include "core/passes/rewrite.h"

namespace bp::passes {
namespace {

using Id = ir::InstructionId;

// Reverses the middle one of three dimensions.
Id reversed(ArrayBuilder &b, Id x) {
  const std::int64_t before = b.shape(x).size(0), size = b.shape(x).size(1), after = b.shape(x).size(2);
  const auto power = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(size)));
  if (power != size) {
    // Padded at the front, so that the padding ends up at the end.
    const ir::PaddingDimension padding[] = {{}, {power - size, 0, 0}, {}};
    x = b.pad(x, b.zeros(ir::Shape::scalar(b.type(x))), padding);
  }
  for (std::int64_t part = power; part > 1; part /= 2) {
    const Id halves = b.reshape(x, {before * (power / part), 2, part / 2 * after});
    x = b.concatenate({b.slice(halves, 1, 1, 2), b.slice(halves, 1, 0, 1)}, 1);
  }
  return b.slice(b.reshape(x, {before, power, after}), 1, 0, size);
}

}  // namespace

Result<bool> reverse_expansion(ir::Module &module, const PassContext &context) {
  return expand_all(module, context, [&](ir::Instruction i) -> Result<Id> {
    if (i.opcode() != ir::Opcode::Reverse || !is_plain(i) || i.shape().element_count() == 0) {
      return i.id();
    }
    const ir::Shape shape = i.shape();
    const std::vector<std::int64_t> dimensions(i.dimensions().begin(), i.dimensions().end());
    ArrayBuilder b(module, i);
    Id x = i.operands()[0];
    for (std::int64_t d : dimensions) {
      const auto at = static_cast<std::size_t>(d);
      const Id middle = b.reshape(
          x, {ir::product(shape.sizes().first(at)), shape.size(at), ir::product(shape.sizes().subspan(at + 1))});
      x = reversed(b, middle);
    }
    return b.ir::Builder::reshape(x, shape.sizes());
  });
}

}  // namespace bp::passes
