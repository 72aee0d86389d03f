// Chooses how an instruction is compiled to loops. Instructions that Generator can compute element by element need only
// a nest; updates in place and concatenations write parts of the result, one nest each.
#include "plugins/llvm/kernel/kernel.h"

#include <algorithm>
#include <cmath>

#include "plugins/llvm/contraction/fusion.h"
#include "plugins/llvm/kernel/attention.h"
#include "plugins/llvm/kernel/crossing.h"
#include "plugins/llvm/kernel/kinds.h"
#include "plugins/llvm/kernel/scan.h"
#include "plugins/llvm/kernel/topk.h"
#include "plugins/llvm/scalar/element_type.h"
#include "plugins/llvm/scalar/elementwise.h"

namespace bp::emit {
namespace {

using llvm::Value;

struct Root {
  std::uint32_t value;
  Value *pointer;
  int in_place;
};

class ElementKernel {
 public:
  ElementKernel(Generator &generator, KernelBuilder &builder, const KernelSite &site, const VectorTarget &target)
      : generator_(generator), k_(builder), site_(site), target_(target), module_(site.instruction.module()) {}

  // Returns the number of items: one, unless the kernel is a single nest or, on a threaded target, consists of nests
  // that do not write what another one reads.
  std::int64_t emit() {
    std::vector<Root> roots, updates, packed;
    const InstructionView instruction = site_.instruction;
    const bool is_fusion = instruction.op() == BP_OP_FUSION;
    if (is_fusion) {
      generator_.bind_parameters(instruction.called(0), instruction.operands());
      generator_.bind_scalars(instruction.called(0));
    }
    for (std::size_t i = 0; i < site_.results.size(); ++i) {
      const std::uint32_t value = is_fusion ? instruction.called(0).roots()[i] : instruction.result(i);
      if (module_.shape_of(value).elements == 0) {
        continue;
      }
      const Root root{value, site_.results[i], site_.in_place[i]};
      (module_.shape_of(value).packed() ? packed : is_update(root) ? updates : roots).push_back(root);
    }
    // Roots of the same dimensions share a nest.
    const bool is_one_nest = packed.empty() && updates.empty() && roots.size() > 0 &&
                             std::ranges::all_of(roots, [&](const Root &root) { return same_nest(root, roots[0]); }) &&
                             !is_concatenation(roots);
    const bool is_one_update = packed.empty() && roots.empty() && updates.size() == 1;
    has_items_ = is_one_nest || (target_.is_threaded && (is_one_update || nothing_in_place()));
    if (is_one_nest) {
      emit_nest(roots);
      return items_;
    }
    for (const Root &root : packed) {
      emit_packed(root);
    }
    std::vector<bool> done(roots.size());
    for (std::size_t i = 0; i < roots.size(); ++i) {
      if (done[i]) {
        continue;
      }
      std::vector<Root> same;
      for (std::size_t k = i; k < roots.size(); ++k) {
        if (!done[k] && same_nest(roots[i], roots[k])) {
          same.push_back(roots[k]);
          done[k] = true;
        }
      }
      if (is_concatenation(same)) {
        emit_concatenate(same[0]);
      } else {
        emit_nest(same);
      }
    }
    for (const Root &root : updates) {
      emit_update(root);
    }
    return items_;
  }

 private:
  bool same_nest(const Root &a, const Root &b) const {
    const Shape &x = module_.shape_of(a.value), &y = module_.shape_of(b.value);
    return x.dims == y.dims && x.minor_to_major == y.minor_to_major;
  }

  bool is_concatenation(const std::vector<Root> &roots) const {
    return roots.size() == 1 && module_.definition(roots[0].value).op() == BP_OP_CONCATENATE && nothing_in_place();
  }

  bool nothing_in_place() const {
    return std::ranges::all_of(site_.in_place, [](int operand) { return operand < 0; });
  }

  // Whether the root is a dynamic-update-slice that writes only the box it updates, because the rest is in place or can
  // be copied before.
  bool is_update(const Root &root) const {
    const InstructionView definition = module_.definition(root.value);
    if (definition.op() != BP_OP_DYNAMIC_UPDATE_SLICE) {
      return false;
    }
    return root.in_place < 0 ? nothing_in_place() && !target_.is_threaded
                             : generator_.pointer_of(definition.operand(0)) ==
                                   site_.operands[static_cast<std::size_t>(root.in_place)];
  }

  unsigned lanes_for(std::span<const std::uint32_t> values, std::int64_t size) {
    bool columns = false;
    for (const std::uint32_t value : values) {
      if (generator_.reduces_rows(value)) {
        return 1;
      }
      columns |= generator_.contains(value, BP_OP_REDUCE);
    }
    const unsigned lanes = generator_.preferred_lanes(values, size);
    if (target_.is_threaded) {
      return lanes;  // neighbouring threads share cache lines
    }
    // A reduction over columns reads a few cache lines of each row.
    return columns && size >= 4 * static_cast<std::int64_t>(lanes) ? 4 * lanes : lanes;
  }

  void emit_nest(const std::vector<Root> &roots) {
    std::vector<std::uint32_t> values;
    for (const Root &root : roots) {
      values.push_back(root.value);
    }
    const Shape &shape = module_.shape_of(values[0]);
    const std::vector<LoopGroup> groups = generator_.groups(values, shape.major_to_minor());
    const unsigned lanes = lanes_for(values, groups.back().size);
    nest(groups, shape, lanes, [&](std::span<const Index> indices) {
      std::vector<Value *> elements;
      for (const Root &root : roots) {
        elements.push_back(generator_.element(root.value, indices));
      }
      for (std::size_t i = 0; i < roots.size(); ++i) {
        store(roots[i], indices, elements[i]);
      }
    });
  }

  // Emits a nest of this kernel: all of it, or the items of this call.
  void nest(std::span<const LoopGroup> groups, const Shape &shape, unsigned lanes,
            const std::function<void(std::span<const Index>)> &body) {
    const Generator::Range range{site_.begin, site_.end};
    generator_.nest(groups, shape, lanes, Indices(shape.rank(), k_.constant(0)), body, has_items_ ? &range : nullptr);
    items_ = has_items_ ? std::max(items_, generator_.items(groups, lanes)) : 1;
  }

  void store(const Root &root, std::span<const Index> indices, Value *value) {
    const Shape &shape = module_.shape_of(root.value);
    k_.store(root.pointer, k_.linear(indices, shape.dims, shape.strides), value, shape.dtype);
  }

  // Writes byte by byte, in the order of memory: elements that share a byte are stored together.
  void emit_packed(const Root &root) {
    const Shape &shape = module_.shape_of(root.value);
    const std::vector<std::int64_t> order = shape.major_to_minor();
    std::vector<std::int64_t> dims;
    for (const std::int64_t d : order) {
      dims.push_back(shape.dims[static_cast<std::size_t>(d)]);
    }
    const std::int64_t per_byte = 8 / shape.element_bits, whole = shape.elements / per_byte;
    const auto emit_byte = [&](Value *byte, std::int64_t count) {
      Value *all = k_.b.getInt8(0);
      for (std::int64_t i = 0; i < count; ++i) {
        const Index position = k_.add(k_.multiply(k_.of(byte), per_byte), i);
        const Indices ordered = k_.reshape({&position, 1}, {&shape.elements, 1}, dims);
        Indices indices(shape.rank());
        for (std::size_t d = 0; d < order.size(); ++d) {
          indices[static_cast<std::size_t>(order[d])] = ordered[d];
        }
        Value *bits = compute_to_bits(k_.b, generator_.element(root.value, indices), shape.dtype);
        all = k_.b.CreateOr(all, k_.b.CreateShl(bits, static_cast<std::uint64_t>(i * shape.element_bits)));
      }
      k_.store(root.pointer, k_.of(byte), all, BP_DTYPE_U8);
    };
    if (has_items_) {
      k_.if_then(k_.b.CreateICmpULT(site_.begin, k_.b.getInt64(static_cast<std::uint64_t>(whole))),
                 [&] { emit_byte(site_.begin, per_byte); });
      items_ = std::max(items_, whole);
    } else {
      k_.loop(0, whole, 1, [&](Value *byte) { emit_byte(byte, per_byte); });
    }
    if (whole * per_byte < shape.elements) {
      const auto emit_rest = [&] {
        emit_byte(k_.b.getInt64(static_cast<std::uint64_t>(whole)), shape.elements - whole * per_byte);
      };
      if (has_items_) {
        k_.if_then(k_.b.CreateICmpEQ(site_.begin, k_.b.getInt64(0)), emit_rest);
      } else {
        emit_rest();
      }
    }
  }

  // Computes all of `from` and writes it to the root's memory, shifted by `origin`.
  void emit_part(const Root &root, std::uint32_t from, const std::function<Index(std::size_t)> &origin) {
    const Shape &part = module_.shape_of(from);
    if (part.elements == 0) {
      return;
    }
    std::vector<std::int64_t> order = module_.shape_of(root.value).major_to_minor();
    std::vector<LoopGroup> groups = generator_.groups({&from, 1}, order);
    // Only dimensions that the part covers completely can share a loop with the next outer dimension.
    std::vector<LoopGroup> split;
    for (const LoopGroup &group : groups) {
      split.emplace_back();
      for (std::size_t i = 0; i < group.dims.size(); ++i) {
        const auto d = static_cast<std::size_t>(group.dims[i]);
        if (i > 0 && part.dims[d] != module_.shape_of(root.value).dims[d]) {
          split.emplace_back();
        }
        split.back().dims.push_back(group.dims[i]);
        split.back().size *= part.dims[d];
      }
    }
    nest(split, part, lanes_for({&from, 1}, split.back().size), [&](std::span<const Index> indices) {
      Value *value = generator_.element(from, indices);
      Indices to(indices.begin(), indices.end());
      for (std::size_t d = 0; d < to.size(); ++d) {
        if (part.dims[d] != module_.shape_of(root.value).dims[d]) {
          to[d] = k_.add(to[d], origin(d));
        }
      }
      store(root, to, value);
    });
  }

  void emit_concatenate(const Root &root) {
    const InstructionView instruction = module_.definition(root.value);
    std::int64_t offset = 0;
    for (const std::uint32_t operand : instruction.operands()) {
      emit_part(root, operand, [&](std::size_t) { return k_.constant(offset); });
      offset += module_.shape_of(operand).dims[static_cast<std::size_t>(instruction.number(BP_ATTR_DIMENSIONS))];
    }
  }

  void emit_update(const Root &root) {
    const InstructionView instruction = module_.definition(root.value);
    const Shape &shape = instruction.shape();
    const Shape &update = instruction.operand_shape(1);
    if (root.in_place < 0) {
      emit_part(root, instruction.operand(0), [&](std::size_t) { return k_.constant(0); });
    }
    Indices start;
    for (std::size_t d = 0; d < shape.rank(); ++d) {
      start.push_back(generator_.clamped_start(instruction.operand(2 + d), {}, shape.dims[d] - update.dims[d]));
    }
    emit_part(root, instruction.operand(1), [&](std::size_t d) { return start[d]; });
  }

  Generator &generator_;
  KernelBuilder &k_;
  const KernelSite &site_;
  const VectorTarget &target_;
  const ModuleView &module_;
  bool has_items_ = false;  // calls do a part each; otherwise one call does everything
  std::int64_t items_ = 1;
};

// Returns the rows of a fusion for which a loop over rows is better.
std::optional<RowFusion> rows_of(InstructionView fusion) {
  std::string problem;
  return fusion.result_count() > 1 || repeats_reductions(fusion) ? find_rows(fusion, problem) : std::nullopt;
}

// Whether a reduction can start with an element, which is not possible if the result has another type.
bool starts_with_elements(InstructionView reduction) {
  for (std::size_t i = 0; i < reduction.result_count(); ++i) {
    if (reduction.operand_shape(i).dtype != reduction.shape(i).dtype) {
      return false;
    }
  }
  return true;
}

bool may_have_rows(InstructionView instruction) {
  return instruction.op() == BP_OP_REDUCE || (instruction.op() == BP_OP_FUSION && !has_memory_kernel(instruction));
}

// Whether a row is long enough to be shared by a team, and each member has an element to start with.
bool can_share(const ModuleView &module, const RowFusion &rows) {
  constexpr std::int64_t shortest_row = 16;
  // Results per reduction; limited because members pass theirs to each other in the team's memory.
  constexpr std::size_t max_results = 16;
  for (std::uint32_t n = 0; n < rows.members.size(); ++n) {
    const InstructionView member = module.instruction(rows.first_instruction + n);
    if (member.op() == BP_OP_REDUCE && (member.result_count() > max_results || !starts_with_elements(member))) {
      return false;
    }
  }
  return rows.length(module) >= shortest_row;
}

// Returns the largest distance from 0 of the positions that padding or windows refer to, including those that do not
// exist; an element of the operand is at its coordinate times `step`. In doubles, which do not overflow.
double max_position(InstructionView instruction) {
  const bool is_pad = instruction.op() == BP_OP_PAD;
  if (!is_pad && instruction.op() != BP_OP_REDUCE_WINDOW) {
    return 0;
  }
  const auto numbers = instruction.numbers(is_pad ? BP_ATTR_PADDING : BP_ATTR_WINDOW);
  double farthest = 0;
  for (std::size_t d = 0; d < instruction.shape().rank(); ++d) {
    const auto number = [&](std::size_t i) { return static_cast<double>(numbers[(is_pad ? 3 : 7) * d + i]); };
    const auto size = static_cast<double>(instruction.operand_shape(0).dims[d]);
    const double low = number(is_pad ? 0 : 2), step = is_pad ? number(2) + 1 : number(4);
    double last = static_cast<double>(instruction.shape().dims[d] - 1);
    if (!is_pad) {
      last = last * number(1) + (number(0) - 1) * number(5);
    }
    farthest = std::max({farthest, std::abs(low), std::abs(last - low), std::max(size, 1.0) * step});
  }
  return farthest;
}

// Whether coordinates of elements, or of positions that a condition excludes, need more than 32 bits.
bool needs_large_coordinates(InstructionView instruction) {
  constexpr std::int64_t limit = std::int64_t{1} << 30;
  for (std::size_t i = 0; i < instruction.operand_count(); ++i) {
    if (instruction.operand_shape(i).elements >= limit) {
      return true;
    }
  }
  for (std::size_t i = 0; i < instruction.result_count(); ++i) {
    if (instruction.shape(i).elements >= limit) {
      return true;
    }
  }
  if (max_position(instruction) >= static_cast<double>(limit)) {
    return true;
  }
  for (std::size_t c = 0; c < instruction.calls().size(); ++c) {
    const ComputationView called = instruction.called(c);
    for (std::uint32_t n = 0; n < called.instruction_count(); ++n) {
      if (needs_large_coordinates(called.module().instruction(called.first_instruction() + n))) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace

bool is_forwarding(std::uint16_t op) {
  return op == BP_OP_OPTIMIZATION_BARRIER || op == BP_OP_DOMAIN || op == BP_OP_ADD_DEPENDENCY ||
         op == BP_OP_AFTER_ALL || op == BP_OP_BITCAST;
}

bool has_memory_kernel(InstructionView instruction) {
  const std::uint16_t op = instruction.op();
  return contraction_in(instruction) || scatter_in(instruction) || op == BP_OP_SELECT_AND_SCATTER || op == BP_OP_SORT ||
         op == BP_OP_TOP_K || op == BP_OP_FFT || op == BP_OP_DOT || op == BP_OP_CONVOLUTION;
}

std::optional<InstructionView> scatter_in(InstructionView instruction) {
  if (instruction.op() == BP_OP_FUSION && instruction.called(0).roots().size() == 1) {
    instruction = instruction.module().definition(instruction.called(0).roots()[0]);
  }
  return instruction.op() == BP_OP_SCATTER ? std::optional(instruction) : std::nullopt;
}

std::size_t scattered_operand(InstructionView instruction, std::size_t i) {
  if (instruction.op() != BP_OP_FUSION) {
    return i;
  }
  const auto parameters = instruction.called(0).parameters();
  const auto found = std::ranges::find(parameters, scatter_in(instruction)->operand(i));
  return static_cast<std::size_t>(found - parameters.begin());
}

bool is_control_flow(std::uint16_t op) {
  return op == BP_OP_WHILE || op == BP_OP_CONDITIONAL || op == BP_OP_CALL;
}

std::optional<RowFusion> rows_for_team(InstructionView instruction) {
  std::string problem;
  auto rows = may_have_rows(instruction) ? find_rows(instruction, problem) : std::nullopt;
  return rows && can_share(instruction.module(), *rows) ? std::move(rows) : std::nullopt;
}

std::optional<RowFusion> columns_for_team(InstructionView instruction) {
  auto columns = may_have_rows(instruction) ? find_columns(instruction) : std::nullopt;
  return columns && can_share(instruction.module(), *columns) ? std::move(columns) : std::nullopt;
}

std::int64_t common_bytes(InstructionView instruction, const VectorTarget &target) {
  if (instruction.op() == BP_OP_FFT) {
    return fft_common_bytes(instruction, target);
  }
  return has_two_dots(instruction) ? attention_common_bytes(instruction, target) : 0;
}

KernelWork emit_kernel(KernelBuilder &builder, const KernelSite &site, const VectorTarget &target, Team *team) {
  const InstructionView instruction = site.instruction;
  const bool large = needs_large_coordinates(instruction);
  builder.set_large(large);
  Generator generator(instruction.module(), builder, target);
  for (std::size_t i = 0; i < site.operands.size(); ++i) {
    if (site.operands[i] != nullptr) {
      generator.bind(instruction.operand(i), site.operands[i]);
    }
  }
  if (team != nullptr) {
    if (const auto rows = rows_for_team(instruction)) {
      return emit_rows(generator, builder, site, target, *rows, team);
    }
    if (const auto scan = find_scan(instruction)) {
      return emit_scan(generator, builder, site, *scan, team);
    }
    if (topk_for_team(instruction)) {
      return emit_topk_by_team(generator, builder, site, *team);
    }
    if (const auto crossing = find_crossing(instruction)) {
      return emit_crossing(generator, builder, site, *crossing, *team);
    }
    if (const auto columns = columns_for_team(instruction)) {
      return emit_rows(generator, builder, site, target, *columns, team);
    }
    return emit_contraction(builder, site, target, large, team);
  }
  if (const auto scan = find_scan(instruction); scan && !target.is_threaded) {
    return emit_scan(generator, builder, site, *scan);
  }
  if (scatter_in(instruction)) {
    return {.items = emit_scatter(generator, builder, site, target)};
  }
  switch (instruction.op()) {
    case BP_OP_SELECT_AND_SCATTER: return {.items = emit_select_and_scatter(generator, builder, site, target)};
    case BP_OP_SORT: return emit_sort(generator, builder, site, target);
    case BP_OP_TOP_K: return emit_topk(generator, builder, site);
    case BP_OP_FFT: return emit_fft(builder, site, target);
    case BP_OP_DOT:
    case BP_OP_CONVOLUTION: return emit_contraction(builder, site, target, large, nullptr);
    case BP_OP_FUSION:
      if (has_two_dots(instruction)) {
        return emit_attention(generator, builder, site, target);
      }
      if (contraction_in(instruction)) {
        return emit_contraction(builder, site, target, large, nullptr);
      }
      if (const auto rows = rows_of(instruction)) {
        return emit_rows(generator, builder, site, target, *rows);
      }
      [[fallthrough]];
    default: return {.items = ElementKernel(generator, builder, site, target).emit()};
  }
}

}  // namespace bp::emit
