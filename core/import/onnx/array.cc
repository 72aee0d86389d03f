#include "core/import/onnx/array.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/interpreter/interpreter.h"
#include "core/ir/literal.h"

namespace bp::import::onnx {
namespace {

using ir::AttributeKey;
using ir::ComputationId;
using ir::Instruction;
using ir::InstructionId;
using ir::Literal;

// Largest number of elements that are evaluated while a graph is imported.
constexpr std::int64_t max_evaluated = 1 << 16;

const Shape &invalid_shape() {
  static const Shape shape = Shape::scalar(ElementType::F32);
  return shape;
}

bool is_evaluated(const Instruction &instruction) {
  const Shape &shape = instruction.shape();
  if (!shape.is_array() || !shape.is_static() || shape.element_count() > max_evaluated) {
    return false;
  }
  switch (instruction.opcode()) {
    case Opcode::Broadcast:
    case Opcode::Iota:
    case Opcode::Reshape:
    case Opcode::Transpose:
    case Opcode::Reverse:
    case Opcode::Slice:
    case Opcode::DynamicSlice:
    case Opcode::Concatenate:
    case Opcode::Pad:
    case Opcode::Gather:
    case Opcode::Scatter:
    case Opcode::Reduce:
    case Opcode::ReduceWindow: return true;
    default: return info(instruction.opcode()).has(ir::Trait::Elementwise);
  }
}

// Evaluates an instruction and what it depends on, or returns nothing.
std::optional<Literal> evaluate(GraphBuilder &builder, InstructionId wanted, Known known) {
  ir::Module &module = builder.module();
  BuildState &state = builder.state();
  std::set<InstructionId> needed;
  std::vector<InstructionId> open = {wanted};
  std::vector<InstructionId> used;
  while (!open.empty()) {
    const InstructionId id = open.back();
    open.pop_back();
    if (!needed.insert(id).second) {
      continue;
    }
    const Instruction instruction = module.instruction(id);
    if (instruction.opcode() == Opcode::Constant || (known == Known::Given && state.values.contains(id))) {
      continue;
    }
    if (const auto outside = state.same_as.find(id); outside != state.same_as.end()) {
      open.push_back(outside->second);
      continue;
    }
    if (instruction.opcode() == Opcode::Parameter) {
      if (known != Known::Given || !state.given.contains(id)) {
        return {};
      }
      used.push_back(id);
      continue;
    }
    if (!is_evaluated(instruction)) {
      return {};
    }
    open.insert(open.end(), instruction.operands().begin(), instruction.operands().end());
  }
  const auto value = [&](InstructionId id) -> const Literal * {
    const Instruction instruction = module.instruction(id);
    if (instruction.opcode() == Opcode::Constant) {
      return &instruction.literal();
    }
    const auto given = state.given.find(id);
    if (given != state.given.end()) {
      return &given->second;
    }
    const auto found = state.values.find(id);
    return found == state.values.end() ? nullptr : &found->second;
  };
  interpreter::Options options;
  options.threads = 1;
  options.max_steps = 1 << 22;
  for (const InstructionId id : needed) {  // operands have smaller ids
    if (value(id) != nullptr) {
      continue;
    }
    if (const auto outside = state.same_as.find(id); outside != state.same_as.end()) {
      Literal same = *value(outside->second);
      state.values.emplace(id, std::move(same));
      continue;
    }
    const Instruction instruction = module.instruction(id);
    std::vector<Literal> operands;
    for (const InstructionId operand : instruction.operands()) {
      operands.push_back(*value(operand));
    }
    Result<Literal> result = interpreter::evaluate_instruction(instruction, operands, options);
    if (!result.ok()) {
      return {};
    }
    state.values.emplace(id, std::move(*result));
  }
  state.used.insert(used.begin(), used.end());
  return *value(wanted);
}

template <class E>
constexpr bool is_integer_element = std::is_integral_v<E> || requires(E element) { E::is_signed; };
template <class E>
constexpr bool is_complex_element = requires(E element) { element.imag(); };

template <class E>
std::int64_t to_integer(const E &element) {
  if constexpr (is_integer_element<E>) {
    return static_cast<std::int64_t>(element);
  } else if constexpr (is_complex_element<E>) {
    return to_integer(element.real());
  } else {
    const auto real = static_cast<double>(element);
    return std::abs(real) < 0x1p63 ? static_cast<std::int64_t>(real) : 0;
  }
}

template <class E>
double to_real(const E &element) {
  if constexpr (is_integer_element<E>) {
    return static_cast<double>(static_cast<std::int64_t>(element));
  } else if constexpr (is_complex_element<E>) {
    return static_cast<double>(element.real());
  } else {
    return static_cast<double>(element);
  }
}

// Returns the elements of an array, each converted.
template <class T, class Convert>
std::vector<T> elements_of(const Literal &literal, Convert &&convert_element) {
  return ir::visit_element_type(literal.shape().element_type(), [&]<class E>() {
    std::vector<T> numbers;
    numbers.reserve(literal.elements<E>().size());
    for (const E &element : literal.elements<E>()) {
      numbers.push_back(convert_element(element));
    }
    return numbers;
  });
}

GraphBuilder *builder_of(std::initializer_list<Array> arrays) {
  for (const Array &array : arrays) {
    if (array.is_present()) {
      return &array.builder();
    }
  }
  return nullptr;
}

Integers dimensions_from(std::int64_t first, std::size_t count) {
  Integers dimensions(count);
  std::iota(dimensions.begin(), dimensions.end(), first);
  return dimensions;
}

std::string to_string(Span sizes) {
  return fmt::format("[{}]", fmt::join(sizes, ","));
}

// Whether there can be an array of these sizes; otherwise keeps an error.
bool check_sizes(GraphBuilder &builder, Span sizes) {
  if (sizes.size() > ir::max_rank) {
    builder.fail("an array has {} dimensions, expected at most {}", sizes.size(), ir::max_rank);
    return false;
  }
  if (std::ranges::any_of(sizes, [](std::int64_t size) { return size < 0; })) {
    builder.fail("an array has sizes {}, expected at least 0", to_string(sizes));
    return false;
  }
  return true;
}

}  // namespace

std::string clean_name(std::string_view text, std::string_view if_empty) {
  std::string name(text.empty() ? if_empty : text);
  const auto is_letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  std::ranges::replace_if(
      name, [&](char c) { return !is_letter(c) && (c < '0' || c > '9') && c != '.' && c != '-'; }, '_');
  return name.empty() || is_letter(name[0]) ? name : "_" + name;
}

// --- Array ---

const Shape &Array::shape() const {
  return is_valid() ? builder_->module().instruction(id_).shape() : invalid_shape();
}

std::int64_t Array::size(std::int64_t dimension) const {
  const auto rank = static_cast<std::int64_t>(this->rank());
  dimension = dimension < 0 ? dimension + rank : dimension;
  return dimension < 0 || dimension >= rank ? 1 : shape().size(static_cast<std::size_t>(dimension));
}

std::optional<Literal> Array::literal(Known known) const {
  return is_valid() ? evaluate(*builder_, id_, known) : std::nullopt;
}

std::optional<Integers> Array::integers(Known known) const {
  const auto value = literal(known);
  return value && value->shape().is_array()
             ? std::optional(elements_of<std::int64_t>(*value, [](const auto &e) { return to_integer(e); }))
             : std::nullopt;
}

std::optional<std::vector<double>> Array::reals(Known known) const {
  const auto value = literal(known);
  return value && value->shape().is_array()
             ? std::optional(elements_of<double>(*value, [](const auto &e) { return to_real(e); }))
             : std::nullopt;
}

// --- GraphBuilder ---

Array GraphBuilder::fail(Error error) {
  if (!state_.error) {
    state_.error = std::move(error);
  }
  return Array(this, ir::no_instruction);
}

void GraphBuilder::set_origin(std::string_view operation, std::string_view node) {
  metadata_.op_type = operation;
  metadata_.op_name = node;
  name_ = clean_name(node, operation);
}

Array GraphBuilder::parameter(const Shape &shape, std::string_view name) {
  return {this, ir::Builder(module_, computation_).parameter(shape, name)};
}

Array GraphBuilder::constant(Literal literal) {
  return {this, ir::Builder(module_, computation_).constant(std::move(literal))};
}

Array GraphBuilder::scalar(ElementType type, double value) {
  return {this, ir::Builder(module_, computation_).constant(type, value)};
}

Array GraphBuilder::integers(Span values, ElementType type) {
  Result<Literal> literal = Literal::zeros(Shape::array(type, {static_cast<std::int64_t>(values.size())}));
  if (!literal.ok()) {
    return fail(std::move(literal).error());
  }
  ir::visit_element_type(type, [&]<class T>() {
    std::ranges::transform(values, literal->mutable_elements<T>().begin(), [](std::int64_t value) {
      if constexpr (std::is_arithmetic_v<T> || is_integer_element<T>) {
        return static_cast<T>(value);
      } else {
        return T(static_cast<double>(value));
      }
    });
  });
  return constant(std::move(*literal));
}

Array GraphBuilder::reals(std::span<const double> values, ElementType type) {
  Result<Literal> literal = Literal::zeros(Shape::array(type, {static_cast<std::int64_t>(values.size())}));
  if (!literal.ok()) {
    return fail(std::move(literal).error());
  }
  ir::visit_element_type(type, [&]<class T>() {
    std::ranges::transform(values, literal->mutable_elements<T>().begin(), [](double value) {
      if constexpr (is_integer_element<T>) {
        return static_cast<T>(static_cast<std::int64_t>(value));
      } else {
        return T(value);
      }
    });
  });
  return constant(std::move(*literal));
}

Array GraphBuilder::filled(ElementType type, Span sizes, double value) {
  return broadcast_in(scalar(type, value), sizes, {});
}

Array GraphBuilder::iota(ElementType type, Span sizes, std::int64_t dimension) {
  if (!check_sizes(*this, sizes)) {
    return {this, ir::no_instruction};
  }
  return add(
      Opcode::Iota, std::span<const Array>{},
      [&](ir::Module &m, InstructionId id) { m.set_number(id, AttributeKey::IotaDimension, dimension); }, {},
      Shape::array(type, sizes));
}

Array GraphBuilder::add(Opcode opcode, std::span<const Array> operands, const Setter &set_attributes,
                        std::span<const ComputationId> calls, const Shape &shape) {
  std::vector<InstructionId> ids;
  for (const Array &operand : operands) {
    if (!operand.is_valid()) {
      return fail("{} misses an operand", ir::info(opcode).text);
    }
    ids.push_back(operand.id());
  }
  if (has_failed()) {
    return Array(this, ir::no_instruction);
  }
  ir::Builder builder(module_, computation_);
  Result<InstructionId> id = builder.try_add(
      opcode, ids, [&](ir::Module &m, InstructionId i) { set_attributes ? set_attributes(m, i) : void(); }, calls,
      shape);
  if (!id.ok()) {
    return fail(std::move(id).error());
  }
  if (!name_.empty()) {
    module_.set_name(*id, name_);
    module_.set_metadata(*id, metadata_);
  }
  return {this, *id};
}

Array GraphBuilder::element(const Array &tuple, std::int64_t index) {
  return add(Opcode::GetTupleElement, {tuple},
             [&](ir::Module &m, InstructionId id) { m.set_number(id, AttributeKey::Index, index); });
}

ComputationId GraphBuilder::scalar_computation(Opcode opcode, ElementType type) {
  const std::string name = fmt::format("{}.{}", ir::info(opcode).text, ir::to_string(type));
  for (const ComputationId id : module_.computation_ids()) {
    if (module_.computation(id).name() == name) {
      return id;
    }
  }
  // Not every op takes every type: what cannot be built is an error of the model.
  const ComputationId id = module_.add_computation(name);
  GraphBuilder inner(module_, id, state_);
  const Array x = inner.parameter(Shape::scalar(type), "lhs"), y = inner.parameter(Shape::scalar(type), "rhs");
  const Array result = inner.add(opcode, {x, y});
  module_.set_root(id, result.is_valid() ? result.id() : x.id());
  return id;
}

ComputationId GraphBuilder::computation(std::string_view name, std::span<const Shape> parameters, const Body &body) {
  const ComputationId id = module_.add_computation(name);
  GraphBuilder inner(module_, id, state_);
  inner.name_ = name_;
  inner.metadata_ = metadata_;
  Arrays arguments;
  for (const Shape &shape : parameters) {
    arguments.push_back(inner.parameter(shape, ""));
  }
  Array root = body(inner, arguments);
  if (!root.is_valid()) {
    root = inner.fail("a computation has no result");
    root = {&inner, inner.constant(Literal::scalar(ElementType::Pred, false)).id()};
  }
  module_.set_root(id, root.id());
  return id;
}

Arrays GraphBuilder::loop_while(const Arrays &values, const LoopCondition &condition, const WhileBody &body) {
  const Array initial = tuple(values);
  if (!initial.is_valid()) {
    return Arrays(values.size(), initial);
  }
  const Shape shape = initial.shape();
  const auto elements = [&](GraphBuilder &b, const Array &packed) {
    Arrays unpacked;
    for (std::size_t i = 0; i < values.size(); ++i) {
      unpacked.push_back(b.element(packed, static_cast<std::int64_t>(i)));
    }
    return unpacked;
  };
  const ComputationId calls[] = {
      computation("condition", std::span(&shape, 1),
                  [&](GraphBuilder &b, const Arrays &parameters) { return condition(b, elements(b, parameters[0])); }),
      computation("body", std::span(&shape, 1), [&](GraphBuilder &b, const Arrays &parameters) {
        return b.tuple(body(b, elements(b, parameters[0])));
      })};
  return elements(*this, add(Opcode::While, {initial}, {}, calls));
}

Arrays GraphBuilder::loop(const Array &count, const Arrays &values, const LoopBody &body) {
  Arrays all = {scalar(ElementType::S32, 0), count};  // the iteration and the count come first
  all.insert(all.end(), values.begin(), values.end());
  all = loop_while(
      all, [](GraphBuilder &, const Arrays &before) { return before[0] < before[1]; },
      [&](GraphBuilder &b, const Arrays &before) {
        Arrays next = body(b, before[0], {before.begin() + 2, before.end()});
        next.insert(next.begin(), {before[0] + 1, before[1]});
        return next;
      });
  return {all.begin() + 2, all.end()};
}

Arrays GraphBuilder::loop(std::int64_t count, const Arrays &values, const LoopBody &body) {
  Arrays all = {scalar(ElementType::S32, 0)};
  all.insert(all.end(), values.begin(), values.end());
  all = loop_while(
      all,
      [&](GraphBuilder &b, const Arrays &before) {
        return before[0] < b.scalar(ElementType::S32, static_cast<double>(count));
      },
      [&](GraphBuilder &b, const Arrays &before) {
        Arrays next = body(b, before[0], {before.begin() + 1, before.end()});
        next.insert(next.begin(), before[0] + 1);
        return next;
      });
  return {all.begin() + 1, all.end()};
}

// --- Types ---

Array convert(const Array &x, ElementType type) {
  if (!x.is_valid() || x.type() == type) {
    return x;
  }
  Shape shape = x.shape();
  shape.set_element_type(type);
  return x.builder().add(Opcode::Convert, {x}, {}, {}, shape);
}

ElementType compute_type(ElementType type) {
  return ir::is_floating(type) && ir::bit_width(type) < 32 ? ElementType::F32 : type;
}

// --- Sizes ---

std::optional<Integers> broadcast_sizes(Span a, Span b) {
  Integers result(std::max(a.size(), b.size()));
  for (std::size_t i = 0; i < result.size(); ++i) {
    const std::int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1, y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1) {
      return {};
    }
    result[result.size() - 1 - i] = x == 1 ? y : x;
  }
  return result;
}

Array broadcast_in(const Array &x, Span sizes, Span dimensions) {
  if (!x.is_valid()) {
    return x;
  }
  if (!check_sizes(x.builder(), sizes)) {
    return {&x.builder(), ir::no_instruction};
  }
  return x.builder().add(
      Opcode::Broadcast, {x},
      [&](ir::Module &m, InstructionId id) { m.set_numbers(id, AttributeKey::Dimensions, dimensions); }, {},
      Shape::array(x.type(), sizes));
}

Array broadcast_to(const Array &x, Span sizes) {
  if (!x.is_valid()) {
    return x;
  }
  const Integers own = x.sizes();
  if (std::ranges::equal(own, sizes)) {
    return x;
  }
  if (own.size() > sizes.size()) {
    return x.builder().fail("{} cannot be repeated to {}: it has more dimensions", ir::to_string(x.shape()),
                            to_string(sizes));
  }
  Integers kept, dimensions;
  const std::size_t added = sizes.size() - own.size();
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (own[i] == sizes[added + i]) {
      kept.push_back(own[i]);
      dimensions.push_back(static_cast<std::int64_t>(added + i));
    } else if (own[i] != 1) {
      return x.builder().fail("{} cannot be repeated to {}: the size {} is {} there, expected 1 or the same",
                              ir::to_string(x.shape()), to_string(sizes), own[i], sizes[added + i]);
    }
  }
  return broadcast_in(reshape(x, kept), sizes, dimensions);
}

Array reshape(const Array &x, Span sizes) {
  if (!x.is_valid() || std::ranges::equal(x.sizes(), sizes)) {
    return x;
  }
  if (!check_sizes(x.builder(), sizes)) {
    return {&x.builder(), ir::no_instruction};
  }
  if (ir::product(sizes) != x.count()) {
    return x.builder().fail("{} cannot become {}: it has another number of elements", ir::to_string(x.shape()),
                            to_string(sizes));
  }
  return x.builder().add(Opcode::Reshape, {x}, {}, {}, Shape::array(x.type(), sizes));
}

Array reshape(const Array &x, std::initializer_list<std::int64_t> sizes) {
  return reshape(x, Span(sizes.begin(), sizes.size()));
}

Array transpose(const Array &x, Span permutation) {
  if (!x.is_valid() || std::ranges::equal(permutation, dimensions_from(0, x.rank()))) {
    return x;
  }
  return x.builder().add(Opcode::Transpose, {x}, [&](ir::Module &m, InstructionId id) {
    m.set_numbers(id, AttributeKey::Dimensions, permutation);
  });
}

Array transpose(const Array &x, std::initializer_list<std::int64_t> permutation) {
  return transpose(x, Span(permutation.begin(), permutation.size()));
}

Array expand_dimension(const Array &x, std::int64_t dimension) {
  Integers sizes = x.sizes();
  const auto rank = static_cast<std::int64_t>(sizes.size());
  dimension = std::clamp<std::int64_t>(dimension < 0 ? dimension + rank + 1 : dimension, 0, rank);
  sizes.insert(sizes.begin() + dimension, 1);
  return reshape(x, sizes);
}

Array squeeze(const Array &x, Span dimensions) {
  Integers sizes;
  for (std::size_t i = 0; i < x.rank(); ++i) {
    if (std::ranges::find(dimensions, static_cast<std::int64_t>(i)) == dimensions.end()) {
      sizes.push_back(x.shape().size(i));
    }
  }
  return reshape(x, sizes);
}

Array flatten(const Array &x, std::int64_t first, std::int64_t last) {
  Integers sizes = x.sizes();
  const auto rank = static_cast<std::int64_t>(sizes.size());
  first = std::clamp<std::int64_t>(first, 0, rank);
  last = std::clamp<std::int64_t>(last, first, rank);
  const std::int64_t joined =
      ir::product(Span(sizes).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(last - first)));
  sizes.erase(sizes.begin() + first, sizes.begin() + last);
  sizes.insert(sizes.begin() + first, joined);
  return reshape(x, sizes);
}

// --- Movement ---

Array slice(const Array &x, std::int64_t dimension, std::int64_t begin, std::int64_t end, std::int64_t stride) {
  if (!x.is_valid()) {
    return x;
  }
  std::vector<ir::SliceRange> ranges;
  for (const std::int64_t size : x.sizes()) {
    ranges.push_back({0, size, 1});
  }
  dimension = dimension < 0 ? dimension + static_cast<std::int64_t>(x.rank()) : dimension;
  if (dimension < 0 || dimension >= static_cast<std::int64_t>(x.rank())) {
    return x.builder().fail("{} has no dimension {}", ir::to_string(x.shape()), dimension);
  }
  if (begin == 0 && end == x.size(dimension) && stride == 1) {
    return x;
  }
  ranges[static_cast<std::size_t>(dimension)] = {begin, end, stride};
  return x.builder().add(Opcode::Slice, {x}, [&](ir::Module &m, InstructionId id) { m.set_slice_ranges(id, ranges); });
}

Array concatenate(const Arrays &parts, std::int64_t dimension) {
  if (parts.size() == 1) {
    return parts[0];
  }
  for (const Array &part : parts) {
    if (part.is_present()) {
      return part.builder().add(Opcode::Concatenate, parts, [&](ir::Module &m, InstructionId id) {
        m.set_numbers(id, AttributeKey::Dimensions, {dimension});
      });
    }
  }
  return {};
}

Array reverse(const Array &x, Span dimensions) {
  if (!x.is_valid() || dimensions.empty()) {
    return x;
  }
  return x.builder().add(Opcode::Reverse, {x}, [&](ir::Module &m, InstructionId id) {
    m.set_numbers(id, AttributeKey::Dimensions, dimensions);
  });
}

Array pad(const Array &x, const Array &value, std::span<const ir::PaddingDimension> padding) {
  if (!x.is_valid()) {
    return x;
  }
  return x.builder().add(Opcode::Pad, {x, value}, [&](ir::Module &m, InstructionId id) { m.set_padding(id, padding); });
}

Array take(const Array &x, const Array &indices, std::int64_t dimension) {
  if (!x.is_valid() || !indices.is_valid()) {
    return x.is_valid() ? indices : x;
  }
  const auto rank = static_cast<std::int64_t>(x.rank());
  const auto index_rank = static_cast<std::int64_t>(indices.rank());
  Integers offset_dims = dimensions_from(0, static_cast<std::size_t>(dimension));
  for (std::int64_t i = dimension + 1; i < rank; ++i) {
    offset_dims.push_back(i - 1 + index_rank);
  }
  Integers sizes = x.sizes();
  sizes[static_cast<std::size_t>(dimension)] = 1;
  return x.builder().add(Opcode::Gather, {x, indices}, [&](ir::Module &m, InstructionId id) {
    m.set_numbers(id, AttributeKey::OffsetDims, offset_dims);
    m.set_numbers(id, AttributeKey::CollapsedSliceDims, {dimension});
    m.set_numbers(id, AttributeKey::StartIndexMap, {dimension});
    m.set_number(id, AttributeKey::IndexVectorDim, index_rank);
    m.set_numbers(id, AttributeKey::SliceSizes, sizes);
  });
}

Array take(const Array &x, Span indices, std::int64_t dimension) {
  if (!x.is_valid() || indices.empty()) {
    return slice(x, dimension, 0, 0);
  }
  const std::int64_t step = indices.size() == 1 ? 1 : indices[1] - indices[0];
  bool is_even = step > 0;
  for (std::size_t i = 1; i < indices.size(); ++i) {
    is_even = is_even && indices[i] - indices[i - 1] == step;
  }
  return is_even ? slice(x, dimension, indices.front(), indices.back() + 1, step)
                 : take(x, x.builder().integers(indices), dimension);
}

Array dynamic_slice(const Array &x, const Arrays &starts, Span sizes) {
  if (!x.is_valid()) {
    return x;
  }
  Arrays operands = {x};
  operands.insert(operands.end(), starts.begin(), starts.end());
  return x.builder().add(Opcode::DynamicSlice, operands, [&](ir::Module &m, InstructionId id) {
    m.set_numbers(id, AttributeKey::DynamicSliceSizes, sizes);
  });
}

Array dynamic_update_slice(const Array &x, const Array &update, const Arrays &starts) {
  if (!x.is_valid()) {
    return x;
  }
  Arrays operands = {x, update};
  operands.insert(operands.end(), starts.begin(), starts.end());
  return x.builder().add(Opcode::DynamicUpdateSlice, operands);
}

// --- Arithmetic ---

Array apply(Opcode opcode, const Array &x) {
  return x.is_valid() ? x.builder().add(opcode, {x}) : x;
}

namespace {

// Broadcasts the operands to each other, and calls `then` with them.
template <class Then>
Array with_equal_sizes(const Array &x, const Array &y, Then &&then) {
  GraphBuilder *builder = builder_of({x, y});
  if (!x.is_valid() || !y.is_valid()) {
    return builder == nullptr ? Array() : builder->fail("an operand is missing");
  }
  const auto sizes = broadcast_sizes(x.shape().sizes(), y.shape().sizes());
  if (!sizes) {
    return builder->fail("{} and {} cannot be broadcast to each other", ir::to_string(x.shape()),
                         ir::to_string(y.shape()));
  }
  return then(broadcast_to(x, *sizes), broadcast_to(y, *sizes));
}

}  // namespace

Array apply(Opcode opcode, const Array &x, const Array &y) {
  return with_equal_sizes(x, y, [&](const Array &a, const Array &b) { return a.builder().add(opcode, {a, b}); });
}

Array compare(ir::ComparisonDirection direction, const Array &x, const Array &y) {
  return with_equal_sizes(x, y, [&](const Array &a, const Array &b) {
    return a.builder().add(Opcode::Compare, {a, b}, [&](ir::Module &m, InstructionId id) {
      m.set_number(id, AttributeKey::Direction, static_cast<std::int64_t>(direction));
    });
  });
}

Array select(const Array &condition, const Array &x, const Array &y) {
  return with_equal_sizes(x, y, [&](const Array &a, const Array &b) {
    return with_equal_sizes(condition, a, [&](const Array &c, const Array &a2) {
      return a.builder().add(Opcode::Select, {c, a2, broadcast_to(b, a2.shape().sizes())});
    });
  });
}

Array number(double value, const Array &like) {
  return like.is_valid() ? like.builder().scalar(like.type(), value) : like;
}

namespace {
// Returns the lowest or the highest value of a type.
double extreme(ElementType type, bool highest) {
  if (type == ElementType::Pred) {
    return highest ? 1 : 0;
  }
  if (ir::is_floating(type)) {
    return highest ? std::numeric_limits<double>::infinity() : -std::numeric_limits<double>::infinity();
  }
  return highest ? 0x1p64 : -0x1p64;  // saturates at the limit of the type
}

}  // namespace

Array lowest(const Array &like) {
  return number(extreme(like.type(), false), like);
}

Array highest(const Array &like) {
  return number(extreme(like.type(), true), like);
}

#define BP_BINARY(symbol, opcode)                         \
  Array operator symbol(const Array &x, const Array &y) { \
    return apply(Opcode::opcode, x, y);                   \
  }                                                       \
  Array operator symbol(const Array &x, double y) {       \
    return apply(Opcode::opcode, x, number(y, x));        \
  }                                                       \
  Array operator symbol(double x, const Array &y) {       \
    return apply(Opcode::opcode, number(x, y), y);        \
  }
BP_BINARY(+, Add)
BP_BINARY(-, Subtract)
BP_BINARY(*, Multiply)
BP_BINARY(/, Divide)
#undef BP_BINARY

#define BP_COMPARISON(symbol, direction)                                 \
  Array operator symbol(const Array &x, const Array &y) {                \
    return compare(ir::ComparisonDirection::direction, x, y);            \
  }                                                                      \
  Array operator symbol(const Array &x, double y) {                      \
    return compare(ir::ComparisonDirection::direction, x, number(y, x)); \
  }
BP_COMPARISON(<, Lt)
BP_COMPARISON(>, Gt)
BP_COMPARISON(<=, Le)
BP_COMPARISON(>=, Ge)
BP_COMPARISON(==, Eq) BP_COMPARISON(!=, Ne)
#undef BP_COMPARISON

    Array
    operator-(const Array &x) {
  return apply(Opcode::Negate, x);
}
Array operator&&(const Array &x, const Array &y) {
  return apply(Opcode::And, x, y);
}
Array operator||(const Array &x, const Array &y) {
  return apply(Opcode::Or, x, y);
}
Array operator!(const Array &x) {
  return apply(Opcode::Not, x);
}
Array select(const Array &condition, const Array &x, double y) {
  return select(condition, x, number(y, x));
}
Array select(const Array &condition, double x, const Array &y) {
  return select(condition, number(x, y), y);
}

Array abs(const Array &x) {
  return ir::is_unsigned(x.type()) ? x : apply(Opcode::Abs, x);
}
Array exp(const Array &x) {
  return apply(Opcode::Exponential, x);
}
Array log(const Array &x) {
  return apply(Opcode::Log, x);
}
Array sqrt(const Array &x) {
  return apply(Opcode::Sqrt, x);
}
Array rsqrt(const Array &x) {
  return apply(Opcode::Rsqrt, x);
}
Array tanh(const Array &x) {
  return apply(Opcode::Tanh, x);
}
Array erf(const Array &x) {
  return apply(Opcode::Erf, x);
}
Array logistic(const Array &x) {
  return apply(Opcode::Logistic, x);
}
Array floor(const Array &x) {
  return apply(Opcode::Floor, x);
}
Array ceil(const Array &x) {
  return apply(Opcode::Ceil, x);
}
Array round_even(const Array &x) {
  return apply(Opcode::RoundNearestEven, x);
}
Array sine(const Array &x) {
  return apply(Opcode::Sine, x);
}
Array cosine(const Array &x) {
  return apply(Opcode::Cosine, x);
}
Array maximum(const Array &x, const Array &y) {
  return apply(Opcode::Maximum, x, y);
}
Array maximum(const Array &x, double y) {
  return maximum(x, number(y, x));
}
Array minimum(const Array &x, const Array &y) {
  return apply(Opcode::Minimum, x, y);
}
Array minimum(const Array &x, double y) {
  return minimum(x, number(y, x));
}
Array power(const Array &x, const Array &y) {
  return apply(Opcode::Power, x, y);
}
Array remainder(const Array &x, const Array &y) {
  return apply(Opcode::Remainder, x, y);
}
Array clamp(const Array &low, const Array &x, const Array &high) {
  return minimum(maximum(x, low), high);
}
Array is_nan(const Array &x) {
  return x != x;
}

// --- Reductions ---

Array reduce(Opcode opcode, double initial, const Array &x, Span dimensions, KeepSizes keep) {
  if (!x.is_valid()) {
    return x;
  }
  GraphBuilder &builder = x.builder();
  const bool is_wide = opcode == Opcode::Add || opcode == Opcode::Multiply;
  const Array wide = is_wide ? convert(x, compute_type(x.type())) : x;
  const ComputationId combiner = builder.scalar_computation(opcode, wide.type());
  Array result = wide;
  if (!dimensions.empty()) {
    result = builder.add(
        Opcode::Reduce, {wide, builder.scalar(wide.type(), initial)},
        [&](ir::Module &m, InstructionId id) { m.set_numbers(id, AttributeKey::Dimensions, dimensions); },
        std::span(&combiner, 1));
  }
  result = convert(result, x.type());
  if (keep == KeepSizes::No || !result.is_valid()) {
    return result;
  }
  Integers sizes = x.sizes();
  for (const std::int64_t dimension : dimensions) {
    sizes[static_cast<std::size_t>(dimension)] = 1;
  }
  return reshape(result, sizes);
}

Array reduce_sum(const Array &x, Span dimensions, KeepSizes keep) {
  return reduce(Opcode::Add, 0, x, dimensions, keep);
}

Array reduce_mean(const Array &x, Span dimensions, KeepSizes keep) {
  double count = 1;
  for (const std::int64_t dimension : dimensions) {
    count *= static_cast<double>(x.size(dimension));
  }
  const Array sum = reduce_sum(convert(x, compute_type(x.type())), dimensions, keep);
  return convert(sum / count, x.type());
}

Array reduce_product(const Array &x, Span dimensions, KeepSizes keep) {
  return reduce(Opcode::Multiply, 1, x, dimensions, keep);
}

Array reduce_max(const Array &x, Span dimensions, KeepSizes keep) {
  return reduce(Opcode::Maximum, extreme(x.type(), false), x, dimensions, keep);
}

Array reduce_min(const Array &x, Span dimensions, KeepSizes keep) {
  return reduce(Opcode::Minimum, extreme(x.type(), true), x, dimensions, keep);
}

Array reduce_window(Opcode opcode, const Array &initial, const Array &x, std::span<const ir::WindowDimension> window) {
  if (!x.is_valid()) {
    return x;
  }
  const ComputationId combiner = x.builder().scalar_computation(opcode, x.type());
  return x.builder().add(
      Opcode::ReduceWindow, {x, initial}, [&](ir::Module &m, InstructionId id) { m.set_window(id, window); },
      std::span(&combiner, 1));
}

// --- Contractions ---

Array dot(const Array &x, const Array &y, const DotDimensions &dimensions) {
  GraphBuilder *builder = builder_of({x, y});
  if (builder == nullptr) {
    return {};
  }
  return builder->add(Opcode::Dot, {x, y}, [&](ir::Module &m, InstructionId id) {
    m.set_numbers(id, AttributeKey::LhsBatchDims, dimensions.lhs_batch);
    m.set_numbers(id, AttributeKey::RhsBatchDims, dimensions.rhs_batch);
    m.set_numbers(id, AttributeKey::LhsContractingDims, dimensions.lhs_contracting);
    m.set_numbers(id, AttributeKey::RhsContractingDims, dimensions.rhs_contracting);
  });
}

Array widened(const Array &contraction, ElementType type) {
  if (contraction.is_valid()) {
    Shape shape = contraction.shape();
    shape.set_element_type(type);
    contraction.builder().module().set_shape(contraction.id(), shape);
  }
  return contraction;
}

Array matmul(const Array &x, const Array &y) {
  GraphBuilder *builder = builder_of({x, y});
  if (!x.is_valid() || !y.is_valid()) {
    return builder == nullptr ? Array() : builder->fail("an operand is missing");
  }
  if (x.rank() == 0 || y.rank() == 0) {
    return builder->fail("a scalar is multiplied, expected matrices or vectors");
  }
  const Array a = x.rank() == 1 ? expand_dimension(x, 0) : x;
  const Array b = y.rank() == 1 ? expand_dimension(y, 1) : y;
  const Integers a_sizes = a.sizes(), b_sizes = b.sizes();
  const auto batch = broadcast_sizes(Span(a_sizes).first(a_sizes.size() - 2), Span(b_sizes).first(b_sizes.size() - 2));
  if (!batch || a.size(-1) != b.size(-2)) {
    return builder->fail("{} and {} cannot be multiplied as matrices", ir::to_string(x.shape()),
                         ir::to_string(y.shape()));
  }
  Array result;
  const auto rank = static_cast<std::int64_t>(batch->size());
  if (b.rank() == 2) {
    result = dot(a, b, {{}, {}, {static_cast<std::int64_t>(a.rank()) - 1}, {0}});
  } else {
    const auto with_batch = [&](const Array &array) {
      Integers sizes = *batch;
      sizes.push_back(array.size(-2));
      sizes.push_back(array.size(-1));
      return broadcast_to(array, sizes);
    };
    const Integers batches = dimensions_from(0, batch->size());
    result = dot(with_batch(a), with_batch(b), {batches, batches, {rank + 1}, {rank}});
  }
  Integers sizes = *batch;
  if (x.rank() > 1) {
    sizes.push_back(a.size(-2));
  }
  if (y.rank() > 1) {
    sizes.push_back(b.size(-1));
  }
  return reshape(result, sizes);
}

// --- Order ---

Array indices_along(const Array &x, std::int64_t dimension, ElementType type) {
  return x.is_valid() ? x.builder().iota(type, x.sizes(), dimension) : x;
}

}  // namespace bp::import::onnx
