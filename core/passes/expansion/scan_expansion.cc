// Rewrites scan as a loop whose body contains the scan's computation: each iteration takes slices of the inputs, and
// writes the results into slices of the outputs.
#include <algorithm>

#include "core/passes/array_builder.h"
#include "core/passes/expand.h"
#include "core/passes/pass.h"
#include "core/passes/rewrite.h"

namespace bp::passes {

using ir::AttributeKey;
using ir::InstructionId;

Result<bool> scan_expansion(ir::Module &module, const PassContext &context) {
  return expand_all(module, context, [&](ir::Instruction scan) -> Result<InstructionId> {
    if (scan.opcode() != ir::Opcode::Scan) {
      return scan.id();
    }
    const auto dimension = static_cast<std::size_t>(scan.dimensions()[0]);
    const auto carries = static_cast<std::size_t>(scan.number(AttributeKey::NumCarries));
    const bool reversed = scan.number(AttributeKey::IsReverse) != 0, is_tuple = scan.shape().is_tuple();
    const std::size_t inputs = scan.operand_count() - carries;
    std::vector<ir::Shape> results{scan.shape()};
    if (is_tuple) {
      results.assign(scan.shape().elements().begin(), scan.shape().elements().end());
    }
    const std::size_t outputs = results.size() - carries;
    const std::int64_t length = scan.operand(0).shape().size(dimension);
    const ir::Computation step = scan.called(0);

    // Inputs, carries and outputs.
    ArrayBuilder b(module, scan);
    std::vector<InstructionId> values(scan.operands().begin(), scan.operands().end());
    for (std::size_t i = 0; i < outputs; ++i) {
      values.push_back(b.zeros(results[i]));
    }
    const auto one_step = [&](ArrayBuilder &body, InstructionId iteration, std::vector<InstructionId> now) {
      InstructionId place = iteration;
      if (reversed) {
        place = body.difference({body.constant(ir::ElementType::S32, static_cast<double>(length - 1)), iteration});
      }
      std::vector<InstructionId> arguments(now.begin(), now.begin() + static_cast<std::ptrdiff_t>(inputs + carries));
      for (std::size_t i = 0; i < inputs; ++i) {
        std::vector<std::int64_t> sizes(step.parameter(i).shape().sizes().begin(),
                                        step.parameter(i).shape().sizes().end());
        arguments[i] = body.reshape(body.dynamic_slice(now[i], dimension, place, 1), sizes);
      }
      InstructionId returned = copy_body(module, step.id(), body.computation(), arguments);
      const auto part = [&](std::size_t i) {
        return body.shape(returned).is_tuple() ? body.get_tuple_element(returned, static_cast<std::int64_t>(i))
                                               : returned;
      };
      for (std::size_t i = 0; i < outputs; ++i) {
        std::vector<std::int64_t> sizes(results[i].sizes().begin(), results[i].sizes().end());
        sizes[dimension] = 1;
        InstructionId &output = now[inputs + carries + i];
        output = body.dynamic_update_slice(output, body.reshape(part(i), sizes), dimension, place);
      }
      for (std::size_t i = 0; i < carries; ++i) {
        now[inputs + i] = part(outputs + i);
      }
      return now;
    };
    if (length > 0) {
      values = b.loop(length, values, one_step);
    }
    std::rotate(values.begin() + static_cast<std::ptrdiff_t>(inputs),
                values.begin() + static_cast<std::ptrdiff_t>(inputs + carries), values.end());
    values.erase(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(inputs));
    return is_tuple ? b.tuple(values) : values[0];
  });
}

}  // namespace bp::passes
