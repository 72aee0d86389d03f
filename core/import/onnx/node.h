// A node of the graph, as the functions that lower operators see it: its inputs as values, its attributes with their
// defaults. An input or attribute that is missing or of the wrong kind is an error of the builder
// (core/import/array/array.h), and zero or empty for the caller.
#pragma once

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include "core/import/onnx/scope.h"

namespace bp::import::onnx {

class Lowering;

// Integers that sizes depend on: elements of an input.
struct SizeIntegers {
  Integers bounds;             // the elements, or the largest values of those that only a run tells
  std::vector<bool> is_known;  // by element
  Array values;                // the input, if there are unknown ones

  bool are_known() const { return std::ranges::find(is_known, false) == is_known.end(); }
  Array value(std::size_t i) const;  // an element, s64[]
};

class Node {
 public:
  // `version`: of the operators of the node's domain.
  Node(Lowering &lowering, GraphBuilder &builder, const Scope &scope, const NodeProto &proto, Values inputs,
       std::int64_t version)
      : lowering_(lowering),
        builder_(builder),
        scope_(scope),
        proto_(proto),
        inputs_(std::move(inputs)),
        version_(version) {}

  GraphBuilder &builder() const { return builder_; }
  Lowering &lowering() const { return lowering_; }
  const Scope &scope() const { return scope_; }  // the values that graphs of the node see
  const NodeProto &proto() const { return proto_; }
  std::string_view operation() const { return proto_.operation; }
  std::int64_t version() const { return version_; }
  std::string description() const;  // for messages: Gather "name" (ModelProto.graph.node[3])

  // Keeps an error about this node. Returns no values.
  Values fail(std::string message) const;
  template <class... Args>
  Values fail(fmt::format_string<Args...> format, Args &&...args) const {
    return fail(fmt::format(format, std::forward<Args>(args)...));
  }
  // Keeps an error of something that is understood but not supported.
  Values unsupported(std::string message) const;

  // --- Inputs ---
  std::size_t input_count() const { return inputs_.size(); }
  bool has_input(std::size_t i) const { return i < inputs_.size() && inputs_[i].is_present(); }
  const Values &values() const { return inputs_; }
  const Value &value(std::size_t i) const;
  // Returns an array; an input that is absent or no array is an error.
  Array input(std::size_t i) const;
  Array optional_input(std::size_t i) const { return has_input(i) ? input(i) : Array(); }
  Arrays inputs() const;  // all of them, which are arrays
  // Return the elements of an input on which sizes depend: an error if they are not known while the graph is imported.
  Integers known_integers(std::size_t i) const;
  std::vector<double> known_reals(std::size_t i) const;
  std::int64_t known_integer(std::size_t i) const;  // of an array of one element
  std::optional<ir::Literal> known_literal(std::size_t i) const;
  // Whether results may have sizes that only a run tells.
  bool may_be_bounded() const { return builder_.state().allows_bounds; }
  // The same, but an element may be unknown if it has a bound.
  SizeIntegers size_integers(std::size_t i) const;
  // Returns the value of an input by whose elements the node selects, if it is constant, or given and a bound on the
  // size of the result does not do. Nothing, without an error, if the result is to have a bound.
  std::optional<ir::Literal> selecting_literal(std::size_t i) const;

  // --- Outputs ---
  std::size_t output_count() const { return proto_.outputs.size(); }
  bool has_output(std::size_t i) const { return i < proto_.outputs.size() && !proto_.outputs[i].empty(); }

  // --- Attributes ---
  bool has(std::string_view name) const { return find(name) != nullptr; }
  std::int64_t integer(std::string_view name, std::int64_t if_absent) const;
  std::int64_t integer(std::string_view name) const;  // must be there
  bool flag(std::string_view name, bool if_absent = false) const { return integer(name, if_absent) != 0; }
  double real(std::string_view name, double if_absent) const;
  double real(std::string_view name) const;  // must be there
  std::string_view text(std::string_view name, std::string_view if_absent) const;
  Integers integers(std::string_view name, Integers if_absent = {}) const;
  std::vector<double> reals(std::string_view name, std::vector<double> if_absent = {}) const;
  std::vector<std::string_view> texts(std::string_view name) const;
  const Tensor *tensor(std::string_view name) const;  // nullptr if it is absent
  const Graph *graph(std::string_view name) const;    // must be there: nullptr and an error otherwise
  const Attribute *find(std::string_view name) const;
  // Returns the first attribute that nobody has asked for; nullptr if there is none.
  const Attribute *unread() const;
  // Returns the element type that an integer attribute names in TensorProto.DataType.
  ElementType element_type(std::string_view name, ElementType if_absent) const;

  // --- Dimensions ---
  // Returns the number of a dimension, of which negative ones count from the end, in 0 to rank - 1; an error otherwise.
  std::int64_t dimension(std::int64_t number, std::size_t rank) const;
  Integers dimensions(const Integers &numbers, std::size_t rank) const;  // ascending; twice the same one is an error

 private:
  const Attribute *find(std::string_view name, Attribute::Type type) const;

  Lowering &lowering_;
  GraphBuilder &builder_;
  const Scope &scope_;
  const NodeProto &proto_;
  Values inputs_;
  std::int64_t version_;
  mutable std::set<const Attribute *> read_;  // those that were asked for
};

}  // namespace bp::import::onnx
