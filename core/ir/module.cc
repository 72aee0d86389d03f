#include "core/ir/module.h"

#include <algorithm>

namespace bp::ir {
namespace {

template <class T>
std::span<const T> view_numbers_as(std::span<const std::int64_t> numbers) {
  static_assert(sizeof(T) % sizeof(std::int64_t) == 0 && std::is_trivially_copyable_v<T>);
  constexpr std::size_t stride = sizeof(T) / sizeof(std::int64_t);
  return {reinterpret_cast<const T *>(numbers.data()), numbers.size() / stride};
}

template <class T>
std::span<const std::int64_t> as_numbers(std::span<const T> values) {
  return {reinterpret_cast<const std::int64_t *>(values.data()), values.size() * (sizeof(T) / sizeof(std::int64_t))};
}

// Gives each name once.
class UniqueNames {
 public:
  // Returns the name itself at first, later with the next of ".1", ".2", ... that gives a new name.
  std::string take(const std::string &name) {
    auto [found, is_new] = next_.emplace(name, 1);
    if (is_new) {
      return name;
    }
    std::string candidate;
    do {
      candidate = fmt::format("{}.{}", name, found->second++);
    } while (next_.contains(candidate));
    next_.emplace(candidate, 1);
    return candidate;
  }

 private:
  std::unordered_map<std::string, int> next_;  // name -> the next suffix to try
};

}  // namespace

// --- Instruction ---

Opcode Instruction::opcode() const {
  return module_->data(id_).opcode;
}
std::string_view Instruction::name() const {
  return module_->text(module_->data(id_).name);
}
const Shape &Instruction::shape() const {
  return module_->shape(module_->data(id_).shape);
}
ShapeId Instruction::shape_id() const {
  return module_->data(id_).shape;
}
Computation Instruction::parent() const {
  return {module_, module_->data(id_).parent};
}
Computation Instruction::called(std::size_t i) const {
  return {module_, calls()[i]};
}

std::span<const InstructionId> Instruction::operands() const {
  auto range = module_->data(id_).operands;
  return {module_->instruction_lists_.data() + range.begin, range.count};
}

std::span<const InstructionId> Instruction::control_predecessors() const {
  auto range = module_->data(id_).control_predecessors;
  return {module_->instruction_lists_.data() + range.begin, range.count};
}

std::span<const ComputationId> Instruction::calls() const {
  auto range = module_->data(id_).calls;
  return {module_->computation_lists_.data() + range.begin, range.count};
}

bool Instruction::has(AttributeKey key) const {
  return module_->find(id_, key) != nullptr;
}

std::span<const std::int64_t> Instruction::numbers(AttributeKey key) const {
  const auto *found = module_->find(id_, key);
  if (found == nullptr) {
    return {};
  }
  return {module_->numbers_.data() + found->data.begin, found->data.count};
}

std::int64_t Instruction::number(AttributeKey key, std::int64_t if_absent) const {
  auto found = numbers(key);
  return found.empty() ? if_absent : found[0];
}

double Instruction::real(AttributeKey key, double if_absent) const {
  auto found = numbers(key);
  return found.empty() ? if_absent : std::bit_cast<double>(found[0]);
}

std::string_view Instruction::text(AttributeKey key) const {
  const auto *found = module_->find(id_, key);
  return found == nullptr ? std::string_view() : module_->text(found->data);
}

std::span<const WindowDimension> Instruction::window() const {
  return view_numbers_as<WindowDimension>(numbers(AttributeKey::Window));
}

std::span<const SliceRange> Instruction::slice_ranges() const {
  return view_numbers_as<SliceRange>(numbers(AttributeKey::Slice));
}

std::span<const PaddingDimension> Instruction::padding() const {
  return view_numbers_as<PaddingDimension>(numbers(AttributeKey::Padding));
}

std::vector<std::span<const std::int64_t>> Instruction::number_lists(AttributeKey key) const {
  std::vector<std::span<const std::int64_t>> lists;
  auto rest = numbers(key);
  while (!rest.empty() && rest[0] >= 0 && static_cast<std::uint64_t>(rest[0]) < rest.size()) {
    auto length = static_cast<std::size_t>(rest[0]);
    lists.push_back(rest.subspan(1, length));
    rest = rest.subspan(1 + length);
  }
  return lists;
}

ConvolutionDimensions Instruction::convolution_dimensions() const {
  return decode_dim_labels(numbers(AttributeKey::DimLabels));
}

ConvolutionDimensions decode_dim_labels(std::span<const std::int64_t> numbers) {
  BP_CHECK(numbers.size() >= 6 && (numbers.size() - 6) % 3 == 0);
  std::size_t spatial = (numbers.size() - 6) / 3;
  auto rest = numbers.subspan(6);
  return {numbers[0],        numbers[1], numbers[2],          numbers[3],
          numbers[4],        numbers[5], rest.first(spatial), rest.subspan(spatial, spatial),
          rest.last(spatial)};
}

std::vector<AttributeKey> Instruction::attribute_keys() const {
  auto range = module_->data(id_).attributes;
  std::vector<AttributeKey> keys;
  for (std::uint32_t i = 0; i < range.count; ++i) {
    keys.push_back(module_->attributes_[range.begin + i].key);
  }
  return keys;
}

const Literal &Instruction::literal() const {
  static const Literal none;
  auto i = module_->data(id_).literal;
  return i == 0xffffffff ? none : module_->literals_[i];
}

const Metadata *Instruction::metadata() const {
  auto i = module_->data(id_).metadata;
  return i == 0xffffffff ? nullptr : &module_->metadata_[i];
}

std::uint32_t Instruction::source_line() const {
  return module_->data(id_).source_line;
}
std::uint32_t Instruction::source_column() const {
  return module_->data(id_).source_column;
}

SourceLocation Instruction::location() const {
  return {module_->source_file(), source_line(), source_column(), {}};
}

// --- Computation ---

std::string_view Computation::name() const {
  return module_->computations_[index(id_)].name;
}
std::string_view Computation::execution_thread() const {
  return module_->computations_[index(id_)].execution_thread;
}
std::span<const InstructionId> Computation::instruction_ids() const {
  return module_->computations_[index(id_)].order;
}
std::span<const InstructionId> Computation::parameter_ids() const {
  return module_->computations_[index(id_)].parameters;
}
bool Computation::has_root() const {
  return module_->computations_[index(id_)].root != no_instruction;
}

Instruction Computation::root() const {
  BP_CHECK(has_root());
  return {module_, module_->computations_[index(id_)].root};
}

// --- Module ---

Computation Module::entry() const {
  BP_CHECK(has_entry());
  return {this, entry_};
}

std::size_t Module::instruction_count() const {
  std::size_t count = 0;
  for (Computation c : computations()) {
    count += c.instruction_count();
  }
  return count;
}

ShapeId Module::intern(const Shape &shape) {
  std::size_t hash = shape.hash();
  auto [begin, end] = shape_index_.equal_range(hash);
  for (auto it = begin; it != end; ++it) {
    if (shapes_[index(it->second)] == shape) {
      return it->second;
    }
  }
  auto id = static_cast<ShapeId>(shapes_.size());
  shapes_.push_back(shape);
  shape_index_.emplace(hash, id);
  return id;
}

ComputationId Module::add_computation(std::string_view name) {
  auto id = static_cast<ComputationId>(computations_.size());
  computations_.emplace_back();
  computations_.back().name = name;
  computation_order_.push_back(id);
  return id;
}

void Module::set_root(ComputationId computation, InstructionId root) {
  computations_[index(computation)].root = root;
}

void Module::set_computation_name(ComputationId computation, std::string_view name) {
  computations_[index(computation)].name = name;
}

void Module::set_execution_thread(ComputationId computation, std::string_view thread) {
  computations_[index(computation)].execution_thread = thread;
}

void Module::set_computation_order(std::vector<ComputationId> order) {
  std::vector<bool> is_kept(computations_.size(), false);
  for (ComputationId id : order) {
    is_kept[index(id)] = true;
  }
  for (ComputationId id : computation_order_) {
    if (!is_kept[index(id)]) {
      computations_[index(id)] = {};
    }
  }
  computation_order_ = std::move(order);
}

void Module::set_instruction_order(ComputationId computation, std::vector<InstructionId> order) {
  ComputationData &c = computations_[index(computation)];
  c.order = std::move(order);
  c.parameters.clear();
  for (InstructionId id : c.order) {
    if (data(id).opcode == Opcode::Parameter) {
      auto number = static_cast<std::size_t>(instruction(id).parameter_number());
      if (c.parameters.size() <= number) {
        c.parameters.resize(number + 1, no_instruction);
      }
      c.parameters[number] = id;
    }
  }
}

Module::Range Module::add_text(std::string_view text) {
  Range range{static_cast<std::uint32_t>(texts_.size()), static_cast<std::uint32_t>(text.size())};
  texts_ += text;
  return range;
}

InstructionId Module::add_instruction(ComputationId computation, Opcode opcode, const Shape &shape,
                                      std::span<const InstructionId> operands, std::string_view name) {
  auto id = static_cast<InstructionId>(instructions_.size());
  InstructionData added{};
  added.opcode = opcode;
  added.shape = intern(shape);
  added.parent = computation;
  added.name = add_text(name.empty() ? fmt::format("{}.{}", to_string(opcode), index(id)) : std::string(name));
  instructions_.push_back(added);
  set_operands(id, operands);
  computations_[index(computation)].order.push_back(id);
  return id;
}

InstructionId Module::add_parameter(ComputationId computation, std::int64_t number, const Shape &shape,
                                    std::string_view name) {
  InstructionId id = add_instruction(computation, Opcode::Parameter, shape, {}, name);
  set_number(id, AttributeKey::ParameterNumber, number);
  auto &parameters = computations_[index(computation)].parameters;
  auto position = static_cast<std::size_t>(number);
  if (parameters.size() <= position) {
    parameters.resize(position + 1, no_instruction);
  }
  parameters[position] = id;
  return id;
}

InstructionId Module::add_constant(ComputationId computation, Literal literal, std::string_view name) {
  InstructionId id = add_instruction(computation, Opcode::Constant, literal.shape(), {}, name);
  set_literal(id, std::move(literal));
  return id;
}

InstructionId Module::clone_instruction(ComputationId computation, Instruction from,
                                        std::span<const InstructionId> operands, std::span<const ComputationId> calls) {
  // Copies first: `from` may belong to this module, whose arrays grow below.
  Shape shape = from.shape();
  std::string name(from.name());
  InstructionId id;
  if (from.opcode() == Opcode::Parameter) {
    id = add_parameter(computation, from.parameter_number(), shape, name);
  } else {
    id = add_instruction(computation, from.opcode(), shape, operands, name);
  }
  for (AttributeKey key : from.attribute_keys()) {
    AttributeKind kind = info(key).kind;
    if (kind == AttributeKind::String || kind == AttributeKind::Text) {
      set_text(id, key, std::string(from.text(key)));
    } else {
      auto numbers = from.numbers(key);
      std::vector<std::int64_t> copy(numbers.begin(), numbers.end());
      set_numbers(id, key, copy);
    }
  }
  std::vector<ComputationId> calls_copy(calls.begin(), calls.end());
  set_calls(id, calls_copy);
  if (from.literal().is_valid()) {
    set_literal(id, Literal(from.literal()));
  }
  if (from.metadata() != nullptr) {
    set_metadata(id, Metadata(*from.metadata()));
  }
  set_source(id, from.source_line(), from.source_column());
  return id;
}

void Module::set_name(InstructionId id, std::string_view name) {
  std::string copy(name);  // `name` may point into texts_
  data(id).name = add_text(copy);
}

void Module::set_shape(InstructionId id, const Shape &shape) {
  Shape copy = shape;  // `shape` may be a reference into shapes_
  data(id).shape = intern(copy);
}

void Module::set_opcode(InstructionId id, Opcode opcode) {
  data(id).opcode = opcode;
}

void Module::set_operand(InstructionId id, std::size_t i, InstructionId operand) {
  auto range = data(id).operands;
  BP_CHECK(i < range.count);
  instruction_lists_[range.begin + i] = operand;
}

void Module::set_operands(InstructionId id, std::span<const InstructionId> operands) {
  std::vector<InstructionId> copy(operands.begin(), operands.end());
  data(id).operands = {static_cast<std::uint32_t>(instruction_lists_.size()), static_cast<std::uint32_t>(copy.size())};
  instruction_lists_.insert(instruction_lists_.end(), copy.begin(), copy.end());
}

void Module::set_control_predecessors(InstructionId id, std::span<const InstructionId> predecessors) {
  std::vector<InstructionId> copy(predecessors.begin(), predecessors.end());
  data(id).control_predecessors = {static_cast<std::uint32_t>(instruction_lists_.size()),
                                   static_cast<std::uint32_t>(copy.size())};
  instruction_lists_.insert(instruction_lists_.end(), copy.begin(), copy.end());
}

void Module::set_calls(InstructionId id, std::span<const ComputationId> calls) {
  std::vector<ComputationId> copy(calls.begin(), calls.end());
  data(id).calls = {static_cast<std::uint32_t>(computation_lists_.size()), static_cast<std::uint32_t>(copy.size())};
  computation_lists_.insert(computation_lists_.end(), copy.begin(), copy.end());
}

const Module::Attribute *Module::find(InstructionId id, AttributeKey key) const {
  auto range = data(id).attributes;
  const Attribute *begin = attributes_.data() + range.begin;
  for (const Attribute *a = begin; a != begin + range.count; ++a) {
    if (a->key == key) {
      return a;
    }
  }
  return nullptr;
}

void Module::set_attribute(InstructionId id, AttributeKey key, Range value) {
  Range &range = data(id).attributes;
  if (const Attribute *found = find(id, key)) {
    attributes_[static_cast<std::size_t>(found - attributes_.data())].data = value;
    return;
  }
  // Moves the list to the end of the pool unless it is there already; compact() removes the old entries.
  if (range.count != 0 && range.begin + range.count != attributes_.size()) {
    std::vector<Attribute> copy(attributes_.begin() + range.begin, attributes_.begin() + range.begin + range.count);
    range.begin = static_cast<std::uint32_t>(attributes_.size());
    attributes_.insert(attributes_.end(), copy.begin(), copy.end());
  } else if (range.count == 0) {
    range.begin = static_cast<std::uint32_t>(attributes_.size());
  }
  attributes_.push_back({key, value});
  ++range.count;
  std::sort(attributes_.end() - range.count, attributes_.end(),
            [](const Attribute &a, const Attribute &b) { return a.key < b.key; });
}

void Module::set_numbers(InstructionId id, AttributeKey key, std::span<const std::int64_t> numbers) {
  std::vector<std::int64_t> copy(numbers.begin(), numbers.end());
  Range range{static_cast<std::uint32_t>(numbers_.size()), static_cast<std::uint32_t>(copy.size())};
  numbers_.insert(numbers_.end(), copy.begin(), copy.end());
  set_attribute(id, key, range);
}

void Module::set_window(InstructionId id, std::span<const WindowDimension> window) {
  set_numbers(id, AttributeKey::Window, as_numbers(window));
}
void Module::set_slice_ranges(InstructionId id, std::span<const SliceRange> ranges) {
  set_numbers(id, AttributeKey::Slice, as_numbers(ranges));
}
void Module::set_padding(InstructionId id, std::span<const PaddingDimension> padding) {
  set_numbers(id, AttributeKey::Padding, as_numbers(padding));
}

void Module::set_text(InstructionId id, AttributeKey key, std::string_view text) {
  std::string copy(text);
  set_attribute(id, key, add_text(copy));
}

void Module::set_literal(InstructionId id, Literal literal) {
  data(id).literal = static_cast<std::uint32_t>(literals_.size());
  literals_.push_back(std::move(literal));
}

void Module::set_metadata(InstructionId id, Metadata metadata) {
  data(id).metadata = static_cast<std::uint32_t>(metadata_.size());
  metadata_.push_back(std::move(metadata));
}

void Module::set_source(InstructionId id, std::uint32_t line, std::uint32_t column) {
  data(id).source_line = line;
  data(id).source_column = column;
}

void Module::replace_uses(std::span<const InstructionId> replacements) {
  auto resolve = [&](InstructionId id) {
    while (index(id) < replacements.size() && replacements[index(id)] != no_instruction) {
      id = replacements[index(id)];
    }
    return id;
  };
  for (ComputationId c : computation_order_) {
    ComputationData &computation = computations_[index(c)];
    for (InstructionId id : computation.order) {
      for (Range range : {data(id).operands, data(id).control_predecessors}) {
        for (std::uint32_t i = 0; i < range.count; ++i) {
          InstructionId &use = instruction_lists_[range.begin + i];
          use = resolve(use);
        }
      }
    }
    if (computation.root != no_instruction) {
      computation.root = resolve(computation.root);
    }
  }
}

void Module::unique_names() {
  UniqueNames computation_names, instruction_names;
  const auto take = [&](InstructionId id) {
    const std::string name(text(data(id).name));
    if (std::string unique = instruction_names.take(name); unique != name) {
      set_name(id, unique);
    }
  };
  if (entry_ != no_computation) {
    std::ranges::for_each(computations_[index(entry_)].parameters, take);
  }
  for (ComputationId c : computation_order_) {
    ComputationData &computation = computations_[index(c)];
    computation.name = computation_names.take(computation.name);
    for (InstructionId id : computation.order) {
      if (c != entry_ || data(id).opcode != Opcode::Parameter) {
        take(id);
      }
    }
  }
}

void Module::compact() {
  Module result(name_);
  result.source_file_ = std::move(source_file_);
  result.header_ = std::move(header_);
  std::vector<ComputationId> new_computations(computations_.size(), no_computation);
  std::vector<InstructionId> new_instructions(instructions_.size(), no_instruction);
  for (ComputationId c : computation_order_) {
    new_computations[index(c)] = result.add_computation(computations_[index(c)].name);
  }
  for (ComputationId c : computation_order_) {
    const ComputationData &from = computations_[index(c)];
    ComputationId to = new_computations[index(c)];
    result.computations_[index(to)].execution_thread = from.execution_thread;
    for (InstructionId id : from.order) {
      Instruction instruction(this, id);
      std::vector<InstructionId> operands;
      for (InstructionId operand : instruction.operands()) {
        operands.push_back(new_instructions[index(operand)]);
      }
      std::vector<ComputationId> calls;
      for (ComputationId callee : instruction.calls()) {
        calls.push_back(new_computations[index(callee)]);
      }
      new_instructions[index(id)] = result.clone_instruction(to, instruction, operands, calls);
    }
    for (InstructionId id : from.order) {
      std::vector<InstructionId> predecessors;
      for (InstructionId predecessor : Instruction(this, id).control_predecessors()) {
        predecessors.push_back(new_instructions[index(predecessor)]);
      }
      if (!predecessors.empty()) {
        result.set_control_predecessors(new_instructions[index(id)], predecessors);
      }
    }
    if (from.root != no_instruction) {
      result.set_root(to, new_instructions[index(from.root)]);
    }
  }
  if (entry_ != no_computation) {
    result.entry_ = new_computations[index(entry_)];
  }
  *this = std::move(result);
}

}  // namespace bp::ir
