// The matrix unit multiplies matrices. A dot without enough dimensions, such as one with a vector, gets dimensions of
// size 1.
#include "plugins/npu/compiler.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "plugin_api/cpp/module_writer.h"

namespace bp::npu {
namespace {

using plugin::ModuleWriter;
using Numbers = std::vector<std::int64_t>;

Numbers copied(std::span<const std::int64_t> numbers) {
  return {numbers.begin(), numbers.end()};
}

// The sizes and contracting dimensions that a dot has after each missing dimension is appended with size 1.
struct Widened {
  Numbers lhs, rhs, lhs_contracting, rhs_contracting;
  bool changes = false;

  explicit Widened(plugin::Instruction dot)
      : lhs(copied(dot.operand(0).shape().dims())),
        rhs(copied(dot.operand(1).shape().dims())),
        lhs_contracting(copied(dot.integers(BP_ATTR_LHS_CONTRACTING_DIMS))),
        rhs_contracting(copied(dot.integers(BP_ATTR_RHS_CONTRACTING_DIMS))) {
    const std::size_t batch = dot.integers(BP_ATTR_LHS_BATCH_DIMS).size();
    const std::size_t contracting = lhs_contracting.size();
    const bool lhs_is_vector = lhs.size() == batch + contracting, rhs_is_vector = rhs.size() == batch + contracting;
    if (lhs_is_vector) {
      lhs.push_back(1);
    }
    if (rhs_is_vector) {
      rhs.push_back(1);
    }
    if (contracting == 0) {
      lhs_contracting.push_back(static_cast<std::int64_t>(lhs.size()));
      rhs_contracting.push_back(static_cast<std::int64_t>(rhs.size()));
      lhs.push_back(1);
      rhs.push_back(1);
    }
    changes = lhs_is_vector || rhs_is_vector || contracting == 0;
  }

  // Returns the sizes of the result: batch dimensions, then the free dimensions of each operand.
  Numbers result(plugin::Instruction dot) const {
    Numbers sizes;
    for (std::int64_t d : dot.integers(BP_ATTR_LHS_BATCH_DIMS)) {
      sizes.push_back(lhs[static_cast<std::size_t>(d)]);
    }
    add_kept(lhs, dot.integers(BP_ATTR_LHS_BATCH_DIMS), lhs_contracting, sizes);
    add_kept(rhs, dot.integers(BP_ATTR_RHS_BATCH_DIMS), rhs_contracting, sizes);
    return sizes;
  }

 private:
  static void add_kept(const Numbers &all, std::span<const std::int64_t> batch, const Numbers &contracting,
                       Numbers &sizes) {
    for (std::int64_t d = 0; d < static_cast<std::int64_t>(all.size()); ++d) {
      if (std::ranges::find(batch, d) == batch.end() && std::ranges::find(contracting, d) == contracting.end()) {
        sizes.push_back(all[static_cast<std::size_t>(d)]);
      }
    }
  }
};

// Whether it is a dot of types that the matrix unit multiplies, with row-major arrays as they were read.
bool is_candidate(plugin::Instruction i) {
  if (i.op() != BP_OP_DOT) {
    return false;
  }
  const std::uint32_t dtype = i.operand(0).shape().dtype();
  if ((dtype != BP_DTYPE_BF16 && dtype != BP_DTYPE_S8) || i.operand(1).shape().dtype() != dtype) {
    return false;
  }
  for (const bp_attr_t &attribute : i.attributes()) {
    if (attribute.type != BP_ATTR_I64) {
      return false;
    }
  }
  return i.operand(0).shape().is_row_major() && i.operand(1).shape().is_row_major() &&
         i.result().shape().is_row_major();
}

void write_widened(plugin::Instruction dot, const Widened &wide, ModuleWriter &writer) {
  const std::string name(dot.name());
  const plugin::Shape result = dot.result().shape();
  const auto reshaped = [&](plugin::Value value, const Numbers &sizes, const char *suffix) {
    return sizes.size() == value.shape().rank() ? writer.value(value)
                                                : writer.add(BP_OP_RESHAPE, {writer.value(value)},
                                                             writer.add_shape(value.shape(), sizes), {}, name + suffix);
  };
  const std::uint32_t lhs = reshaped(dot.operand(0), wide.lhs, ".lhs");
  const std::uint32_t rhs = reshaped(dot.operand(1), wide.rhs, ".rhs");
  std::vector<ModuleWriter::Attribute> attributes;
  for (const bp_attr_t &attribute : dot.attributes()) {
    if (attribute.key != BP_ATTR_LHS_CONTRACTING_DIMS && attribute.key != BP_ATTR_RHS_CONTRACTING_DIMS) {
      attributes.push_back({attribute.key, copied(dot.integers(attribute.key))});
    }
  }
  attributes.push_back({BP_ATTR_LHS_CONTRACTING_DIMS, wide.lhs_contracting});
  attributes.push_back({BP_ATTR_RHS_CONTRACTING_DIMS, wide.rhs_contracting});
  std::ranges::sort(attributes, {}, &ModuleWriter::Attribute::key);
  const std::uint32_t product = writer.add(BP_OP_DOT, std::array{lhs, rhs}, writer.add_shape(result, wide.result(dot)),
                                           attributes, name + ".wide");
  writer.define(dot.result(), writer.add(BP_OP_RESHAPE, {product}, result.index(), {}, name));
}

}  // namespace

std::string rewrite(std::uint32_t phase, const bp_module_t *module) {
  if (phase != 0) {
    return {};
  }
  ModuleWriter writer{plugin::ModuleView(module)};
  bool changes = false;
  writer.for_each([&](plugin::Instruction i) {
    if (!is_candidate(i)) {
      return false;
    }
    const Widened wide(i);
    if (wide.changes) {
      write_widened(i, wide, writer);
      changes = true;
    }
    return wide.changes;
  });
  return changes ? writer.bytes() : std::string();
}

}  // namespace bp::npu
