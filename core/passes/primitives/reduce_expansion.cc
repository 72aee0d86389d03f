// Rewrites a reduce whose function the device does not run as a function of whole arrays: neighbours are combined until
// one element is left, which is combined with the initial value. The order of elements does not change, so the function
// need not be commutative.
#include <algorithm>

#include "core/passes/array_builder.h"
#include "core/passes/expand.h"
#include "core/passes/index_vectors.h"
#include "core/passes/rewrite.h"

namespace bp::passes {
namespace {

using Id = ir::InstructionId;
using Ids = std::vector<Id>;

// Reduces arrays [kept, reduced] to [kept, 1].
Ids combined(ArrayBuilder &b, Ids values, ir::Computation function) {
  for (std::int64_t size = b.shape(values[0]).size(1); size > 1; size = (size + 1) / 2) {
    const std::int64_t even = size / 2 * 2;
    Ids arguments;
    for (Id x : values) {
      arguments.push_back(b.slice(x, 1, 0, even - 1, 2));
    }
    for (Id x : values) {
      arguments.push_back(b.slice(x, 1, 1, even, 2));
    }
    const ir::Shape half = b.shape(arguments[0]);
    const Ids pairs = b.apply_to_arrays(function, arguments, half.sizes());
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = even == size ? pairs[i] : b.concatenate({pairs[i], b.slice(values[i], 1, even, size)}, 1);
    }
  }
  return values;
}

Id expand_reduce(ArrayBuilder &b, ir::Instruction reduce) {
  const Ids operands(reduce.operands().begin(), reduce.operands().end());
  const std::size_t count = operands.size() / 2;
  const std::vector<std::int64_t> reduced(reduce.dimensions().begin(), reduce.dimensions().end());
  const ir::Shape input = b.shape(operands[0]);
  std::vector<std::int64_t> order = dimensions_except(input.rank(), reduced);
  const std::vector<std::int64_t> result = sizes_of(input.sizes(), order);
  std::vector<std::int64_t> last = reduced;
  std::ranges::sort(last);
  order.insert(order.end(), last.begin(), last.end());
  Ids values;
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t kept = ir::product(result), rest = input.element_count() / kept;
    values.push_back(b.reshape(b.transpose(operands[i], order), {kept, rest}));
  }
  values = combined(b, values, reduce.called(0));
  Ids arguments;
  for (std::size_t i = 0; i < count; ++i) {
    arguments.push_back(b.broadcast(operands[count + i], ir::Shape::array(b.type(values[i]), result)));
  }
  for (Id x : values) {
    arguments.push_back(b.ir::Builder::reshape(x, result));
  }
  const Ids results = b.apply_to_arrays(reduce.called(0), arguments, result);
  return reduce.shape().is_tuple() ? b.tuple(results) : results[0];
}

// Whether the elements have the types of the results.
bool is_of_its_results(ir::Instruction reduce) {
  const std::size_t count = reduce.operand_count() / 2;
  for (std::size_t i = 0; i < count; ++i) {
    const ir::Shape &result = reduce.shape().is_tuple() ? reduce.shape().elements()[i] : reduce.shape();
    if (reduce.operand(i).shape().element_type() != result.element_type() ||
        reduce.operand(count + i).shape().element_type() != result.element_type()) {
      return false;
    }
  }
  return true;
}

}  // namespace

Result<bool> reduce_expansion(ir::Module &module, const PassContext &context) {
  return expand_outside_functions(module, context, [&](ir::Instruction i) -> Result<Id> {
    if (i.opcode() != ir::Opcode::Reduce || !applies_to_arrays(i.called(0)) ||
        i.operand(0).shape().element_count() == 0 || !is_of_its_results(i) ||
        !std::ranges::all_of(i.operands(), [&](Id id) { return is_plain(module.instruction(id).shape()); })) {
      return i.id();
    }
    ArrayBuilder b(module, i);
    return expand_reduce(b, i);
  });
}

}  // namespace bp::passes
