// The kernel of a row fusion (row_fusion.h): a loop over rows. In each row the instructions come in their order:
// a reduction is a loop over the row, what follows from reductions alone is one scalar, and the results are one more
// loop over the row. Values in the row are computed again by every loop that needs them, unless that costs more than
// keeping a row of them in scratch.
#include <algorithm>
#include <bit>

#include "plugins/llvm/element_type.h"
#include "plugins/llvm/elementwise.h"
#include "plugins/llvm/kernel.h"
#include "plugins/llvm/row_fusion.h"

namespace bp::emit {
namespace {

using llvm::Value;

// Rows of values in scratch stay in a second-level cache.
constexpr std::int64_t most_scratch_bytes = 512 * 1024;
// Cycles for a vector of elements, roughly; computing again for less than this beats a store and a load.
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

class RowKernel {
 public:
  RowKernel(Generator &generator, KernelBuilder &builder, const KernelSite &site, const RowFusion &rows)
      : generator_(generator),
        k_(builder),
        site_(site),
        module_(site.instruction.module()),
        computation_(site.instruction.called(0)),
        rows_(rows),
        shape_(module_.shape_of(rows_.rows_of)) {}

  KernelWork emit() {
    choose_kept();
    const std::vector<LoopGroup> groups = generator_.groups({&rows_.rows_of, 1}, rows_.outer);
    const Generator::Range range{site_.begin, site_.end};
    generator_.nest(
        groups, shape_, 1, Indices(shape_.rank(), k_.constant(0)), [&](std::span<const Index> row) { emit_row(row); },
        &range);
    return {.scratch_bytes = scratch_bytes_, .items = generator_.items(groups, 1)};
  }

 private:
  InstructionView instruction(std::uint32_t n) const {
    return module_.instruction(computation_.first_instruction() + n);
  }
  std::uint32_t number_of(std::uint32_t value) const {
    return module_.definition(value).id() - computation_.first_instruction();
  }
  bool is_in_row(std::uint32_t n) const {
    return is_elementwise(instruction(n).op()) && rows_.members[n].part != RowFusion::Part::PerRow &&
           instruction(n).shape().dims == shape_.dims && !instruction(n).shape().packed();
  }

  // Decides which values of the row are kept: those that several loops need and that cost something.
  void choose_kept() {
    const std::uint32_t count = computation_.instruction_count();
    std::vector<int> cost(count);
    for (std::uint32_t n = 0; n < count; ++n) {
      if (rows_.members[n].part == RowFusion::Part::PerRow) {
        continue;  // a scalar
      }
      cost[n] = cost_of(instruction(n).op());
      for (const std::uint32_t operand : instruction(n).operands()) {
        cost[n] = std::min(cost[n] + cost[number_of(operand)], 1000);
      }
    }
    // By instruction: the loops that need it, a bit for each; those that share a bit count as one.
    std::vector<std::uint64_t> loops(count);
    int next = 1;
    const auto new_loop = [&] { return std::uint64_t{1} << std::min(next++, 63); };
    for (const std::uint32_t root : computation_.roots()) {
      loops[number_of(root)] |= 1;
    }
    kept_.assign(count, -1);
    for (std::uint32_t n = count; n-- > 0;) {
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
        loops[number_of(operand)] |= needed;
      }
    }
  }

  void keep(std::uint32_t n) {
    std::int64_t bytes = storage_bytes(instruction(n).shape().dtype);
    for (const std::int64_t d : rows_.inner) {
      bytes *= shape_.dims[static_cast<std::size_t>(d)];
    }
    bytes = (bytes + 63) / 64 * 64;
    if (bytes <= most_scratch_bytes - scratch_bytes_) {
      kept_[n] = scratch_bytes_;
      scratch_bytes_ += bytes;
    }
  }

  void emit_row(std::span<const Index> row) {
    for (std::uint32_t n = 0; n < computation_.instruction_count(); ++n) {
      if (rows_.members[n].part == RowFusion::Part::PerRow) {
        for (std::size_t i = 0; i < instruction(n).result_count(); ++i) {
          const std::uint32_t value = instruction(n).result(i);
          generator_.bind_element(value, generator_.element(value, place_in(n, row)));
        }
      } else if (kept_[n] >= 0) {
        emit_kept(n, row);
      }
    }
    std::vector<std::uint32_t> values;
    std::vector<std::size_t> results;
    for (std::size_t i = 0; i < computation_.roots().size(); ++i) {
      const std::uint32_t root = computation_.roots()[i], n = number_of(root);
      if (rows_.members[n].part == RowFusion::Part::PerRow) {
        store(root, place_in(n, row), site_.results[i], generator_.element(root, place_in(n, row)));
      } else {
        values.push_back(root);
        results.push_back(i);
      }
    }
    if (values.empty()) {
      return;
    }
    along_row(values, row, [&](std::span<const Index> indices) {
      std::vector<Value *> elements;
      for (const std::uint32_t value : values) {
        elements.push_back(generator_.element(value, indices));
      }
      for (std::size_t i = 0; i < values.size(); ++i) {
        store(values[i], indices, site_.results[results[i]], elements[i]);
      }
    });
  }

  // Where in a PerRow value the element of the row is.
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
    generator_.nest(groups, shape_, generator_.preferred_lanes(values, groups.back().size),
                    Indices(row.begin(), row.end()), body);
  }

  void emit_kept(std::uint32_t n, std::span<const Index> row) {
    const std::uint32_t value = instruction(n).result();
    Value *buffer =
        k_.b.CreateConstInBoundsGEP1_64(k_.b.getInt8Ty(), site_.scratch, static_cast<std::uint64_t>(kept_[n]));
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
    generator_.bind_row(value, buffer, strides);
  }

  void store(std::uint32_t value, std::span<const Index> indices, Value *pointer, Value *element) {
    const Shape &shape = module_.shape_of(value);
    k_.store(pointer, k_.linear(indices, shape.dims, shape.strides), element, shape.dtype);
  }

  Generator &generator_;
  KernelBuilder &k_;
  const KernelSite &site_;
  const ModuleView &module_;
  ComputationView computation_;
  const RowFusion &rows_;
  const Shape &shape_;
  std::vector<std::int64_t> kept_;  // by instruction: offset in scratch, or -1
  std::int64_t scratch_bytes_ = 0;
};

}  // namespace

KernelWork emit_rows(Generator &generator, KernelBuilder &builder, const KernelSite &site, const RowFusion &rows) {
  generator.bind_parameters(site.instruction.called(0), site.instruction.operands());
  return RowKernel(generator, builder, site, rows).emit();
}

}  // namespace bp::emit
