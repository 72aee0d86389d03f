#include "core/import/onnx/loop_body.h"

#include <limits>

namespace bp::import::onnx {
namespace {

Arrays part_of(const Arrays &arrays, std::size_t begin, std::size_t count) {
  const auto first = arrays.begin() + static_cast<std::ptrdiff_t>(begin);
  return {first, first + static_cast<std::ptrdiff_t>(count)};
}

}  // namespace

bool keeps_shapes(const Node &node, const LoopBody &body, const Arrays &carried, std::size_t first) {
  for (std::size_t i = 0; i < carried.size(); ++i) {
    const Shape &next = body.outputs[first + i];
    if (!ir::same(next, carried[i].shape(), ir::CompareLayout::No)) {
      node.unsupported(fmt::format("value {} of the loop is {} after an iteration that began with {}", i,
                                   ir::to_string(next), ir::to_string(carried[i].shape())));
      return false;
    }
  }
  return true;
}

LoopBody lower_body(const Node &node, const Graph &graph, std::span<const Shape> inputs) {
  LoopBody body;
  const Graph *const graphs[] = {&graph};
  body.captures = node.lowering().captures(node, graphs, InnerSizes::Known);
  std::vector<Shape> parameters(inputs.begin(), inputs.end());
  for (const Array &capture : body.captures) {
    parameters.push_back(capture.shape());
  }
  const ir::ComputationId computation =
      node.builder().computation("iteration", parameters, [&](GraphBuilder &builder, const Arrays &arguments) {
        const Values values(arguments.begin(), arguments.begin() + static_cast<std::ptrdiff_t>(inputs.size()));
        const Arrays captured = part_of(arguments, inputs.size(), body.captures.size());
        Arrays outputs;
        for (const Value &value :
             node.lowering().embedded(node, graph, values, builder, body.captures, captured, InnerSizes::Known)) {
          if (!builder.has_failed() && !value.is_array()) {
            node.unsupported("a value of the loop is no array, expected arrays unless all iterations are known");
          }
          outputs.push_back(value.array());
          body.outputs.push_back(value.array().shape());
        }
        if (!outputs.empty() && inputs.size() > 1) {
          const auto known = outputs[0].integers();
          body.condition = known && known->size() == 1 ? std::optional((*known)[0] != 0) : std::nullopt;
          body.is_same_condition = outputs[0].id() == arguments[1].id();
        }
        return builder.tuple(outputs);
      });
  if (!node.builder().has_failed()) {
    body.computation = computation;
  }
  return body;
}

Arrays LoopBody::call(GraphBuilder &builder, const Arrays &inputs, const Arrays &captured) const {
  Arrays operands = inputs;
  operands.insert(operands.end(), captured.begin(), captured.end());
  const Array result = builder.add(Opcode::Call, operands, {}, std::span(&computation, 1));
  Arrays results;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    results.push_back(builder.element(result, static_cast<std::int64_t>(i)));
  }
  return results;
}

Array scan_buffer(GraphBuilder &builder, const Shape &slice, std::int64_t count, std::int64_t dimension) {
  Integers sizes(slice.sizes().begin(), slice.sizes().end());
  sizes.insert(sizes.begin() + dimension, count);
  return builder.filled(slice.element_type(), sizes, 0);
}

Array with_slice(const Array &x, const Array &slice, const Array &index, std::int64_t dimension) {
  if (!x.is_valid() || !index.is_valid()) {
    return x.is_valid() ? index : x;
  }
  Arrays starts(x.rank(), number(0, index));
  starts[static_cast<std::size_t>(dimension)] = index;
  return dynamic_update_slice(x, expand_dimension(slice, dimension), starts);
}

Array slice_at(const Array &x, const Array &index, std::int64_t dimension) {
  if (!x.is_valid() || !index.is_valid()) {
    return x.is_valid() ? index : x;
  }
  Arrays starts(x.rank(), number(0, index));
  starts[static_cast<std::size_t>(dimension)] = index;
  Integers sizes = x.sizes();
  sizes[static_cast<std::size_t>(dimension)] = 1;
  return squeeze(dynamic_slice(x, starts, sizes), Integers{dimension});
}

Arrays repeat(const Node &node, const LoopBody &body, std::int64_t count, const Arrays &carried,
              const Arrays &invariants, const std::vector<ScanOutput> &scan_outputs, const BodyInputs &inputs) {
  GraphBuilder &builder = node.builder();
  if (count > std::numeric_limits<std::int32_t>::max()) {
    node.unsupported(fmt::format("the loop has {} iterations, expected less than 2^31", count));
  }
  if (builder.has_failed() || !keeps_shapes(node, body, carried, 0)) {
    return {};
  }
  const std::size_t scans = scan_outputs.size();
  Arrays state = carried;
  for (std::size_t i = 0; i < scans; ++i) {
    state.push_back(scan_buffer(builder, body.outputs[carried.size() + i], count, scan_outputs[i].dimension));
  }
  const std::size_t kept = state.size();
  if (count <= 0) {
    return state;
  }
  state.insert(state.end(), invariants.begin(), invariants.end());
  state.insert(state.end(), body.captures.begin(), body.captures.end());
  Arrays last = builder.loop(count, state, [&](GraphBuilder &b, const Array &iteration, Arrays now) {
    const Arrays captured = part_of(now, kept + invariants.size(), body.captures.size());
    const Arrays arguments =
        inputs(b, iteration, part_of(now, 0, carried.size()), part_of(now, kept, invariants.size()));
    const Arrays outputs = body.call(b, arguments, captured);
    std::copy(outputs.begin(), outputs.begin() + static_cast<std::ptrdiff_t>(carried.size()), now.begin());
    for (std::size_t i = 0; i < scans; ++i) {
      const Array index = scan_outputs[i].is_reversed ? static_cast<double>(count - 1) - iteration : iteration;
      Array &buffer = now[carried.size() + i];
      buffer = with_slice(buffer, outputs[carried.size() + i], index, scan_outputs[i].dimension);
    }
    return now;
  });
  last.resize(kept);
  return builder.has_failed() ? Arrays() : last;
}

}  // namespace bp::import::onnx
