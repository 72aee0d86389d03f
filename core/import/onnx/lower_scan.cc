// Scan: a graph that is run for each slice of arrays.
#include "core/import/onnx/loop_body.h"
#include "core/import/onnx/lower.h"

namespace bp::import::onnx {
namespace {

// The values of a Scan node, and where the slices are.
struct ScanNode {
  const Graph *graph = nullptr;
  Arrays states = {}, inputs = {};
  std::vector<ScanOutput> input_slices = {}, output_slices = {};
  std::int64_t length = 0;  // number of slices
};

// `first`: the number of the input that is the first state.
std::optional<ScanNode> read_scan(const Node &node, std::size_t first) {
  ScanNode scan = {.graph = node.graph("body")};
  const std::int64_t count = node.integer("num_scan_inputs");
  const std::size_t operands = node.input_count() < first ? 0 : node.input_count() - first;
  if (node.builder().has_failed()) {
    return {};
  }
  if (count < 1 || static_cast<std::size_t>(count) > operands || scan.graph->inputs.size() != operands ||
      scan.graph->outputs.size() < operands - static_cast<std::size_t>(count)) {
    node.fail("num_scan_inputs is {} of {} operands, and the body has {} inputs and {} outputs", count, operands,
              scan.graph->inputs.size(), scan.graph->outputs.size());
    return {};
  }
  const std::size_t states = operands - static_cast<std::size_t>(count);
  for (std::size_t i = 0; i < operands; ++i) {
    (i < states ? scan.states : scan.inputs).push_back(node.input(first + i));
  }
  scan.input_slices.resize(scan.inputs.size());
  scan.output_slices.resize(scan.graph->outputs.size() - states);
  return node.builder().has_failed() ? std::nullopt : std::optional(std::move(scan));
}

// Reads an attribute of one number per value; zeros if it is absent.
Integers scan_numbers(const Node &node, std::string_view name, std::size_t count) {
  Integers numbers = node.integers(name, Integers(count, 0));
  if (numbers.size() != count) {
    node.fail("{} has {} numbers, expected {}", name, numbers.size(), count);
    numbers.assign(count, 0);
  }
  return numbers;
}

void read_directions(const Node &node, std::string_view name, std::vector<ScanOutput> &slices) {
  const Integers numbers = scan_numbers(node, name, slices.size());
  for (std::size_t i = 0; i < slices.size(); ++i) {
    slices[i].is_reversed = numbers[i] != 0;
  }
}

// Checks that all inputs have the same number of slices.
void read_length(const Node &node, ScanNode &scan) {
  for (std::size_t i = 0; i < scan.inputs.size(); ++i) {
    const std::int64_t length = scan.inputs[i].size(scan.input_slices[i].dimension);
    if (i > 0 && length != scan.length) {
      node.fail("an input has {} slices, expected {} as another one", length, scan.length);
    }
    scan.length = length;
  }
}

// Returns the shapes of the body's inputs: the states, then slices, whose dimensions `dropped` are missing.
std::vector<Shape> scan_shapes(const ScanNode &scan, std::size_t dropped_of_states, std::size_t dropped_of_inputs) {
  std::vector<Shape> shapes;
  for (const Array &state : scan.states) {
    shapes.push_back(Shape::array(state.type(), state.shape().sizes().subspan(dropped_of_states)));
  }
  for (std::size_t i = 0; i < scan.inputs.size(); ++i) {
    Integers sizes = scan.inputs[i].sizes();
    const auto begin = sizes.begin() + (dropped_of_inputs == 1 ? scan.input_slices[i].dimension : 0);
    sizes.erase(begin, begin + static_cast<std::ptrdiff_t>(dropped_of_inputs));
    shapes.push_back(Shape::array(scan.inputs[i].type(), sizes));
  }
  return shapes;
}

Values as_values(const Arrays &arrays) {
  return {arrays.begin(), arrays.end()};
}

// --- Version 8, which has a batch ---

// One sample after the other: iteration i is slice i % length of the sample i / length. The loop carries the states of
// the sample and those that all samples end with.
struct BatchScan {
  const ScanNode &scan;
  const LoopBody &body;
  std::int64_t batch = 0;

  // The state of the loop: current states, last states of all samples, outputs, first states, inputs, lengths or
  // nothing, captures.
  Arrays step(GraphBuilder &builder, const Array &iteration, Arrays now, bool has_lengths) const;
};

Arrays BatchScan::step(GraphBuilder &builder, const Array &iteration, Arrays now, bool has_lengths) const {
  const std::size_t states = scan.states.size(), outputs = scan.output_slices.size();
  const std::size_t firsts = 2 * states + outputs, inputs = firsts + states, lengths = inputs + scan.inputs.size();
  const auto length = static_cast<double>(scan.length);
  const Array sample = iteration / length, index = remainder(iteration, number(length, iteration));
  const Array end = has_lengths ? slice_at(convert(now[lengths], ElementType::S32), sample, 0) : Array();
  Arrays arguments;
  for (std::size_t i = 0; i < states; ++i) {
    arguments.push_back(select(index == 0, slice_at(now[firsts + i], sample, 0), now[i]));
  }
  for (std::size_t i = 0; i < scan.inputs.size(); ++i) {
    const Array last = (has_lengths ? end : number(length, index)) - 1;
    const Array place = scan.input_slices[i].is_reversed ? maximum(last - index, 0) : index;
    arguments.push_back(slice_at(slice_at(now[inputs + i], sample, 0), place, 0));
  }
  const auto captures = now.begin() + static_cast<std::ptrdiff_t>(lengths + (has_lengths ? 1 : 0));
  Arrays results = body.call(builder, arguments, Arrays(captures, now.end()));
  for (std::size_t i = 0; i < states; ++i) {
    now[i] = has_lengths ? select(index < end, results[i], arguments[i]) : results[i];
    now[states + i] = with_slice(now[states + i], now[i], sample, 0);
  }
  for (std::size_t i = 0; i < outputs; ++i) {
    Array slice = results[states + i];
    if (has_lengths) {
      slice = select(index < end, slice, 0);
    }
    Array &buffer = now[2 * states + i];
    buffer = with_slice(buffer, with_slice(slice_at(buffer, sample, 0), slice, index, 0), sample, 0);
  }
  return now;
}

// Checks the sizes that all samples share.
bool check_batch(const Node &node, const ScanNode &scan, std::int64_t batch) {
  for (const Array &state : scan.states) {
    if (state.rank() < 1 || state.size(0) != batch) {
      node.fail("a state is {}, expected {} samples", ir::to_string(state.shape()), batch);
    }
  }
  for (const Array &input : scan.inputs) {
    if (input.rank() < 2 || input.size(0) != batch) {
      node.fail("an input is {}, expected {} samples of slices", ir::to_string(input.shape()), batch);
    }
  }
  if (node.has_input(0) && node.input(0).sizes() != Integers{batch}) {
    node.fail("sequence_lens is {}, expected {} elements", ir::to_string(node.input(0).shape()), batch);
  }
  if (scan.length > 0 && batch > (std::int64_t{1} << 30) / scan.length) {
    node.unsupported("there are too many iterations");
  }
  return !node.builder().has_failed();
}

}  // namespace

// Version 8 has a batch, whose samples may have different lengths.
Values lower_batch_scan(const Node &node) {
  auto scan = read_scan(node, 1);
  if (!scan) {
    return {};
  }
  for (ScanOutput &slices : scan->input_slices) {
    slices.dimension = 1;
  }
  read_directions(node, "directions", scan->input_slices);
  read_length(node, *scan);
  const std::int64_t batch = scan->inputs[0].size(0);
  if (node.builder().has_failed() || !check_batch(node, *scan, batch)) {
    return {};
  }
  const std::vector<Shape> shapes = scan_shapes(*scan, 1, 2);
  const LoopBody body = lower_body(node, *scan->graph, shapes);
  if (!body.is_valid()) {
    return {};
  }
  GraphBuilder &builder = node.builder();
  const std::size_t states = scan->states.size();
  Arrays now;
  for (std::size_t i = 0; i < states; ++i) {
    if (!ir::same(body.outputs[i], shapes[i], ir::CompareLayout::No)) {
      return node.fail("state {} is {} after an iteration that began with {}", i, ir::to_string(body.outputs[i]),
                       ir::to_string(shapes[i]));
    }
    now.push_back(builder.filled(shapes[i].element_type(), shapes[i].sizes(), 0));
  }
  now.insert(now.end(), scan->states.begin(), scan->states.end());
  for (std::size_t i = 0; i < scan->output_slices.size(); ++i) {
    const Array one = scan_buffer(builder, body.outputs[states + i], scan->length, 0);
    now.push_back(scan_buffer(builder, one.shape(), batch, 0));
  }
  const std::size_t kept = now.size();
  now.insert(now.end(), scan->states.begin(), scan->states.end());
  now.insert(now.end(), scan->inputs.begin(), scan->inputs.end());
  if (node.has_input(0)) {
    now.push_back(node.input(0));
  }
  now.insert(now.end(), body.captures.begin(), body.captures.end());
  if (batch * scan->length > 0) {
    const BatchScan step = {*scan, body, batch};
    now = builder.loop(batch * scan->length, now, [&](GraphBuilder &b, const Array &iteration, const Arrays &values) {
      return step.step(b, iteration, values, node.has_input(0));
    });
  }
  return as_values(
      Arrays(now.begin() + static_cast<std::ptrdiff_t>(states), now.begin() + static_cast<std::ptrdiff_t>(kept)));
}

Values lower_scan(const Node &node) {
  auto scan = read_scan(node, 0);
  if (!scan) {
    return {};
  }
  const Integers axes = scan_numbers(node, "scan_input_axes", scan->inputs.size());
  for (std::size_t i = 0; i < scan->inputs.size(); ++i) {
    scan->input_slices[i].dimension = node.dimension(axes[i], scan->inputs[i].rank());
  }
  read_directions(node, "scan_input_directions", scan->input_slices);
  read_directions(node, "scan_output_directions", scan->output_slices);
  const Integers output_axes = scan_numbers(node, "scan_output_axes", scan->output_slices.size());
  if (node.builder().has_failed()) {
    return {};
  }
  read_length(node, *scan);
  const std::size_t states = scan->states.size();
  const LoopBody body = lower_body(node, *scan->graph, scan_shapes(*scan, 0, 1));
  if (!body.is_valid()) {
    return {};
  }
  for (std::size_t i = 0; i < output_axes.size(); ++i) {
    scan->output_slices[i].dimension = node.dimension(output_axes[i], body.outputs[states + i].rank() + 1);
  }
  return as_values(repeat(node, body, scan->length, scan->states, scan->inputs, scan->output_slices,
                          [&](GraphBuilder &, const Array &iteration, const Arrays &now, const Arrays &inputs) {
                            Arrays arguments = now;
                            for (std::size_t i = 0; i < inputs.size(); ++i) {
                              const ScanOutput &slices = scan->input_slices[i];
                              const Array index =
                                  slices.is_reversed ? static_cast<double>(scan->length - 1) - iteration : iteration;
                              arguments.push_back(slice_at(inputs[i], index, slices.dimension));
                            }
                            return arguments;
                          }));
}

}  // namespace bp::import::onnx
