// The loops around element(): which dimensions share one loop, how many lanes a vector has, and the nest itself, whose
// innermost loop runs in full vectors with one masked vector for the rest.
#include <llvm/IR/Intrinsics.h>

#include <algorithm>
#include <bit>
#include <set>
#include <unordered_set>

#include "plugins/llvm/generator/generator.h"
#include "plugins/llvm/scalar/element_type.h"
#include "plugins/llvm/scalar/elementwise.h"

namespace bp::emit {

using llvm::Value;

void Generator::walk(std::uint32_t value, const std::function<void(InstructionView)> &visit) {
  std::unordered_set<std::uint32_t> seen;
  std::vector<std::uint32_t> stack = {value};
  while (!stack.empty()) {
    const std::uint32_t next = resolve(stack.back());
    stack.pop_back();
    if (bindings_.contains(next)) {
      continue;
    }
    const InstructionView instruction = module_.definition(next);
    if (!seen.insert(instruction.id()).second) {
      continue;
    }
    visit(instruction);
    if (instruction.op() == BP_OP_FUSION || instruction.op() == BP_OP_CALL) {
      bind_parameters(instruction.called(0), instruction.operands());
      for (const std::uint32_t root : instruction.called(0).roots()) {
        stack.push_back(root);
      }
      continue;
    }
    for (const std::uint32_t operand : instruction.operands()) {
      stack.push_back(operand);
    }
  }
}

bool Generator::contains(std::uint32_t value, std::uint16_t op) {
  bool found = false;
  walk(value, [&](InstructionView instruction) { found |= instruction.op() == op; });
  return found;
}

unsigned Generator::preferred_lanes(std::span<const std::uint32_t> values, std::int64_t size) {
  unsigned widest = 8;
  for (const std::uint32_t value : values) {
    if (target_.is_threaded) {
      // A thread's memory accesses are as wide as possible; the types it computes with do not limit the width.
      widest = std::max(widest, module_.shape_of(value).element_bits);
      walk(value, [&](InstructionView instruction) {
        for (std::size_t i = 0; i < instruction.operand_count(); ++i) {
          const Shape &operand = instruction.operand_shape(i);
          if (operand.rank() > 0 && bindings_.contains(resolve(instruction.operand(i)))) {
            widest = std::max(widest, operand.element_bits);
          }
        }
      });
      continue;
    }
    widest = std::max(widest, compute_bits(module_.shape_of(value).dtype));
    walk(value, [&](InstructionView instruction) {
      for (std::size_t i = 0; i < instruction.result_count(); ++i) {
        widest = std::max(widest, compute_bits(instruction.shape(i).dtype));
      }
      for (std::size_t i = 0; i < instruction.operand_count(); ++i) {
        // Scalars, which are mostly indices, have no influence on the number of lanes.
        if (instruction.operand_shape(i).rank() > 0) {
          widest = std::max(widest, compute_bits(instruction.operand_shape(i).dtype));
        }
      }
    });
  }
  const unsigned full = target_.vector_bits / widest;
  auto lanes = static_cast<unsigned>(
      std::min<std::uint64_t>(full, std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(size, 1)))));
  while (target_.is_threaded && lanes > 1 && size % static_cast<std::int64_t>(lanes) != 0) {
    lanes /= 2;
  }
  return lanes;
}

// Pairs of loop dimensions that cannot share a loop.
struct Generator::Cuts {
  std::vector<std::int64_t> sizes;  // by loop dimension
  std::vector<bool> cut;            // cut[k]: whether dimensions k and k + 1 must be in different loops
  std::set<std::pair<std::uint32_t, Positions>> seen = {};

  void around(int position) {
    if (position > 0) {
      cut[static_cast<std::size_t>(position - 1)] = true;
    }
    if (position >= 0 && static_cast<std::size_t>(position) < cut.size()) {
      cut[static_cast<std::size_t>(position)] = true;
    }
  }
  void everywhere() { cut.assign(cut.size(), true); }
  // An array in memory is walked through in one loop along dimensions that are adjacent in its memory.
  void in_memory(const Positions &positions, const std::vector<std::int64_t> &strides) {
    for (std::size_t k = 0; k < cut.size(); ++k) {
      const auto high = std::ranges::find(positions, static_cast<int>(k));
      const auto low = std::ranges::find(positions, static_cast<int>(k + 1));
      if (high == positions.end() && low == positions.end()) {
        continue;
      }
      const auto stride = [&](auto at) { return strides[static_cast<std::size_t>(at - positions.begin())]; };
      if (high == positions.end() || low == positions.end() || stride(high) != stride(low) * sizes[k + 1]) {
        cut[k] = true;
      }
    }
  }
};

void Generator::find_cuts(std::uint32_t value, const Positions &positions, Cuts &cuts) {
  value = resolve(value);
  const Shape &shape = module_.shape_of(value);
  if (shape.rank() == 0 || !cuts.seen.emplace(value, positions).second) {
    return;
  }
  if (const auto bound = bindings_.find(value); bound != bindings_.end()) {
    cuts.in_memory(positions, bound->second.strides.empty() ? shape.strides : bound->second.strides);
    return;
  }
  const InstructionView instruction = module_.definition(value);
  switch (instruction.op()) {
    case BP_OP_CONSTANT:
      if (!is_splat(instruction)) {
        cuts.everywhere();
      }
      return;
    case BP_OP_IOTA:
      cuts.around(positions[static_cast<std::size_t>(instruction.number(BP_ATTR_IOTA_DIMENSION))]);
      return;
    case BP_OP_FUSION:
    case BP_OP_CALL:
      bind_parameters(instruction.called(0), instruction.operands());
      find_cuts(instruction.called(0).roots()[value - instruction.result()], positions, cuts);
      return;
    case BP_OP_BITCAST_CONVERT:
      if (instruction.operand_shape(0).rank() < shape.rank()) {
        cuts.around(positions.back());  // selects the part of a wider element
      }
      break;
    default: break;
  }
  if (instruction.operand_count() == 0) {
    cuts.everywhere();
  }
  for (std::size_t i = 0; i < instruction.operand_count(); ++i) {
    const plugin::IndexMap map = instruction.index_map(i);
    if (!map.is_known()) {
      cuts.everywhere();
      return;
    }
    const Positions from = map.to_operand(positions, -1);
    for (std::size_t d = 0; d < from.size(); ++d) {
      if (!map.dimensions[d].is_same_index()) {
        cuts.around(from[d]);
      }
    }
    find_cuts(instruction.operand(i), from, cuts);
  }
}

std::vector<LoopGroup> Generator::groups(std::span<const std::uint32_t> values, std::span<const std::int64_t> dims) {
  const Shape &shape = module_.shape_of(values[0]);
  std::vector<std::int64_t> kept, sizes;
  Positions positions(shape.rank(), -1);
  for (const std::int64_t d : dims) {
    const std::int64_t size = shape.dims[static_cast<std::size_t>(d)];
    if (size > 1) {
      positions[static_cast<std::size_t>(d)] = static_cast<int>(kept.size());
      kept.push_back(d);
      sizes.push_back(size);
    }
  }
  if (kept.empty()) {
    return {LoopGroup{}};
  }
  Cuts cuts = {.sizes = sizes, .cut = std::vector<bool>(kept.size() - 1)};
  for (const std::uint32_t value : values) {
    find_cuts(value, positions, cuts);
  }
  std::vector<LoopGroup> result(1);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (i > 0 && cuts.cut[i - 1]) {
      result.emplace_back();
    }
    result.back().dims.push_back(kept[i]);
    result.back().size *= sizes[i];
  }
  return result;
}

void set_indices(KernelBuilder &k, const LoopGroup &group, const Shape &shape, const Index &index, Indices &indices) {
  std::int64_t divisor = 1;
  for (std::size_t i = group.dims.size(); i-- > 0;) {
    const auto d = static_cast<std::size_t>(group.dims[i]);
    indices[d] = group.dims.size() == 1 ? index : k.part(index, divisor, i == 0 ? 0 : shape.dims[d]);
    divisor *= shape.dims[d];
  }
}

void Generator::at_item(std::span<const LoopGroup> groups, const Shape &shape, unsigned lanes, Indices indices,
                        Value *item, const std::function<void(std::span<const Index>)> &body) {
  const auto integer = [&](std::int64_t value) { return k_.b.getInt64(static_cast<std::uint64_t>(value)); };
  Value *rest = item;
  std::vector<Value *> at(groups.size());
  for (std::size_t g = groups.size(); g-- > 0;) {
    const std::int64_t step = g + 1 == groups.size() ? std::max(lanes, 1u) : 1;
    const std::int64_t size = (groups[g].size + step - 1) / step;
    at[g] = g == 0 ? rest : k_.b.CreateURem(rest, integer(size));
    rest = g == 0 ? rest : k_.b.CreateUDiv(rest, integer(size));
  }
  for (std::size_t g = 0; g + 1 < groups.size(); ++g) {
    set_indices(k_, groups[g], shape, k_.of(at[g]), indices);
  }
  const LoopGroup &last = groups.back();
  if (lanes <= 1) {
    set_indices(k_, last, shape, k_.of(at.back()), indices);
    body(indices);
    return;
  }
  Value *first = k_.b.CreateMul(at.back(), integer(lanes));
  k_.with_lanes(lanes, nullptr, [&] {
    set_indices(k_, last, shape, {.base = first, .lane_stride = 1, .multiple = lanes}, indices);
    body(indices);
  });
}

void Generator::nest(std::span<const LoopGroup> groups, const Shape &shape, unsigned lanes, Indices indices,
                     const std::function<void(std::span<const Index>)> &body, const Range *range) {
  if (range != nullptr && target_.is_threaded) {
    Value *all = k_.b.getInt64(static_cast<std::uint64_t>(items(groups, lanes)));
    k_.if_then(k_.b.CreateICmpULT(range->begin, all),
               [&] { at_item(groups, shape, lanes, std::move(indices), range->begin, body); });
    return;
  }
  const auto set = [&](const LoopGroup &group, const Index &index) { set_indices(k_, group, shape, index, indices); };
  // Emits the whole loop, or the part of it in the range.
  const auto loop = [&](bool outermost, std::int64_t end, std::int64_t step, const KernelBuilder::Body &inside) {
    if (!outermost || range == nullptr) {
      k_.loop(0, end, step, inside);
      return;
    }
    const auto scaled = [&](Value *item) {
      return k_.b.CreateMul(item, k_.b.getInt64(static_cast<std::uint64_t>(step)));
    };
    // The item after the last full vector is the partial one.
    Value *limit = k_.b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, scaled(range->end),
                                              k_.b.getInt64(static_cast<std::uint64_t>(end)));
    k_.dynamic_loop(scaled(range->begin), limit, k_.b.getInt64(static_cast<std::uint64_t>(step)), {},
                    [&](Value *i, std::span<Value *const>) {
                      inside(i);
                      return std::vector<Value *>();
                    });
  };
  const auto innermost = [&](const LoopGroup &group) {
    const bool outermost = groups.size() == 1;
    if (lanes <= 1) {
      loop(outermost, group.size, 1, [&](Value *i) {
        set(group, k_.of(i));
        body(indices);
      });
      return;
    }
    const std::int64_t step = lanes, vectors_end = group.size / step * step;
    loop(outermost, vectors_end, step, [&](Value *i) {
      k_.with_lanes(lanes, nullptr, [&] {
        set(group, {.base = i, .lane_stride = 1, .multiple = step});
        body(indices);
      });
    });
    const auto rest = [&] {
      std::vector<llvm::Constant *> on;
      for (std::int64_t lane = 0; lane < step; ++lane) {
        on.push_back(k_.b.getInt1(vectors_end + lane < group.size));
      }
      k_.with_lanes(lanes, llvm::ConstantVector::get(on), [&] {
        set(group,
            {.base = k_.b.getInt64(static_cast<std::uint64_t>(vectors_end)), .lane_stride = 1, .multiple = step});
        body(indices);
      });
    };
    if (vectors_end == group.size) {
      return;
    }
    if (outermost && range != nullptr) {
      const std::int64_t all = items(groups, lanes);
      k_.if_then(k_.b.CreateICmpSGE(range->end, k_.b.getInt64(static_cast<std::uint64_t>(all))), rest);
    } else {
      rest();
    }
  };
  const std::function<void(std::size_t)> level = [&](std::size_t at) {
    if (at + 1 == groups.size()) {
      innermost(groups[at]);
      return;
    }
    loop(at == 0, groups[at].size, 1, [&](Value *i) {
      set(groups[at], k_.of(i));
      level(at + 1);
    });
  };
  level(0);
}

std::int64_t Generator::items(std::span<const LoopGroup> groups, unsigned lanes) const {
  const std::int64_t step = std::max(lanes, 1u);
  if (!target_.is_threaded && groups.size() > 1) {
    return groups[0].size;
  }
  std::int64_t count = (groups.back().size + step - 1) / step;
  for (const LoopGroup &outer : groups.first(groups.size() - 1)) {
    count *= outer.size;
  }
  return count;
}

}  // namespace bp::emit
