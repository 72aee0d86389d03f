// The kernel of a row fusion (row_fusion.h): a loop over rows, or one row that a team processes together. In each row
// the instructions are in their order: a reduction is a loop over the row, values computed from reductions alone are
// scalars, and the results are computed by one more loop over the row. Values in the row are computed again by every
// loop that needs them, unless that costs more than keeping a row of them in scratch.
#include <llvm/IR/Intrinsics.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <memory>

#include "plugins/llvm/kernel/kernel.h"
#include "plugins/llvm/kernel/kinds.h"
#include "plugins/llvm/kernel/row_fusion.h"
#include "plugins/llvm/scalar/element_type.h"
#include "plugins/llvm/scalar/elementwise.h"

namespace bp::emit {
namespace {

using llvm::Value;

// Rows of values in scratch must fit into a second-level cache.
constexpr std::int64_t max_cached_bytes = 512 * 1024;
// Approximate cycles for a vector of elements; computing a value again is better than a store and a load below this
// cost.
constexpr int cost_of_keeping = 8;

int cost_of(std::uint16_t op) {
  switch (op) {
    case BP_OP_ADD:
    case BP_OP_SUBTRACT:
    case BP_OP_MULTIPLY:
    case BP_OP_MAXIMUM:
    case BP_OP_MINIMUM:
    case BP_OP_NEGATE:
    case BP_OP_ABS:
    case BP_OP_CONVERT:
    case BP_OP_COMPARE:
    case BP_OP_SELECT:
    case BP_OP_AND:
    case BP_OP_OR:
    case BP_OP_NOT: return 1;
    case BP_OP_PARAMETER:
    case BP_OP_BROADCAST:
    case BP_OP_CONSTANT:
    case BP_OP_IOTA: return 0;
    default: return cost_of_keeping;
  }
}

// Returns the op of a reduction, or 0 for any other computation.
std::uint16_t op_of(InstructionView reduction) {
  return reduction.result_count() == 1 ? simple_reducer(reduction.called(0)) : std::uint16_t{0};
}

// Bytes of a reduction's intermediate results, each with this number of lanes.
struct SumBytes {
  std::int64_t all = 0, shown = 0;  // shown: in the memory in which a team's members pass them to each other
};
SumBytes sum_bytes(InstructionView reduction, unsigned lanes) {
  SumBytes bytes;
  for (std::size_t i = 0; i < reduction.result_count(); ++i) {
    const std::int64_t of_one = lanes * compute_bits(accumulator_type(op_of(reduction), reduction.shape(i).dtype)) / 8;
    bytes.all += of_one;
    bytes.shown += shown_bytes(of_one);
  }
  return bytes;
}

std::vector<InstructionView> reductions_of(const ModuleView &module, const RowFusion &rows) {
  std::vector<InstructionView> reductions;
  for (std::uint32_t n = 0; n < rows.members.size(); ++n) {
    if (module.instruction(rows.first_instruction + n).op() == BP_OP_REDUCE) {
      reductions.push_back(module.instruction(rows.first_instruction + n));
    }
  }
  return reductions;
}

// An item is a row, or several neighbouring columns, one in each lane.
struct RowItems {
  std::vector<LoopGroup> groups;
  unsigned lanes = 1;
};
RowItems items_of(Generator &generator, const ModuleView &module, const RowFusion &rows) {
  if (!rows.are_columns) {
    return {generator.groups({&rows.rows_of, 1}, rows.outer)};
  }
  std::vector<std::uint32_t> reduced;
  for (const InstructionView reduction : reductions_of(module, rows)) {
    const auto operands = reduction.operands().first(reduction.result_count());
    reduced.insert(reduced.end(), operands.begin(), operands.end());
  }
  RowItems items = {generator.groups(reduced, rows.outer)};
  items.lanes = generator.preferred_lanes(rows.roots, items.groups.back().size);
  return items;
}

class RowKernel {
 public:
  RowKernel(Generator &generator, KernelBuilder &builder, const KernelSite &site, const VectorTarget &target,
            const RowFusion &rows, Team *team)
      : generator_(generator),
        k_(builder),
        site_(site),
        module_(site.instruction.module()),
        rows_(rows),
        shape_(module_.shape_of(rows_.rows_of)),
        team_(team),
        scratch_(site.scratch),
        max_scratch_bytes_(rows.are_columns     ? 0  // columns are too long
                           : team != nullptr    ? team->max_memory_bytes()
                           : target.is_threaded ? 0  // each row is done by one thread
                                                : max_cached_bytes) {}

  KernelWork emit() {
    const auto [groups, lanes] = items_of(generator_, module_, rows_);
    if (team_ != nullptr) {
      find_reduction_memory(lanes);
    }
    choose_kept();
    if (team_ != nullptr) {
      scratch_ = scratch_bytes_ == 0 ? nullptr : team_->memory(k_.b, scratch_bytes_);
      generator_.at_item(groups, shape_, lanes, Indices(shape_.rank(), k_.constant(0)), site_.begin,
                         [&](std::span<const Index> row) { emit_row(row); });
      return {.scratch_bytes = scratch_bytes_, .items = generator_.items(groups, lanes)};
    }
    const Generator::Range range{site_.begin, site_.end};
    generator_.nest(
        groups, shape_, 1, Indices(shape_.rank(), k_.constant(0)), [&](std::span<const Index> row) { emit_row(row); },
        &range);
    return {.scratch_bytes = scratch_bytes_, .items = generator_.items(groups, 1)};
  }

  // Returns the bytes of scratch.
  std::int64_t emit_range(const RowRange &range) {
    choose_kept();
    strides_ = range.strides;
    const std::vector<LoopGroup> groups = items_of(generator_, module_, rows_).groups;
    k_.dynamic_loop(range.begin, range.end, k_.b.getInt64(1), {}, [&](Value *item, std::span<Value *const>) {
      generator_.at_item(groups, shape_, 1, Indices(shape_.rank(), k_.constant(0)), item,
                         [&](std::span<const Index> row) { emit_row(row); });
      return std::vector<Value *>();
    });
    return scratch_bytes_;
  }

 private:
  std::uint32_t count() const { return static_cast<std::uint32_t>(rows_.members.size()); }
  InstructionView instruction(std::uint32_t n) const { return module_.instruction(rows_.first_instruction + n); }
  // Returns the number of the instruction that computes the value; at least count() if it is none of these.
  std::uint32_t number_of(std::uint32_t value) const {
    return module_.definition(value).id() - rows_.first_instruction;
  }
  bool is_in_row(std::uint32_t n) const {
    return is_elementwise(instruction(n).op()) && rows_.members[n].part != RowFusion::Part::PerRow &&
           instruction(n).shape().dims == shape_.dims && !instruction(n).shape().packed();
  }

  // Chooses which values of the row are kept: those that several loops need and that are expensive.
  void choose_kept() {
    std::vector<int> cost(count());
    for (std::uint32_t n = 0; n < count(); ++n) {
      if (rows_.members[n].part == RowFusion::Part::PerRow) {
        continue;  // a scalar
      }
      cost[n] = cost_of(instruction(n).op());
      for (const std::uint32_t operand : instruction(n).operands()) {
        const std::uint32_t from = number_of(operand);
        cost[n] = std::min(cost[n] + (from < count() ? cost[from] : 0), 1000);
      }
    }
    // For each instruction the loops that need it, one bit each; loops that share a bit count as one.
    std::vector<std::uint64_t> loops(count());
    int next = 1;
    const auto new_loop = [&] { return std::uint64_t{1} << std::min(next++, 63); };
    for (const std::uint32_t root : rows_.roots) {
      loops[number_of(root)] |= 1;
    }
    kept_.assign(count(), -1);
    for (std::uint32_t n = count(); n-- > 0;) {
      std::uint64_t needed = loops[n];
      if (instruction(n).op() == BP_OP_REDUCE) {
        needed = new_loop();
      } else if (rows_.members[n].part == RowFusion::Part::PerRow) {
        needed = 0;
      } else if (std::popcount(needed) > 1 && is_in_row(n) && cost[n] > cost_of_keeping) {
        keep(n);
        needed = kept_[n] >= 0 ? new_loop() : needed;
      }
      for (const std::uint32_t operand : instruction(n).operands()) {
        if (const std::uint32_t from = number_of(operand); from < count()) {
          loops[from] |= needed;
        }
      }
    }
  }

  void keep(std::uint32_t n) {
    const std::int64_t bytes = (storage_bytes(instruction(n).shape().dtype) * rows_.length(module_) + 63) / 64 * 64;
    if (bytes <= max_scratch_bytes_ - scratch_bytes_) {
      kept_[n] = scratch_bytes_;
      scratch_bytes_ += bytes;
    }
  }

  void emit_row(std::span<const Index> row) {
    for (std::uint32_t n = 0; n < count(); ++n) {
      if (rows_.members[n].part == RowFusion::Part::PerRow) {
        if (team_ != nullptr && instruction(n).op() == BP_OP_REDUCE) {
          reduce_together(instruction(n), row);
          continue;
        }
        for (std::size_t i = 0; i < instruction(n).result_count(); ++i) {
          const std::uint32_t value = instruction(n).result(i);
          generator_.bind_element(value, generator_.element(value, place_in(n, row)));
        }
      } else if (kept_[n] >= 0) {
        emit_kept(n, row);
      }
    }
    std::vector<std::uint32_t> values;
    std::vector<std::size_t> results, of_rows;
    for (std::size_t i = 0; i < rows_.roots.size(); ++i) {
      if (rows_.members[number_of(rows_.roots[i])].part == RowFusion::Part::PerRow) {
        of_rows.push_back(i);
      } else {
        values.push_back(rows_.roots[i]);
        results.push_back(i);
      }
    }
    const auto store_row = [&] {
      along_row(values, row, [&](std::span<const Index> indices) {
        std::vector<Value *> elements;
        for (const std::uint32_t value : values) {
          elements.push_back(generator_.element(value, indices));
        }
        for (std::size_t i = 0; i < values.size(); ++i) {
          store(values[i], indices, site_.results[results[i]], elements[i]);
        }
      });
    };
    const auto store_of_rows = [&] {
      for (const std::size_t i : of_rows) {
        const std::uint32_t root = rows_.roots[i];
        const Indices place = place_in(number_of(root), row);
        store(root, place, site_.results[i], generator_.element(root, place));
      }
    };
    if (!values.empty()) {
      if_wanted(store_row);
      if (team_ != nullptr && !of_rows.empty() && !in_memory_of_its_own()) {
        team_->wait(k_.b);  // until no member reads what is overwritten next
      }
    }
    if (team_ == nullptr) {
      store_of_rows();
    } else if (!of_rows.empty()) {
      if_wanted([&] { k_.if_then(k_.b.CreateICmpEQ(team_->member(), k_.b.getInt64(0)), store_of_rows); });
    }
  }

  bool in_memory_of_its_own() const {
    return std::ranges::all_of(site_.in_place, [](int operand) { return operand < 0; });
  }

  void if_wanted(const std::function<void()> &body) {
    if (team_ != nullptr && team_->has_work() != nullptr) {
      k_.if_then(team_->has_work(), body);
    } else {
      body();
    }
  }

  // Returns the coordinates of the row's element in a PerRow value.
  Indices place_in(std::uint32_t n, std::span<const Index> row) {
    Indices place;
    for (const std::int64_t d : rows_.members[n].dimensions) {
      place.push_back(d < 0 ? k_.constant(0) : row[static_cast<std::size_t>(d)]);
    }
    return place;
  }

  void along_row(const std::vector<std::uint32_t> &values, std::span<const Index> row,
                 const std::function<void(std::span<const Index>)> &body) {
    const std::vector<LoopGroup> groups = generator_.groups(values, rows_.inner);
    const unsigned lanes = lanes_along_row(values, groups);
    if (team_ != nullptr) {
      over_items(groups, lanes, {}, [&](Value *item, std::span<Value *const>) {
        generator_.at_item(groups, shape_, lanes, Indices(row.begin(), row.end()), item, body);
        return std::vector<Value *>();
      });
      return;
    }
    generator_.nest(groups, shape_, lanes, Indices(row.begin(), row.end()), body);
  }

  // Returns the lanes along a row. The lanes of columns are in different columns instead.
  unsigned lanes_along_row(const std::vector<std::uint32_t> &values, std::span<const LoopGroup> groups) {
    return rows_.are_columns ? 1 : generator_.preferred_lanes(values, groups.back().size);
  }

  // Emits a loop in which the team's members take turns.
  std::vector<Value *> over_items(std::span<const LoopGroup> groups, unsigned lanes, std::vector<Value *> initial,
                                  const KernelBuilder::CarryingBody &body) {
    Value *size = k_.b.getInt64(static_cast<std::uint64_t>(team_->size()));
    return k_.dynamic_loop(team_->member(), k_.b.getInt64(static_cast<std::uint64_t>(generator_.items(groups, lanes))),
                           size, std::move(initial), body);
  }

  // Emits a loop in which each member has items that follow each other, so that functions in which the order counts may
  // combine them. A member begins with its first item.
  std::vector<Value *> in_order(std::span<const LoopGroup> groups,
                                const std::function<std::vector<Value *>(Value *)> &first_value,
                                const KernelBuilder::CarryingBody &body) {
    Value *items = k_.b.getInt64(static_cast<std::uint64_t>(generator_.items(groups, 1)));
    Value *size = k_.b.getInt64(static_cast<std::uint64_t>(team_->size())), *one = k_.b.getInt64(1);
    const auto begin_of = [&](Value *member) { return k_.b.CreateUDiv(k_.b.CreateMul(member, items), size); };
    Value *begin = begin_of(team_->member()), *end = begin_of(k_.b.CreateAdd(team_->member(), one));
    return k_.dynamic_loop(k_.b.CreateAdd(begin, one), end, one, first_value(begin), body);
  }

  std::vector<Value *> sum_in_blocks(std::span<const LoopGroup> groups, unsigned lanes, Value *zero,
                                     const KernelBuilder::CarryingBody &add_item) {
    const std::int64_t items = generator_.items(groups, lanes), of_block = sum_block * team_->size();
    if (items <= of_block) {
      return over_items(groups, lanes, {zero}, add_item);
    }
    Value *all = k_.b.getInt64(static_cast<std::uint64_t>(items));
    Value *step = k_.b.getInt64(static_cast<std::uint64_t>(of_block));
    Value *size = k_.b.getInt64(static_cast<std::uint64_t>(team_->size()));
    return k_.dynamic_loop(team_->member(), all, step, {zero}, [&](Value *first, std::span<Value *const> sums) {
      Value *end = k_.b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, k_.b.CreateAdd(first, step), all);
      const std::vector<Value *> block = k_.dynamic_loop(first, end, size, {zero}, add_item);
      return std::vector<Value *>{k_.b.CreateFAdd(sums[0], block[0])};
    });
  }

  // Each member reduces its items, then the results of all members are reduced. A simple sum of a row is kept in vector
  // lanes until then. Other computations have no neutral element, so each member starts with an element, of which a row
  // has at least one for each member; and the order of elements may count.
  void reduce_together(InstructionView reduction, std::span<const Index> row) {
    const std::size_t count = reduction.operand_count() / 2;
    const std::vector<std::uint32_t> values(reduction.operands().begin(), reduction.operands().begin() + count);
    const std::uint16_t op = op_of(reduction);
    const std::uint16_t dtype = reduction.shape().dtype, sum_type = accumulator_type(op, dtype);
    const auto combine = [&](std::span<Value *const> a, std::span<Value *const> b) -> std::vector<Value *> {
      if (op != 0) {
        return {emit_binary(k_.b, op, sum_type, a[0], b[0])};
      }
      std::vector<Value *> arguments(a.begin(), a.end());
      arguments.insert(arguments.end(), b.begin(), b.end());
      std::vector<Value *> results = generator_.call(reduction.called(0), arguments);
      for (Value *&result : results) {
        result = k_.splat(result);
      }
      return results;
    };
    std::vector<std::int64_t> inner = rows_.inner;
    if (op == 0) {
      std::ranges::sort(inner);  // not the order of memory, because that of the elements may count
    }
    const std::vector<LoopGroup> groups = generator_.groups(values, inner);
    const unsigned lanes = op == 0 ? 1 : lanes_along_row(values, groups);
    const auto elements_at = [&](Value *item) {
      std::vector<Value *> elements;
      generator_.at_item(groups, shape_, lanes, Indices(row.begin(), row.end()), item,
                         [&](std::span<const Index> indices) {
                           for (const std::uint32_t value : values) {
                             elements.push_back(k_.splat(generator_.element(value, indices)));
                           }
                         });
      return elements;
    };
    const auto add_item = [&](Value *item, std::span<Value *const> sums) { return combine(sums, elements_at(item)); };
    std::vector<Value *> partial;
    if (op == 0) {
      partial = in_order(groups, elements_at, add_item);
    } else {
      Value *start = reduction_start(k_.b.getContext(), op, sum_type, std::max(lanes, k_.lanes()));
      const bool in_blocks = op == BP_OP_ADD && is_float(sum_type);
      partial =
          in_blocks ? sum_in_blocks(groups, lanes, start, add_item) : over_items(groups, lanes, {start}, add_item);
    }
    if (lanes > 1) {
      partial = {across_lanes(k_.b, partial[0], [&](Value *a, Value *b) { return combine({&a, 1}, {&b, 1})[0]; })};
    }
    Value *memory = scratch_;
    if (reduction_bytes_ > 0) {
      const auto half = static_cast<std::uint64_t>(uses_second_half_ ? reduction_bytes_ : 0);
      memory = k_.b.CreateConstInBoundsGEP1_64(k_.b.getInt8Ty(), scratch_, half);
      uses_second_half_ = !uses_second_half_;
    }
    partial = combine_members(k_.b, *team_, std::move(partial), memory, combine);
    std::vector<Value *> initial;
    for (std::size_t i = 0; i < count; ++i) {
      initial.push_back(k_.splat(generator_.element(reduction.operand(count + i), {})));
    }
    partial = combine(initial, partial);
    for (std::size_t i = 0; i < count; ++i) {
      generator_.bind_element(reduction.result(i), op == 0 ? partial[i] : round_to_type(k_.b, partial[i], dtype));
    }
  }

  // Two areas are used in turn: the wait of a reduction comes after all reads of the previous one.
  void find_reduction_memory(unsigned lanes) {
    std::int64_t max_shown = 0;
    for (const InstructionView reduction : reductions_of(module_, rows_)) {
      max_shown = std::max(max_shown, sum_bytes(reduction, lanes).shown);
    }
    reduction_bytes_ = reduction_bytes(*team_, max_shown);
    scratch_bytes_ = (2 * reduction_bytes_ + 63) / 64 * 64;
  }

  void emit_kept(std::uint32_t n, std::span<const Index> row) {
    const std::uint32_t value = instruction(n).result();
    Value *buffer = k_.b.CreateConstInBoundsGEP1_64(k_.b.getInt8Ty(), scratch_, static_cast<std::uint64_t>(kept_[n]));
    std::vector<std::int64_t> strides(shape_.rank(), 0);
    std::int64_t stride = 1;
    for (auto d = rows_.inner.rbegin(); d != rows_.inner.rend(); ++d) {
      strides[static_cast<std::size_t>(*d)] = stride;
      stride *= shape_.dims[static_cast<std::size_t>(*d)];
    }
    along_row({value}, row, [&](std::span<const Index> indices) {
      Value *element = generator_.element(value, indices);
      k_.store(buffer, k_.linear(indices, shape_.dims, strides), element, instruction(n).shape().dtype);
    });
    if (team_ != nullptr) {
      team_->wait(k_.b);
    }
    generator_.bind_row(value, buffer, strides);
  }

  void store(std::uint32_t value, std::span<const Index> indices, Value *pointer, Value *element) {
    const Shape &shape = module_.shape_of(value);
    const std::vector<std::int64_t> &strides = strides_.empty() ? shape.strides : strides_;
    k_.store(pointer, k_.linear(indices, shape.dims, strides), element, shape.dtype);
  }

  Generator &generator_;
  KernelBuilder &k_;
  const KernelSite &site_;
  const ModuleView &module_;
  const RowFusion &rows_;
  const Shape &shape_;
  Team *team_;
  Value *scratch_;
  std::int64_t max_scratch_bytes_, scratch_bytes_ = 0;
  std::vector<std::int64_t> kept_;     // by instruction: offset in scratch, or -1
  std::vector<std::int64_t> strides_;  // of the results; empty: those of their layouts
  std::int64_t reduction_bytes_ = 0;   // bytes of each of the two areas for combine_members, at the start of scratch
  bool uses_second_half_ = false;
};

}  // namespace

ColumnWork column_work(llvm::LLVMContext &context, InstructionView instruction, const RowFusion &columns,
                       const VectorTarget &target) {
  const ModuleView &module = instruction.module();
  const std::unique_ptr<llvm::BasicBlock> nothing(llvm::BasicBlock::Create(context));
  KernelBuilder builder(nothing.get());
  Generator generator(module, builder, target);
  for (const std::uint32_t operand : instruction.operands()) {
    if (module.definition(operand).op() != BP_OP_CONSTANT || module.shape_of(operand).elements > 1) {
      generator.bind(operand, nullptr);  // as in a kernel
    }
  }
  if (instruction.op() == BP_OP_FUSION) {
    generator.bind_parameters(instruction.called(0), instruction.operands());
  }
  const auto [groups, lanes] = items_of(generator, module, columns);
  ColumnWork work = {.items = generator.items(groups, lanes),
                     .length = columns.length(module),
                     .row_bytes = lanes * storage_bytes(module.shape_of(columns.rows_of).dtype)};
  for (const InstructionView reduction : reductions_of(module, columns)) {
    const SumBytes bytes = sum_bytes(reduction, lanes);
    work.sum_bits += 8 * bytes.all;
    work.shown_bytes = std::max(work.shown_bytes, 2 * bytes.shown);
  }
  return work;
}

std::int64_t emit_row_range(Generator &generator, KernelBuilder &builder, const KernelSite &site,
                            const VectorTarget &target, const RowFusion &rows, const RowRange &range) {
  return RowKernel(generator, builder, site, target, rows, nullptr).emit_range(range);
}

KernelWork emit_rows(Generator &generator, KernelBuilder &builder, const KernelSite &site, const VectorTarget &target,
                     const RowFusion &rows, Team *team) {
  if (site.instruction.op() == BP_OP_FUSION) {
    generator.bind_parameters(site.instruction.called(0), site.instruction.operands());
  }
  return RowKernel(generator, builder, site, target, rows, team).emit();
}

}  // namespace bp::emit
