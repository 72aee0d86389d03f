// An ONNX model as it is stored, field by field of onnx.proto (ModelProto, GraphProto, ...). Names and texts are views
// into the file, which must outlive the model; tensors have bytes of their own, or share those
// of a file that is mapped.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/ir/literal.h"

namespace bp::import::onnx {

struct Graph;

// TensorProto. A tensor of texts has them in place of the literal.
struct Tensor {
  std::string_view name;
  ir::Literal literal;
  std::vector<std::string_view> texts;
  std::vector<std::int64_t> sizes;
  bool has_texts() const { return !literal.is_valid(); }
};

// TypeProto: an array, or a sequence or optional of another type.
struct Type {
  enum class Kind { Unknown, Tensor, Sequence, Optional, Other };
  struct Size {
    std::int64_t value = -1;     // -1: not known
    std::string_view parameter;  // the name of a size that is not known; may be empty
  };
  Kind kind = Kind::Unknown;
  std::int64_t data_type = 0;  // TensorProto.DataType
  bool has_sizes = false;
  std::vector<Size> sizes;
  std::vector<Type> elements;  // one, of a sequence or optional
};

// ValueInfoProto.
struct ValueInfo {
  std::string_view name;
  Type type;
};

// AttributeProto. Its type says which of the values it has.
struct Attribute {
  enum class Type {
    Undefined,
    Float,
    Int,
    String,
    Tensor,
    Graph,
    Floats,
    Ints,
    Strings,
    Tensors,
    Graphs,
    SparseTensor,
    SparseTensors,
    TypeProto,
    TypeProtos
  };
  std::string_view name;
  std::string_view reference;  // the attribute of the function that encloses the node, whose value this one has
  Type type = Type::Undefined;
  double real = 0;
  std::int64_t integer = 0;
  std::string_view text;
  std::vector<double> reals;
  std::vector<std::int64_t> integers;
  std::vector<std::string_view> texts;
  std::vector<Tensor> tensors;                       // one, if the type is Tensor
  std::vector<std::shared_ptr<const Graph>> graphs;  // one, if the type is Graph
  onnx::Type type_proto;
};

// NodeProto. An empty name of an input stands for an optional input that is absent.
struct NodeProto {
  std::string_view name, operation, domain, overload;
  std::vector<std::string_view> inputs, outputs;
  std::vector<Attribute> attributes;
  std::string path;  // for messages: ModelProto.graph.node[3]
};

struct Graph {
  std::string_view name;
  std::vector<NodeProto> nodes;
  std::vector<Tensor> initializers;
  std::vector<ValueInfo> inputs, outputs, values;
};

// The version of the operators of each domain. The domain "ai.onnx" is written as "".
using OperatorSets = std::map<std::string_view, std::int64_t>;

// FunctionProto: a function of the model, which is expanded where a node names it.
struct Function {
  std::string_view domain, name, overload;
  std::vector<std::string_view> inputs, outputs;
  std::vector<std::string_view> attributes;  // without default
  std::vector<Attribute> defaults;
  std::vector<NodeProto> nodes;
  OperatorSets operator_sets;
};

struct Model {
  std::deque<std::string> merged;  // bytes of messages that the file has in parts, which views point into
  std::int64_t ir_version = 0;
  std::string_view producer;
  OperatorSets operator_sets;
  Graph graph;
  std::vector<Function> functions;
};

}  // namespace bp::import::onnx
