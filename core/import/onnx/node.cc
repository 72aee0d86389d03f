#include "core/import/onnx/node.h"

#include <algorithm>

#include "core/import/onnx/tensor_reader.h"

namespace bp::import::onnx {

std::string Node::description() const {
  const std::string name = proto_.name.empty() ? std::string() : fmt::format(" \"{}\"", proto_.name);
  return fmt::format("{}{} ({})", proto_.operation, name, proto_.path);
}

Values Node::fail(std::string message) const {
  builder_.fail(invalid_input("{}: {}", description(), message));
  return {};
}

Values Node::unsupported(std::string message) const {
  builder_.fail(bp::unsupported("{}: {}", description(), message));
  return {};
}

const Value &Node::value(std::size_t i) const {
  static const Value absent;
  return i < inputs_.size() ? inputs_[i] : absent;
}

Array Node::input(std::size_t i) const {
  if (!has_input(i)) {
    fail("input {} is absent", i);
    return {&builder_, ir::no_instruction};
  }
  if (inputs_[i].has_texts()) {
    unsupported(fmt::format("input {} is a tensor of texts, which are not computed", i));
    return {&builder_, ir::no_instruction};
  }
  if (!inputs_[i].is_array()) {
    fail("input {} is a sequence, expected an array", i);
    return {&builder_, ir::no_instruction};
  }
  return inputs_[i].array();
}

Arrays Node::inputs() const {
  Arrays arrays;
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    arrays.push_back(input(i));
  }
  return arrays;
}

namespace {

// Keeps the error that the elements of an input must be known.
void fail_unknown(const Node &node, std::size_t i) {
  const Array input = node.input(i);
  if (node.builder().has_failed()) {
    return;
  }
  node.unsupported(fmt::format(
      "sizes depend on the elements of input {}, \"{}\", expected that they follow from constants and shapes: give the "
      "elements of the model's inputs that they depend on",
      i, i < node.proto().inputs.size() ? node.proto().inputs[i] : std::string_view()));
  node.builder().state().unknown = input.id();
}

}  // namespace

Integers Node::known_integers(std::size_t i) const {
  const SizeIntegers values = size_integers(i);
  if (!values.are_known() && !builder_.has_failed()) {
    fail_unknown(*this, i);
  }
  return values.are_known() ? values.bounds : Integers();
}

Array SizeIntegers::value(std::size_t i) const {
  const auto begin = static_cast<std::int64_t>(i);
  return convert(reshape(slice(reshape(values, {values.count()}), 0, begin, begin + 1), {}), ElementType::S64);
}

SizeIntegers Node::size_integers(std::size_t i) const {
  const Array array = input(i);
  if (auto known = array.integers(Known::Given)) {
    const std::size_t count = known->size();
    return {std::move(*known), std::vector<bool>(count, true), array};
  }
  const std::optional<IntegerRanges> ranges = array.ranges();
  SizeIntegers result{{}, {}, array};
  for (std::size_t k = 0; ranges && k < ranges->low.size(); ++k) {
    result.bounds.push_back(ranges->high[k]);
    result.is_known.push_back(ranges->low[k] == ranges->high[k]);
  }
  if (!ranges || (!result.are_known() && !may_be_bounded())) {
    fail_unknown(*this, i);
  }
  return result;
}

std::optional<ir::Literal> Node::selecting_literal(std::size_t i) const {
  if (!may_be_bounded()) {
    return known_literal(i);
  }
  return input(i).literal(builder_.state().prefers_given ? Known::Given : Known::Constant);
}

std::vector<double> Node::known_reals(std::size_t i) const {
  if (auto values = input(i).reals(Known::Given)) {
    return *values;
  }
  fail_unknown(*this, i);
  return {};
}

std::optional<ir::Literal> Node::known_literal(std::size_t i) const {
  auto value = input(i).literal(Known::Given);
  if (!value) {
    fail_unknown(*this, i);
  }
  return value;
}

std::int64_t Node::known_integer(std::size_t i) const {
  const Integers values = known_integers(i);
  if (values.size() != 1) {
    fail("input {} has {} elements, expected one", i, values.size());
    return 0;
  }
  return values[0];
}

const Attribute *Node::unread() const {
  const auto found =
      std::ranges::find_if(proto_.attributes, [&](const Attribute &attribute) { return !read_.contains(&attribute); });
  return found == proto_.attributes.end() ? nullptr : &*found;
}

const Attribute *Node::find(std::string_view name) const {
  const auto found = std::ranges::find(proto_.attributes, name, &Attribute::name);
  if (found == proto_.attributes.end()) {
    return nullptr;
  }
  read_.insert(&*found);
  if (found->reference.empty()) {
    return &*found;
  }
  const auto value = scope_.attributes.find(found->reference);
  return value == scope_.attributes.end() ? nullptr : value->second;
}

const Attribute *Node::find(std::string_view name, Attribute::Type type) const {
  const Attribute *attribute = find(name);
  if (attribute != nullptr && attribute->type != type) {
    constexpr std::string_view names[] = {"no type", "a float",         "an integer",     "a text", "a tensor",
                                          "a graph", "floats",          "integers",       "texts",  "tensors",
                                          "graphs",  "a sparse tensor", "sparse tensors", "a type", "types"};
    fail("the attribute {} has {}, expected {}", name, names[static_cast<std::size_t>(attribute->type)],
         names[static_cast<std::size_t>(type)]);
    return nullptr;
  }
  return attribute;
}

std::int64_t Node::integer(std::string_view name, std::int64_t if_absent) const {
  const Attribute *attribute = find(name, Attribute::Type::Int);
  return attribute == nullptr ? if_absent : attribute->integer;
}

std::int64_t Node::integer(std::string_view name) const {
  if (!has(name)) {
    fail("the attribute {} is absent", name);
  }
  return integer(name, 0);
}

double Node::real(std::string_view name, double if_absent) const {
  const Attribute *attribute = find(name, Attribute::Type::Float);
  return attribute == nullptr ? if_absent : attribute->real;
}

double Node::real(std::string_view name) const {
  if (!has(name)) {
    fail("the attribute {} is absent", name);
  }
  return real(name, 0);
}

std::string_view Node::text(std::string_view name, std::string_view if_absent) const {
  const Attribute *attribute = find(name, Attribute::Type::String);
  return attribute == nullptr ? if_absent : attribute->text;
}

Integers Node::integers(std::string_view name, Integers if_absent) const {
  const Attribute *attribute = find(name, Attribute::Type::Ints);
  return attribute == nullptr ? std::move(if_absent) : attribute->integers;
}

std::vector<double> Node::reals(std::string_view name, std::vector<double> if_absent) const {
  const Attribute *attribute = find(name, Attribute::Type::Floats);
  return attribute == nullptr ? std::move(if_absent) : attribute->reals;
}

std::vector<std::string_view> Node::texts(std::string_view name) const {
  const Attribute *attribute = find(name, Attribute::Type::Strings);
  return attribute == nullptr ? std::vector<std::string_view>() : attribute->texts;
}

const Tensor *Node::tensor(std::string_view name) const {
  const Attribute *attribute = find(name);
  if (attribute == nullptr || attribute->tensors.size() != 1) {
    return nullptr;
  }
  return &attribute->tensors[0];
}

const Graph *Node::graph(std::string_view name) const {
  const Attribute *attribute = find(name, Attribute::Type::Graph);
  if (attribute == nullptr || attribute->graphs.empty()) {
    fail("the attribute {} is absent, expected a graph", name);
    return nullptr;
  }
  return attribute->graphs[0].get();
}

ElementType Node::element_type(std::string_view name, ElementType if_absent) const {
  if (!has(name)) {
    return if_absent;
  }
  const std::int64_t number = integer(name, 0);
  if (const auto type = onnx::element_type(number)) {
    return *type;
  }
  if (number == text_type) {
    unsupported("texts are not computed");
  } else {
    fail("the attribute {} is {}, expected the number of an element type", name, number);
  }
  return ElementType::F32;
}

std::int64_t Node::dimension(std::int64_t number, std::size_t rank) const {
  const auto limit = static_cast<std::int64_t>(rank);
  if (number < -limit || number >= limit) {
    fail("there is no dimension {} of {}", number, rank);
    return 0;
  }
  return number < 0 ? number + limit : number;
}

Integers Node::dimensions(const Integers &numbers, std::size_t rank) const {
  Integers result;
  for (const std::int64_t number : numbers) {
    result.push_back(dimension(number, rank));
  }
  std::ranges::sort(result);
  if (std::ranges::adjacent_find(result) != result.end()) {
    fail("a dimension is named twice");
  }
  return result;
}

}  // namespace bp::import::onnx
