#include "core/import/onnx/lowering.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "core/base/suggestion.h"
#include "core/import/array/unused.h"
#include "core/import/onnx/operator_table.h"
#include "core/import/onnx/tensor_reader.h"
#include "core/import/unimported.h"
#include "core/ir/verifier.h"

namespace bp::import::onnx {
namespace {

using ir::InstructionId;

constexpr int max_depth = 64;                // of functions and graphs within each other
constexpr std::int64_t max_nodes = 1 << 20;  // with those of functions and graphs, each time that they are expanded
constexpr int max_unrolled = 1024;           // iterations of loops

// Adds the names that the nodes of a graph use and do not define.
void add_free_names(const Graph &graph, std::vector<std::string_view> &names) {
  std::set<std::string_view> defined;
  for (const ValueInfo &input : graph.inputs) {
    defined.insert(input.name);
  }
  for (const Tensor &tensor : graph.initializers) {
    defined.insert(tensor.name);
  }
  const auto use = [&](std::string_view name) {
    if (!name.empty() && !defined.contains(name)) {
      names.push_back(name);
    }
  };
  for (const NodeProto &node : graph.nodes) {
    std::ranges::for_each(node.inputs, use);
    for (const Attribute &attribute : node.attributes) {
      for (const auto &inner : attribute.graphs) {
        std::vector<std::string_view> inner_names;
        add_free_names(*inner, inner_names);
        std::ranges::for_each(inner_names, use);
      }
    }
    defined.insert(node.outputs.begin(), node.outputs.end());
  }
  for (const ValueInfo &output : graph.outputs) {
    use(output.name);
  }
}

std::vector<std::string_view> free_names(std::span<const Graph *const> graphs) {
  std::vector<std::string_view> names;
  for (const Graph *graph : graphs) {
    add_free_names(*graph, names);
  }
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

// Calls visit(array) for the arrays of a value.
template <class Visit>
void for_each_array(const Value &value, Visit &&visit) {
  if (value.is_array()) {
    visit(value.array());
  } else if (value.is_sequence()) {
    for (const Value &element : value.elements()) {
      for_each_array(element, visit);
    }
  }
}

// Returns in which operator sets an operator is known that is not in the one of the model: "" if in none.
std::string other_versions(const NodeProto &node, std::int64_t version) {
  const auto row = std::ranges::find_if(all_operators(), [&](const Operator &known) {
    return known.domain == node.domain && known.name == node.operation;
  });
  return row == all_operators().end()
             ? ""
             : fmt::format(" of operator set {}, expected set {} or newer", version, row->first_version);
}

// Newer operator sets than the table was made for may give operators attributes that change their results.
void refuse_new_attributes(const Node &node) {
  const Attribute *unread = node.version() > newest_known_set ? node.unread() : nullptr;
  if (unread != nullptr && node.proto().domain.empty() && !node.builder().has_failed()) {
    node.unsupported(fmt::format("the attribute {} is not known in operator set {}, expected set {} or older",
                                 unread->name, node.version(), newest_known_set));
  }
}

// Calls visit(name) for each value that a node uses, those in its graphs among them.
template <class Visit>
void for_each_used(const NodeProto &node, const Visit &visit) {
  std::ranges::for_each(node.inputs, visit);
  for (const Attribute &attribute : node.attributes) {
    for (const auto &inner : attribute.graphs) {
      std::vector<std::string_view> names;
      add_free_names(*inner, names);
      std::ranges::for_each(names, visit);
    }
  }
}

// Returns the nodes in an order in which each comes after those whose outputs it uses. ONNX demands it, and not all
// tools write it. Apart from that the order stays.
std::vector<const NodeProto *> in_order(const std::vector<NodeProto> &nodes) {
  std::unordered_map<std::string_view, std::size_t> maker;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (const std::string_view output : nodes[i].outputs) {
      maker.emplace(output, i);
    }
  }
  enum class State { New, Open, Done };
  std::vector<State> states(nodes.size(), State::New);
  std::vector<const NodeProto *> order;
  std::vector<std::size_t> open;  // the last one waits for nothing, or its makers are put after it
  for (std::size_t first = 0; first < nodes.size(); ++first) {
    open.push_back(first);
    while (!open.empty()) {
      const std::size_t i = open.back();
      if (states[i] == State::New) {
        states[i] = State::Open;
        for_each_used(nodes[i], [&](std::string_view name) {
          const auto found = name.empty() ? maker.end() : maker.find(name);
          if (found != maker.end() && states[found->second] == State::New) {
            open.push_back(found->second);
          }
        });
        continue;
      }
      open.pop_back();
      if (states[i] == State::Open) {
        states[i] = State::Done;
        order.push_back(&nodes[i]);
      }
    }
  }
  return order;
}

bool is_constant(const Array &array) {
  return array.is_valid() && array.builder().module().instruction(array.id()).opcode() == Opcode::Constant;
}

}  // namespace

// --- Names ---

void Lowering::define(GraphBuilder &builder, Scope &scope, std::string_view name, Value value) {
  if (name.empty()) {
    return;
  }
  if (!scope.values.emplace(name, std::move(value)).second) {
    builder.fail("the name \"{}\" is defined twice", name);
  }
}

Value Lowering::find(GraphBuilder &builder, Scope &scope, std::string_view name) {
  for (const Scope *visited = &scope; visited != nullptr; visited = visited->outer) {
    if (const auto found = visited->values.find(name); found != visited->values.end()) {
      return found->second;
    }
    const auto found = visited->tensors.find(name);
    if (found == visited->tensors.end()) {
      continue;
    }
    const Tensor &tensor = *found->second;
    Value value = tensor.has_texts() ? Value::texts(tensor.texts) : builder.constant(tensor.literal);
    scope.values.emplace(name, value);
    return value;
  }
  std::vector<std::string_view> names;
  for (const Scope *visited = &scope; visited != nullptr; visited = visited->outer) {
    for (const auto &[known, value] : visited->values) {
      names.push_back(known);
    }
  }
  std::ranges::sort(names);
  builder.fail("the value \"{}\" is used before it is defined{}", name, suggestion(name, names));
  return {};
}

// --- Nodes ---

const Function *Lowering::find_function(const NodeProto &proto) const {
  for (const Function &function : model_.functions) {
    if (function.domain == proto.domain && function.name == proto.operation && function.overload == proto.overload) {
      return &function;
    }
  }
  return nullptr;
}

Values Lowering::expand(GraphBuilder &builder, const Function &function, const NodeProto &proto, const Values &inputs,
                        const Scope &scope) {
  Scope inner;
  inner.operator_sets = &function.operator_sets;
  for (const Attribute &attribute : function.defaults) {
    inner.attributes[attribute.name] = &attribute;
  }
  for (const Attribute &attribute : proto.attributes) {
    const Attribute *value = &attribute;
    if (!attribute.reference.empty()) {
      const auto found = scope.attributes.find(attribute.reference);
      value = found == scope.attributes.end() ? nullptr : found->second;
    }
    if (value != nullptr) {
      inner.attributes[attribute.name] = value;
    }
  }
  if (inputs.size() > function.inputs.size()) {
    builder.fail("{}: the function {} has {} inputs, expected at most {}", proto.path, function.name, inputs.size(),
                 function.inputs.size());
    return {};
  }
  for (std::size_t i = 0; i < function.inputs.size(); ++i) {
    define(builder, inner, function.inputs[i], i < inputs.size() ? inputs[i] : Value());
  }
  nodes(builder, inner, function.nodes);
  Values outputs;
  for (const std::string_view name : function.outputs) {
    outputs.push_back(builder.has_failed() ? Value() : find(builder, inner, name));
  }
  return outputs;
}

// Where a run tells sizes, inputs that are broadcast get common ones, and a batch is computed as large as it may be.
Values Lowering::lower(const Operator &row, const Node &node) {
  const auto is_bounded = [](const Value &value) { return value.is_array() && value.array().is_bounded(); };
  Values inputs = node.values();
  Array batch;
  if (std::ranges::any_of(inputs, is_bounded) && broadcasts_inputs(row, node.version())) {
    Arrays arrays = node.inputs();
    arrays = with_common_sizes(std::move(arrays));
    inputs = Values(arrays.begin(), arrays.end());
  } else if (!inputs.empty() && is_bounded(inputs[0]) && takes_bounded_batch(row)) {
    batch = inputs[0].array();
    inputs[0] = filled_to_bounds(batch, number(0, batch));
  }
  const Node adapted(*this, node.builder(), node.scope(), node.proto(), std::move(inputs), node.version());
  Values outputs = row.lower(adapted);
  refuse_new_attributes(adapted);
  for (Value &output : outputs) {
    if (batch.is_present() && output.is_array() && output.array().is_valid()) {
      output = with_run_time_size(output.array(), 0, run_time_size(batch, 0));
    }
  }
  return outputs;
}

void Lowering::node(GraphBuilder &builder, Scope &scope, const NodeProto &proto) {
  if (++node_count_ > max_nodes) {
    builder.fail(unsupported("{}: the graph has more than {} nodes when functions and loops are expanded", proto.path,
                             max_nodes));
    return;
  }
  if (depth_ >= max_depth) {
    builder.fail("{}: functions and graphs are nested more than {} deep", proto.path, max_depth);
    return;
  }
  builder.set_origin(proto.operation, proto.name.empty() && !proto.outputs.empty() ? proto.outputs[0] : proto.name);
  Values inputs;
  for (const std::string_view name : proto.inputs) {
    inputs.push_back(name.empty() ? Value() : find(builder, scope, name));
  }
  while (!inputs.empty() && !inputs.back().is_present()) {
    inputs.pop_back();
  }
  const auto set = scope.operator_sets->find(proto.domain);
  const std::int64_t version = set == scope.operator_sets->end() ? 1 : set->second;
  const Node node(*this, builder, scope, proto, std::move(inputs), version);
  Values outputs;
  if (builder.has_failed()) {
    return;
  }
  const std::size_t first = builder.module().instruction_id_limit();
  ++depth_;
  if (const Function *function = find_function(proto)) {
    outputs = expand(builder, *function, proto, node.values(), scope);
  } else if (const Operator *found = find_operator(proto.domain, proto.operation, version)) {
    if (takes_bounded_sizes(*found, node.values()) || !refuse_bounded(node, node.values())) {
      outputs = lower(*found, node);
      bound_outputs(node, outputs);
    }
  } else {
    node.unsupported("there is no such operator in this version");
  }
  --depth_;
  for (std::size_t i = 0; i < proto.outputs.size() && !builder.has_failed(); ++i) {
    if (i < outputs.size()) {
      if (outputs[i].is_array() && !outputs[i].array().is_valid()) {
        node.fail("an operand of output {} is missing", i);
      }
      if (outputs[i].is_array() && outputs[i].array().is_valid() && ir::index(outputs[i].array().id()) >= first) {
        builder.module().set_name(outputs[i].array().id(), clean_name(proto.outputs[i], proto.operation));
      }
      define(builder, scope, proto.outputs[i], outputs[i]);
    } else if (!proto.outputs[i].empty()) {
      node.unsupported(fmt::format("output {}, \"{}\", is not computed", i, proto.outputs[i]));
    }
  }
}

// --- Sizes that only a run tells ---

void Lowering::bound_outputs(const Node &node, const Values &outputs) {
  const std::string *origin = nullptr;
  for (const Value &input : node.values()) {
    const auto found = input.is_array() ? bounded_.find(input.array().id()) : bounded_.end();
    origin = found != bounded_.end() && origin == nullptr ? &found->second : origin;
  }
  const std::string text = origin == nullptr ? node.description() : *origin;
  for (const Value &output : outputs) {
    if (output.is_array() && output.array().is_bounded()) {
      bounded_.emplace(output.array().id(), text);
    }
  }
  if (origin != nullptr && node.builder().has_failed() && failed_origin_.empty()) {
    failed_origin_ = text;
  }
}

bool Lowering::refuse_bounded(const Node &node, const Values &values) {
  const auto found =
      std::ranges::find_if(values, [](const Value &value) { return value.is_array() && value.array().is_bounded(); });
  if (found == values.end()) {
    return false;
  }
  const auto origin = bounded_.find(found->array().id());
  node.unsupported(fmt::format(
      "an operand is {}, whose sizes only a run tells: they follow from {}. Expected an operator that takes such "
      "sizes, "
      "or that they are known: give the elements of the model's inputs that they depend on, if these are integers "
      "(--value)",
      ir::to_string(found->array().shape(), ir::PrintLayout::Never),
      origin == bounded_.end() ? "the graph that it is of" : origin->second));
  return true;
}

void Lowering::nodes(GraphBuilder &builder, Scope &scope, const std::vector<NodeProto> &protos) {
  if (builder.has_failed()) {
    return;
  }
  for (const NodeProto *next : in_order(protos)) {
    const NodeProto &proto = *next;
    node(builder, scope, proto);
    if (builder.has_failed()) {
      // An error of the arithmetic on arrays does not know the node that it is about.
      if (state_.error->message().find(proto.path) == std::string::npos) {
        state_.error =
            Error(state_.error->code(), fmt::format("{}{} ({}): {}", proto.operation,
                                                    proto.name.empty() ? "" : fmt::format(" \"{}\"", proto.name),
                                                    proto.path, state_.error->message()));
      }
      return;
    }
  }
}

Values Lowering::graph(GraphBuilder &builder, Scope &scope, const Graph &graph, const Values &inputs) {
  for (const Tensor &tensor : graph.initializers) {
    if (!scope.tensors.emplace(tensor.name, &tensor).second) {
      builder.fail("there are two initializers \"{}\"", tensor.name);
    }
  }
  for (std::size_t i = 0; i < graph.inputs.size() && i < inputs.size(); ++i) {
    define(builder, scope, graph.inputs[i].name, inputs[i]);
  }
  nodes(builder, scope, graph.nodes);
  Values outputs;
  for (const ValueInfo &output : graph.outputs) {
    outputs.push_back(builder.has_failed() ? Value() : find(builder, scope, output.name));
  }
  return outputs;
}

// --- Graphs of loops and branches ---

Values Lowering::in_place(const Node &node, const Graph &inner, const Values &inputs) {
  Scope scope;
  scope.outer = &node.scope();
  scope.operator_sets = node.scope().operator_sets;
  scope.attributes = node.scope().attributes;
  return graph(node.builder(), scope, inner, inputs);
}

Arrays Lowering::captures(const Node &node, std::span<const Graph *const> graphs, InnerSizes sizes) {
  Arrays result;
  std::set<InstructionId> seen;
  for (const std::string_view name : free_names(graphs)) {
    for (const Scope *visited = &node.scope(); visited != nullptr; visited = visited->outer) {
      const auto found = visited->values.find(name);
      if (found == visited->values.end()) {
        continue;
      }
      for_each_array(found->second, [&](const Array &array) {
        if (array.is_valid() && !is_constant(array) && seen.insert(array.id()).second) {
          result.push_back(array);
        }
      });
      break;
    }
  }
  if (sizes == InnerSizes::Known) {
    refuse_bounded(node, Values(result.begin(), result.end()));
  }
  return result;
}

Values Lowering::embedded(const Node &node, const Graph &inner, const Values &inputs, GraphBuilder &builder,
                          const Arrays &captures, const Arrays &captured, InnerSizes sizes) {
  Scope scope;
  scope.operator_sets = node.scope().operator_sets;
  scope.attributes = node.scope().attributes;
  const auto passed = [&](const Array &array) -> Array {
    for (std::size_t i = 0; i < captures.size() && i < captured.size(); ++i) {
      if (captures[i].id() == array.id()) {
        return captured[i];
      }
    }
    return array.is_valid() && is_constant(array) ? builder.constant(*array.literal()) : Array();
  };
  const std::function<Value(const Value &)> translate = [&](const Value &value) -> Value {
    if (value.is_array()) {
      return passed(value.array());
    }
    if (!value.is_sequence()) {
      return value;
    }
    Values elements;
    std::ranges::transform(value.elements(), std::back_inserter(elements), translate);
    return Value::sequence(std::move(elements));
  };
  for (std::size_t i = 0; i < captures.size() && i < captured.size(); ++i) {
    if (captured[i].is_valid()) {
      state_.same_as.emplace(captured[i].id(), captures[i].id());
    }
  }
  const Graph *const only[] = {&inner};
  for (const std::string_view name : free_names(only)) {
    for (const Scope *visited = &node.scope(); visited != nullptr; visited = visited->outer) {
      if (const auto found = visited->values.find(name); found != visited->values.end()) {
        scope.values.emplace(name, translate(found->second));
        break;
      }
      if (const auto found = visited->tensors.find(name); found != visited->tensors.end()) {
        scope.tensors.emplace(name, found->second);
        break;
      }
    }
  }
  const bool allowed_bounds = std::exchange(state_.allows_bounds, state_.allows_bounds && sizes == InnerSizes::Any);
  Values outputs = graph(builder, scope, inner, inputs);
  state_.allows_bounds = allowed_bounds;
  return outputs;
}

void Lowering::forget_error() {
  state_.error.reset();
  state_.unknown = ir::no_instruction;
}

bool Lowering::may_unroll() {
  return ++unrolled_ <= max_unrolled;
}

// Returns the error, or if there are operators that are not imported, an error that names all of them.
Error Lowering::with_unknown_operators(Error error) const {
  std::map<std::string, int> unknown;
  const std::function<void(const std::vector<NodeProto> &, const OperatorSets &)> visit =
      [&](const std::vector<NodeProto> &nodes, const OperatorSets &sets) {
        for (const NodeProto &node : nodes) {
          const auto set = sets.find(node.domain);
          const std::int64_t version = set == sets.end() ? 1 : set->second;
          if (find_function(node) == nullptr && find_operator(node.domain, node.operation, version) == nullptr) {
            ++unknown[fmt::format("{}{}{}{}", node.domain, node.domain.empty() ? "" : ".", node.operation,
                                  other_versions(node, version))];
          }
          for (const Attribute &attribute : node.attributes) {
            for (const auto &inner : attribute.graphs) {
              visit(inner->nodes, sets);
            }
          }
        }
      };
  visit(model_.graph.nodes, model_.operator_sets);
  for (const Function &function : model_.functions) {
    visit(function.nodes, function.operator_sets);
  }
  if (unknown.empty()) {
    return error;
  }
  std::vector<std::string_view> names;
  for (const Operator &row : all_operators()) {
    names.push_back(row.name);
  }
  return unimported(unknown, names, "operator", "node");
}

Result<ir::Module> Lowering::run(bool prefers_given) {
  state_.prefers_given = prefers_given;
  ir::Module module(clean_name(model_.graph.name, "model"));
  module.set_source_file(options_.file);
  if (model_.operator_sets.empty()) {
    return invalid_input("{}: there is no opset_import, expected the version of the operators", options_.file);
  }
  GraphBuilder builder(module, module.add_computation("main"), state_);
  Scope scope;
  scope.operator_sets = &model_.operator_sets;
  const Status lowered = lower_entry(builder, scope);
  if (!lowered.ok() || state_.error) {
    Error error = with_unknown_operators(lowered.ok() ? *state_.error : lowered.error()).at({options_.file, 0, 0, {}});
    return failed_origin_.empty() ? std::move(error)
                                  : std::move(error).note("sizes that only a run tells follow from " + failed_origin_);
  }
  remove_unused(module);
  module.unique_names();
  if (Status verified = ir::verify(module); !verified.ok()) {
    return std::move(verified).error().note("this is what the model was imported as");
  }
  return module;
}

}  // namespace bp::import::onnx
