// Lowers a model to a module: each node by its row of operators.def. Functions of the model are expanded in place,
// graphs of loops and branches become computations, several results become a tuple.
#pragma once

#include <map>

#include "core/import/onnx/node.h"
#include "core/import/onnx/operator_table.h"
#include "core/import/onnx/options.h"

namespace bp::import::onnx {

// Returns the inputs of the graph that are no constants with a value in the model.
std::vector<const ValueInfo *> entry_inputs(const Model &model);
// Returns the type of an array, and of the elements of a sequence, which may be optional.
const Type &array_type(const Type &type);
Form form_of(const Type &type);
bool is_sequence(Form form);
// Returns the shape of an input, or of each of its elements, as the model states it: unknown sizes are ir::unbounded. A
// scalar if nothing is known of its sizes.
Result<Shape> declared_shape(const ValueInfo &input);

// Which sizes arrays may have inside of a graph: known ones, as in loops, where they have to be the same in each
// iteration, or also those that only a run tells.
enum class InnerSizes { Known, Any };

class Lowering {
 public:
  Lowering(const Model &model, const Options &options) : model_(model), options_(options) {}

  // `prefers_given`: whether elements that the caller has given are used where a bound on a size would do.
  Result<ir::Module> run(bool prefers_given = false);
  // Whether there are sizes that only a run tells.
  bool has_bounded() const { return !bounded_.empty(); }

  // --- For the functions that lower operators ---

  // Lowers a graph in the computation of the node, whose scope it sees: for branches that are chosen now, and loops
  // that are unrolled. Returns its outputs.
  Values in_place(const Node &node, const Graph &graph, const Values &inputs);

  // Returns the values from outside that graphs use and that must be passed into computations: arrays, each one once,
  // that are no constants.
  Arrays captures(const Node &node, std::span<const Graph *const> graphs, InnerSizes sizes);
  // Lowers a graph in a computation of its own, in which `captured` stand for captures().
  Values embedded(const Node &node, const Graph &graph, const Values &inputs, GraphBuilder &builder,
                  const Arrays &captures, const Arrays &captured, InnerSizes sizes);
  // Forgets an error that arose since there was none, to try another way.
  void forget_error();
  // Counts an iteration of a loop that is unrolled: false if there were too many in the model.
  bool may_unroll();

 private:
  // `number`: of the parameter; an input that is a sequence has several.
  Result<Shape> parameter_shape(const ValueInfo &input, std::size_t number);
  // `number`: of the input. Returns how many elements it has, or `absent`.
  Result<std::int64_t> length_of_input(const ValueInfo &input, std::size_t number) const;
  Result<std::vector<ir::InstructionId>> define_inputs(GraphBuilder &builder, Scope &scope);
  // Returns the arrays of which the results consist.
  Result<Arrays> results(const Values &outputs) const;
  void name_results(GraphBuilder &builder, const Values &outputs, Arrays &arrays) const;
  Status lower_entry(GraphBuilder &builder, Scope &scope);
  void nodes(GraphBuilder &builder, Scope &scope, const std::vector<NodeProto> &protos);
  void node(GraphBuilder &builder, Scope &scope, const NodeProto &proto);
  Values lower(const Operator &row, const Node &node);
  Values expand(GraphBuilder &builder, const Function &function, const NodeProto &proto, const Values &inputs,
                const Scope &scope);
  Values graph(GraphBuilder &builder, Scope &scope, const Graph &graph, const Values &inputs);
  void define(GraphBuilder &builder, Scope &scope, std::string_view name, Value value);
  Value find(GraphBuilder &builder, Scope &scope, std::string_view name);
  const Function *find_function(const NodeProto &proto) const;
  // Keeps an error that the node cannot take sizes that only a run tells, if one of the values has some.
  bool refuse_bounded(const Node &node, const Values &values);
  // Notes which node the sizes of outputs come from that only a run tells.
  void bound_outputs(const Node &node, const Values &outputs);
  Error with_unknown_operators(Error error) const;

  const Model &model_;
  const Options &options_;
  BuildState state_;
  std::map<std::string_view, std::int64_t> named_sizes_;  // of the sizes that have names
  std::map<ir::InstructionId, std::string> bounded_;      // the nodes that sizes which only a run tells come from
  std::string failed_origin_;                             // the one of them that an error is about
  std::int64_t node_count_ = 0;                           // that were lowered
  int depth_ = 0;                                         // of functions and graphs that are being lowered
  int unrolled_ = 0;                                      // iterations
};

}  // namespace bp::import::onnx
