#include "core/import/array/order.h"

#include "core/import/array/support.h"

namespace bp::import::array {

TopElements top_k(const Array &x, std::int64_t dimension, std::int64_t k, bool is_largest) {
  if (!x.is_valid()) {
    return {x, x};
  }
  Integers exchanged = dimensions_from(0, x.rank());
  std::swap(exchanged[static_cast<std::size_t>(dimension)], exchanged.back());
  // Zeros of both signs are equal, and the first one comes first: TopK would put 0 before -0.
  const Array ordered = ir::is_floating(x.type()) ? x + 0 : x;
  const Array top =
      x.builder().add(Opcode::TopK, {transpose(ordered, exchanged)}, [&](ir::Module &m, ir::InstructionId id) {
        m.set_number(id, ir::AttributeKey::K, k);
        m.set_number(id, ir::AttributeKey::Largest, is_largest);
      });
  return {transpose(x.builder().element(top, 0), exchanged), transpose(x.builder().element(top, 1), exchanged)};
}

}  // namespace bp::import::array
