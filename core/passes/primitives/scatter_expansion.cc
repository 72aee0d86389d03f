// Rewrites scatter as a loop over its windows: each is a dynamic slice of every operand, which is combined with its row
// of the updates and written back. Windows that are not entirely inside are skipped. The elements of a window are
// distinct, so that a window can be combined at once.
#include "core/passes/array_builder.h"
#include "core/passes/expand.h"
#include "core/passes/index_vectors.h"
#include "core/passes/rewrite.h"

namespace bp::passes {
namespace {

using Id = ir::InstructionId;

class ScatterExpansion {
 public:
  ScatterExpansion(ir::Module &module, ir::Instruction scatter)
      : b_(module, scatter),
        scatter_(scatter),
        operands_(scatter.operands().begin(), scatter.operands().end()),
        count_(operands_.size() / 2),
        windows_(scatter_windows(scatter)) {}

  bool fits() const {
    for (std::size_t d = 0; d < windows_.sizes.size(); ++d) {
      if (windows_.sizes[d] > windows_.operand_sizes[d]) {
        return false;
      }
    }
    return true;
  }

  // Returns no instruction if the function consists of more than elementwise ops.
  Id run() {
    const WindowStarts starts =
        window_starts(b_, operands_[count_], windows_.operand_sizes, windows_.sizes, windows_.map());
    std::vector<std::int64_t> rows = windows_.row;
    rows.insert(rows.begin(), starts.count);
    std::vector<Id> values(operands_.begin(), operands_.begin() + static_cast<std::ptrdiff_t>(count_));
    for (std::size_t i = 0; i < count_; ++i) {
      values.push_back(b_.ir::Builder::reshape(b_.transpose(operands_[count_ + 1 + i], windows_.update_order), rows));
    }
    values.push_back(starts_of(b_, starts));
    values.push_back(starts.is_in_bounds);
    const std::vector<Id> results =
        b_.loop(starts.count, values, [&](ArrayBuilder &body, Id iteration, std::vector<Id> state) {
          return combine_window(body, iteration, std::move(state));
        });
    return count_ == 1 ? results[0] : b_.tuple(std::span(results.data(), count_));
  }

 private:
  std::vector<Id> combine_window(ArrayBuilder &body, Id iteration, std::vector<Id> state) const {
    const std::vector<Id> start = body.row_of_starts(state[2 * count_], iteration);
    const Id is_inside = body.reshape(body.dynamic_slice(state[2 * count_ + 1], 0, iteration, 1), {});
    std::vector<Id> arguments;
    for (std::size_t i = 0; i < count_; ++i) {
      arguments.push_back(body.dynamic_slice(state[i], start, windows_.sizes));
    }
    const std::vector<Id> before = arguments;
    for (std::size_t i = 0; i < count_; ++i) {
      arguments.push_back(
          body.ir::Builder::reshape(body.dynamic_slice(state[count_ + i], 0, iteration, 1), windows_.sizes));
    }
    const std::vector<Id> after = body.apply_to_arrays(scatter_.called(0), arguments, windows_.sizes);
    for (std::size_t i = 0; i < count_; ++i) {
      const Id kept = body.select({body.broadcast_scalar(is_inside, before[i]), after[i], before[i]});
      state[i] = body.dynamic_update_slice(state[i], kept, start);
    }
    return state;
  }

  ArrayBuilder b_;
  ir::Instruction scatter_;
  std::vector<Id> operands_;
  std::size_t count_;
  const ScatterWindows windows_;
};

}  // namespace

Result<bool> scatter_expansion(ir::Module &module, const PassContext &context) {
  return expand_outside_functions(module, context, [&](ir::Instruction i) -> Result<Id> {
    if (i.opcode() != ir::Opcode::Scatter || !applies_to_arrays(i.called(0)) ||
        i.operand(0).shape().element_count() == 0 || i.operand(i.operand_count() - 1).shape().element_count() == 0) {
      return i.id();
    }
    for (std::size_t n = 0; n < i.operand_count(); ++n) {
      if (!is_plain(i.operand(n).shape())) {
        return i.id();
      }
    }
    ScatterExpansion expansion(module, i);
    return expansion.fits() ? expansion.run() : i.id();
  });
}

}  // namespace bp::passes
