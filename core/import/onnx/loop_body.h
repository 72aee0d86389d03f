// The graph of a loop as a computation of its own, and loops of a known number of iterations that call it.
#pragma once

#include <optional>

#include "core/import/onnx/lowering.h"

namespace bp::import::onnx {

struct LoopBody {
  ir::ComputationId computation = ir::no_computation;
  Arrays captures;             // values from outside, which are the last parameters
  std::vector<Shape> outputs;  // shapes
  // Output 0, if it is a condition: its value if that is known, and whether it is input 1.
  std::optional<bool> condition;
  bool is_same_condition = false;

  bool is_valid() const { return computation != ir::no_computation; }
  // Calls it with values of the computation in which `builder` builds, of which the captures are `captured`.
  Arrays call(GraphBuilder &builder, const Arrays &inputs, const Arrays &captured) const;
};

// Lowers a graph of a node to a computation. What is no array, and other errors, make it invalid.
LoopBody lower_body(const Node &node, const Graph &graph, std::span<const Shape> inputs);

// Checks that the outputs of the body from `first` on have the shapes of the values that are carried.
bool keeps_shapes(const Node &node, const LoopBody &body, const Arrays &carried, std::size_t first);

// One output that has a slice for each iteration.
struct ScanOutput {
  std::int64_t dimension = 0;  // along which the slices are joined
  bool is_reversed = false;    // whether the first slice is the last one
};

// Returns the array of zeros that takes the slices of a shape, one per iteration.
Array scan_buffer(GraphBuilder &builder, const Shape &slice, std::int64_t count, std::int64_t dimension);
// Returns an array with the slice of an index along a dimension replaced; `slice` does not have that dimension.
Array with_slice(const Array &x, const Array &slice, const Array &index, std::int64_t dimension);
// Returns the slice of an index along a dimension, without that dimension.
Array slice_at(const Array &x, const Array &index, std::int64_t dimension);

// Repeats a body: inputs(builder, s32[] iteration, carried values, invariants) returns its inputs. Its outputs are the
// next carried values, then slices. Returns the last carried values, then the outputs of the slices. Nothing if an
// error occurred.
using BodyInputs =
    std::function<Arrays(GraphBuilder &, const Array &iteration, const Arrays &carried, const Arrays &invariants)>;
Arrays repeat(const Node &node, const LoopBody &body, std::int64_t count, const Arrays &carried,
              const Arrays &invariants, const std::vector<ScanOutput> &scan_outputs, const BodyInputs &inputs);

}  // namespace bp::import::onnx
