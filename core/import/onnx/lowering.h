// Lowers a model to a module: each node by its row of operators.def. Functions of the model are expanded in place,
// graphs of loops and branches become computations, several results become a tuple.
#pragma once

#include <map>

#include "core/import/onnx/node.h"
#include "core/import/onnx/options.h"

namespace bp::import::onnx {

// Returns the inputs of the graph that are no constants with a value in the model.
std::vector<const ValueInfo *> entry_inputs(const Model &model);
// Returns the shape of an input as the model states it: unknown sizes are ir::unbounded. A scalar if nothing is known
// of its sizes.
Result<Shape> declared_shape(const ValueInfo &input);

class Lowering {
 public:
  Lowering(const Model &model, const Options &options) : model_(model), options_(options) {}

  Result<ir::Module> run();

  // --- For the functions that lower operators ---

  // Lowers a graph in the computation of the node, whose scope it sees: for branches that are chosen now, and loops
  // that are unrolled. Returns its outputs.
  Values in_place(const Node &node, const Graph &graph, const Values &inputs);

  // Returns the values from outside that graphs use and that must be passed into computations: arrays, each one once,
  // that are no constants.
  Arrays captures(const Node &node, std::span<const Graph *const> graphs) const;
  // Lowers a graph in a computation of its own, in which `captured` stand for captures().
  Values embedded(const Node &node, const Graph &graph, const Values &inputs, GraphBuilder &builder,
                  const Arrays &captures, const Arrays &captured);

 private:
  Result<Shape> parameter_shape(const ValueInfo &input, std::size_t number);
  Status lower_entry(GraphBuilder &builder, Scope &scope);
  void nodes(GraphBuilder &builder, Scope &scope, const std::vector<NodeProto> &protos);
  void node(GraphBuilder &builder, Scope &scope, const NodeProto &proto);
  Values expand(GraphBuilder &builder, const Function &function, const NodeProto &proto, const Values &inputs,
                const Scope &scope);
  Values graph(GraphBuilder &builder, Scope &scope, const Graph &graph, const Values &inputs);
  void define(GraphBuilder &builder, Scope &scope, std::string_view name, Value value);
  Value find(GraphBuilder &builder, Scope &scope, std::string_view name);
  const Function *find_function(const NodeProto &proto) const;
  Error with_unknown_operators(Error error) const;

  const Model &model_;
  const Options &options_;
  BuildState state_;
  std::map<std::string_view, std::int64_t> named_sizes_;  // of the sizes that have names
  int depth_ = 0;                                         // of functions and graphs that are being lowered
};

}  // namespace bp::import::onnx
