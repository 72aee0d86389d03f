#include "core/import/onnx/model_reader.h"

#include <algorithm>

namespace bp::import::onnx {
namespace {

using protobuf::Field;
using protobuf::Message;

namespace model_fields {
constexpr Field ir_version{1, "ir_version"}, producer{2, "producer_name"}, graph{7, "graph"},
    opset_import{8, "opset_import"}, functions{25, "functions"};
}
namespace operator_set_fields {
constexpr Field domain{1, "domain"}, version{2, "version"};
}
namespace graph_fields {
constexpr Field node{1, "node"}, name{2, "name"}, initializer{5, "initializer"}, input{11, "input"},
    output{12, "output"}, value_info{13, "value_info"}, sparse_initializer{15, "sparse_initializer"};
}
namespace node_fields {
constexpr Field input{1, "input"}, output{2, "output"}, name{3, "name"}, op_type{4, "op_type"},
    attribute{5, "attribute"}, domain{7, "domain"}, overload{8, "overload"};
}
namespace attribute_fields {
constexpr Field name{1, "name"}, f{2, "f"}, i{3, "i"}, s{4, "s"}, t{5, "t"}, g{6, "g"}, floats{7, "floats"},
    ints{8, "ints"}, strings{9, "strings"}, tensors{10, "tensors"}, graphs{11, "graphs"}, tp{14, "tp"},
    type{20, "type"}, ref_attr_name{21, "ref_attr_name"}, sparse_tensor{22, "sparse_tensor"};
}
namespace value_fields {
constexpr Field name{1, "name"}, type{2, "type"};
}
namespace type_fields {
constexpr Field tensor_type{1, "tensor_type"}, sequence_type{4, "sequence_type"}, map_type{5, "map_type"},
    sparse_tensor_type{8, "sparse_tensor_type"}, optional_type{9, "optional_type"}, elem_type{1, "elem_type"},
    shape{2, "shape"}, dim{1, "dim"}, dim_value{1, "dim_value"}, dim_param{2, "dim_param"};
}
namespace function_fields {
constexpr Field name{1, "name"}, input{4, "input"}, output{5, "output"}, attribute{6, "attribute"}, node{7, "node"},
    opset_import{9, "opset_import"}, domain{10, "domain"}, attribute_proto{11, "attribute_proto"},
    overload{13, "overload"};
}
namespace sequence_fields {
constexpr Field elem_type{2, "elem_type"}, tensor_values{3, "tensor_values"};
}
namespace optional_fields {
constexpr Field elem_type{2, "elem_type"}, tensor_value{3, "tensor_value"}, sequence_value{5, "sequence_value"};
}

// Reads the messages of one file.
class Reader {
 public:
  explicit Reader(const Storage &storage) : storage_(storage) {}

  Result<Model> model(const Message &message);
  Result<Model> interface(const Message &message);

 private:
  Result<OperatorSets> operator_sets(const Message &message, Field field);
  Result<Graph> graph(const Message &message);
  Result<NodeProto> node(const Message &message);
  Result<Attribute> attribute(const Message &message);
  Result<ValueInfo> value(const Message &message);
  Result<Type> type(const Message &message);
  Result<Type> tensor_type(const Message &message);
  Result<Function> function(const Message &message);

  // Reads a repeated field: each message by `read`.
  template <class T, class Read>
  Status list(const Message &message, Field field, std::vector<T> &items, Read &&read) {
    items.reserve(items.size() + message.count(field));
    return message.for_each(field, [&](const Message &item) -> Status {
      BP_ASSIGN(T value, read(item));
      items.push_back(std::move(value));
      return {};
    });
  }
  Status texts(const Message &message, Field field, std::vector<std::string_view> &items) {
    return message.for_each_text(field, [&](std::string_view text) { items.push_back(text); });
  }
  Status nodes(const Message &message, Field field, std::vector<NodeProto> &items) {
    return list(message, field, items, [&](const Message &item) { return node(item); });
  }
  Status attributes(const Message &message, Field field, std::vector<Attribute> &items) {
    return list(message, field, items, [&](const Message &item) { return attribute(item); });
  }
  Status values(const Message &message, Field field, std::vector<ValueInfo> &items) {
    return list(message, field, items, [&](const Message &item) { return value(item); });
  }

  const Storage &storage_;
};

// The operators of ONNX itself have no domain, or "ai.onnx".
std::string_view without_default(std::string_view domain) {
  return domain == "ai.onnx" ? std::string_view() : domain;
}

Result<OperatorSets> Reader::operator_sets(const Message &message, Field field) {
  OperatorSets sets;
  BP_TRY(message.for_each(field, [&](const Message &set) -> Status {
    BP_ASSIGN(const std::string_view domain, set.text(operator_set_fields::domain));
    BP_ASSIGN(const std::int64_t version, set.integer(operator_set_fields::version));
    if (version < 1) {
      return set.error_in(operator_set_fields::version, "{}, expected at least 1", version);
    }
    std::int64_t &newest = sets[without_default(domain)];
    newest = std::max(newest, version);
    return {};
  }));
  return sets;
}

Result<Type> Reader::tensor_type(const Message &message) {
  Type result;
  result.kind = Type::Kind::Tensor;
  BP_ASSIGN(result.data_type, message.integer(type_fields::elem_type));
  result.has_sizes = message.has(type_fields::shape);
  BP_ASSIGN(const Message shape, message.child(type_fields::shape));
  BP_TRY(list(shape, type_fields::dim, result.sizes, [&](const Message &dim) -> Result<Type::Size> {
    Type::Size size;
    if (dim.has(type_fields::dim_value)) {
      BP_ASSIGN(size.value, dim.integer(type_fields::dim_value));
    }
    BP_ASSIGN(size.parameter, dim.text(type_fields::dim_param));
    return size;
  }));
  return result;
}

Result<Type> Reader::type(const Message &message) {
  if (message.has(type_fields::tensor_type)) {
    BP_ASSIGN(const Message tensor, message.child(type_fields::tensor_type));
    return tensor_type(tensor);
  }
  Type result;
  const bool is_sequence = message.has(type_fields::sequence_type);
  if (is_sequence || message.has(type_fields::optional_type)) {
    result.kind = is_sequence ? Type::Kind::Sequence : Type::Kind::Optional;
    BP_ASSIGN(const Message outer,
              message.child(is_sequence ? type_fields::sequence_type : type_fields::optional_type));
    BP_ASSIGN(const Message inner, outer.child(type_fields::elem_type));
    BP_ASSIGN(Type element, type(inner));
    result.elements.push_back(std::move(element));
  } else if (message.has(type_fields::map_type) || message.has(type_fields::sparse_tensor_type)) {
    result.kind = Type::Kind::Other;
  }
  return result;
}

Result<ValueInfo> Reader::value(const Message &message) {
  ValueInfo info;
  BP_ASSIGN(info.name, message.text(value_fields::name));
  BP_ASSIGN(const Message type_message, message.child(value_fields::type));
  BP_ASSIGN(info.type, type(type_message));
  return info;
}

Result<Attribute> Reader::attribute(const Message &message) {
  Attribute result;
  BP_ASSIGN(result.name, message.text(attribute_fields::name));
  BP_ASSIGN(result.reference, message.text(attribute_fields::ref_attr_name));
  BP_ASSIGN(const std::int64_t type_number, message.integer(attribute_fields::type));
  if (type_number < 0 || type_number > static_cast<std::int64_t>(Attribute::Type::TypeProtos)) {
    return message.error_in(attribute_fields::type, "{}, expected 1 to 14", type_number);
  }
  result.type = static_cast<Attribute::Type>(type_number);
  BP_ASSIGN(result.real, message.real(attribute_fields::f));
  BP_ASSIGN(result.integer, message.integer(attribute_fields::i));
  BP_ASSIGN(result.text, message.text(attribute_fields::s));
  BP_ASSIGN(const std::string reals, message.fixed_width(attribute_fields::floats, sizeof(float)));
  for (std::size_t at = 0; at < reals.size(); at += sizeof(float)) {
    float number = 0;
    std::copy_n(reals.data() + at, sizeof number, reinterpret_cast<char *>(&number));
    result.reals.push_back(number);
  }
  BP_ASSIGN(result.integers, message.integers(attribute_fields::ints));
  BP_TRY(texts(message, attribute_fields::strings, result.texts));
  const auto tensor = [&](const Message &item) { return read_tensor(item, storage_); };
  BP_TRY(list(message, attribute_fields::t, result.tensors, tensor));
  BP_TRY(list(message, attribute_fields::tensors, result.tensors, tensor));
  BP_TRY(list(message, attribute_fields::sparse_tensor, result.tensors,
              [&](const Message &item) { return read_sparse_tensor(item, storage_); }));
  const auto shared_graph = [&](const Message &item) -> Result<std::shared_ptr<const Graph>> {
    BP_ASSIGN(Graph inner, graph(item));
    return std::make_shared<const Graph>(std::move(inner));
  };
  BP_TRY(list(message, attribute_fields::g, result.graphs, shared_graph));
  BP_TRY(list(message, attribute_fields::graphs, result.graphs, shared_graph));
  BP_ASSIGN(const Message type_proto, message.child(attribute_fields::tp));
  BP_ASSIGN(result.type_proto, type(type_proto));
  if (result.type == Attribute::Type::Undefined && result.reference.empty()) {
    // Models of the first version of the format leave the type to the field that is there.
    result.type = message.has(attribute_fields::f)         ? Attribute::Type::Float
                  : message.has(attribute_fields::i)       ? Attribute::Type::Int
                  : message.has(attribute_fields::s)       ? Attribute::Type::String
                  : message.has(attribute_fields::t)       ? Attribute::Type::Tensor
                  : message.has(attribute_fields::g)       ? Attribute::Type::Graph
                  : message.has(attribute_fields::floats)  ? Attribute::Type::Floats
                  : message.has(attribute_fields::strings) ? Attribute::Type::Strings
                                                           : Attribute::Type::Ints;
  }
  return result;
}

Result<NodeProto> Reader::node(const Message &message) {
  NodeProto result;
  BP_ASSIGN(result.name, message.text(node_fields::name));
  BP_ASSIGN(result.operation, message.text(node_fields::op_type));
  BP_ASSIGN(const std::string_view domain, message.text(node_fields::domain));
  result.domain = without_default(domain);
  BP_ASSIGN(result.overload, message.text(node_fields::overload));
  BP_TRY(texts(message, node_fields::input, result.inputs));
  BP_TRY(texts(message, node_fields::output, result.outputs));
  BP_TRY(attributes(message, node_fields::attribute, result.attributes));
  result.path = message.path().to_string();
  return result;
}

Result<Graph> Reader::graph(const Message &message) {
  Graph result;
  BP_ASSIGN(result.name, message.text(graph_fields::name));
  BP_TRY(nodes(message, graph_fields::node, result.nodes));
  BP_TRY(list(message, graph_fields::initializer, result.initializers,
              [&](const Message &item) { return read_tensor(item, storage_); }));
  BP_TRY(list(message, graph_fields::sparse_initializer, result.initializers,
              [&](const Message &item) { return read_sparse_tensor(item, storage_); }));
  BP_TRY(values(message, graph_fields::input, result.inputs));
  BP_TRY(values(message, graph_fields::output, result.outputs));
  BP_TRY(values(message, graph_fields::value_info, result.values));
  return result;
}

Result<Function> Reader::function(const Message &message) {
  Function result;
  BP_ASSIGN(const std::string_view domain, message.text(function_fields::domain));
  result.domain = without_default(domain);
  BP_ASSIGN(result.name, message.text(function_fields::name));
  BP_ASSIGN(result.overload, message.text(function_fields::overload));
  BP_TRY(texts(message, function_fields::input, result.inputs));
  BP_TRY(texts(message, function_fields::output, result.outputs));
  BP_TRY(texts(message, function_fields::attribute, result.attributes));
  BP_TRY(attributes(message, function_fields::attribute_proto, result.defaults));
  BP_TRY(nodes(message, function_fields::node, result.nodes));
  BP_ASSIGN(result.operator_sets, operator_sets(message, function_fields::opset_import));
  return result;
}

Result<Model> Reader::model(const Message &message) {
  Model result;
  BP_ASSIGN(result.ir_version, message.integer(model_fields::ir_version));
  BP_ASSIGN(result.producer, message.text(model_fields::producer));
  BP_ASSIGN(result.operator_sets, operator_sets(message, model_fields::opset_import));
  if (!message.has(model_fields::graph)) {
    return message.error("there is no graph");
  }
  BP_ASSIGN(const Message graph_message, message.child(model_fields::graph));
  BP_ASSIGN(result.graph, graph(graph_message));
  BP_TRY(list(message, model_fields::functions, result.functions, [&](const Message &item) { return function(item); }));
  return result;
}

Result<Model> Reader::interface(const Message &message) {
  Model result;
  BP_ASSIGN(const Message graph_message, message.child(model_fields::graph));
  const auto name_of = [&](Field name) {
    return [name](const Message &item) -> Result<Tensor> {
      Tensor tensor;
      BP_ASSIGN(tensor.name, item.text(name));
      return tensor;
    };
  };
  BP_TRY(list(graph_message, graph_fields::initializer, result.graph.initializers, name_of(tensor_name)));
  BP_TRY(list(graph_message, graph_fields::sparse_initializer, result.graph.initializers,
              [&](const Message &item) -> Result<Tensor> {
                BP_ASSIGN(const Message values_of, item.child(sparse_values));
                return name_of(tensor_name)(values_of);
              }));
  BP_TRY(values(graph_message, graph_fields::input, result.graph.inputs));
  BP_TRY(values(graph_message, graph_fields::output, result.graph.outputs));
  return result;
}

// Reads a ModelProto by a method of the reader.
template <class Read>
Result<Model> read_by(std::string_view bytes, Read &&read) {
  std::deque<std::string> merged;
  BP_ASSIGN(const Message message, Message::parse(bytes, {nullptr, "ModelProto", -1, 0, &merged}));
  BP_ASSIGN(Model model, read(message));
  model.merged = std::move(merged);
  return model;
}

}  // namespace

Result<Model> read_model(std::string_view bytes, const Storage &storage) {
  return read_by(bytes, [&](const Message &message) { return Reader(storage).model(message); });
}

Result<Model> read_interface(std::string_view bytes) {
  return read_by(bytes, [](const Message &message) { return Reader({}).interface(message); });
}

Result<Tensor> read_tensor(std::string_view bytes) {
  BP_ASSIGN(const Message message, Message::parse(bytes, {nullptr, "TensorProto"}));
  return read_tensor(message, Storage());
}

namespace {

// The kinds of elements: DataType of SequenceProto and OptionalProto.
constexpr std::int64_t tensor_kind = 1, sequence_kind = 3;

Result<std::vector<Tensor>> tensors_of_sequence(const Message &message) {
  BP_ASSIGN(const std::int64_t kind, message.integer(sequence_fields::elem_type));
  if (kind != 0 && kind != tensor_kind) {
    return unsupported("{}: the elements are of kind {}, expected tensors ({})", message.path().to_string(), kind,
                       tensor_kind);
  }
  std::vector<Tensor> tensors;
  BP_TRY(message.for_each(sequence_fields::tensor_values, [&](const Message &item) -> Status {
    BP_ASSIGN(Tensor tensor, read_tensor(item, Storage()));
    tensors.push_back(std::move(tensor));
    return {};
  }));
  return tensors;
}

}  // namespace

Result<std::vector<Tensor>> read_sequence(std::string_view bytes) {
  BP_ASSIGN(const Message message, Message::parse(bytes, {nullptr, "SequenceProto"}));
  return tensors_of_sequence(message);
}

Result<std::optional<std::vector<Tensor>>> read_optional(std::string_view bytes) {
  BP_ASSIGN(const Message message, Message::parse(bytes, {nullptr, "OptionalProto"}));
  BP_ASSIGN(const std::int64_t kind, message.integer(optional_fields::elem_type));
  if (message.count(optional_fields::tensor_value) + message.count(optional_fields::sequence_value) > 1) {
    return message.error("there are several values, expected one");
  }
  std::optional<std::vector<Tensor>> tensors;
  if (kind == tensor_kind && message.has(optional_fields::tensor_value)) {
    BP_ASSIGN(const Message inner, message.child(optional_fields::tensor_value));
    BP_ASSIGN(Tensor tensor, read_tensor(inner, Storage()));
    tensors.emplace(1, std::move(tensor));
  } else if (kind == sequence_kind && message.has(optional_fields::sequence_value)) {
    BP_ASSIGN(const Message inner, message.child(optional_fields::sequence_value));
    BP_ASSIGN(tensors, tensors_of_sequence(inner));
  } else if (kind != 0 && kind != tensor_kind && kind != sequence_kind) {
    return unsupported("{}: the value is of kind {}, expected a tensor ({}) or a sequence ({})",
                       message.path().to_string(), kind, tensor_kind, sequence_kind);
  }
  return tensors;
}

bool is_model(std::string_view bytes) {
  // Fields of the outermost message alone are looked at, so that a large file is recognized at once.
  const Result<Message> message = Message::parse(bytes, {nullptr, "ModelProto"});
  constexpr std::uint32_t known[] = {1, 2, 3, 4, 5, 6, 7, 8, 14, 20, 25, 26};
  return message.ok() && message->has(model_fields::graph) && message->has_only(known) &&
         (message->has(model_fields::ir_version) || message->has(model_fields::opset_import)) &&
         message->text(model_fields::graph).ok();
}

}  // namespace bp::import::onnx
