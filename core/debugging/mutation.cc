#include "core/debugging/mutation.h"

#include <algorithm>
#include <array>

#include "core/debugging/draws.h"
#include "core/debugging/random_module.h"
#include "core/debugging/random_scope.h"
#include "core/interpreter/interpreter.h"
#include "core/ir/shape_inference.h"
#include "core/ir/verifier.h"
#include "core/passes/pipeline.h"
#include "core/passes/rewrite.h"

namespace bp::debugging {
namespace {

using ir::AttributeKey;
using ir::AttributeKind;
using ir::ElementType;
using ir::InstructionId;
using ir::Opcode;
using ir::Shape;
using Numbers = std::vector<std::int64_t>;

class Mutation {
 public:
  Mutation(ir::Module base, std::uint64_t seed) : random_(seed), module_(std::move(base)) {}

  std::optional<ir::Module> run();

 private:
  bool isolate();
  void change();
  void change_type();
  void change_size();
  void change_rank();
  void change_attribute();
  void add_attribute();
  void change_op();
  void change_result();
  void exchange_operands();

  ir::Instruction op() const { return module_.instruction(op_); }
  ElementType any_type();
  std::int64_t any_number(std::int64_t now);
  // Returns a parameter of the entry whose value is an array.
  std::optional<InstructionId> any_array();
  void set_everywhere(ElementType from, ElementType to);

  Random random_;
  ir::Module module_;
  InstructionId op_ = ir::no_instruction;
};

// Reduces the entry to the op with parameters as operands.
bool Mutation::isolate() {
  std::vector<InstructionId> candidates;
  for (ir::Instruction i : module_.entry().instructions()) {
    if (i.operand_count() != 0 && i.opcode() != Opcode::Tuple && i.opcode() != Opcode::GetTupleElement) {
      candidates.push_back(i.id());
    }
  }
  if (candidates.empty()) {
    return false;
  }
  // All ops have the same probability, however frequent they are in the program.
  std::vector<Opcode> opcodes;
  for (InstructionId id : candidates) {
    opcodes.push_back(module_.instruction(id).opcode());
  }
  std::ranges::sort(opcodes);
  opcodes.erase(std::unique(opcodes.begin(), opcodes.end()), opcodes.end());
  const Opcode chosen = random_.of(opcodes);
  std::erase_if(candidates, [&](InstructionId id) { return module_.instruction(id).opcode() != chosen; });
  const ir::Instruction original = module_.instruction(random_.of(candidates));
  const ir::ComputationId entry = module_.add_computation("mutant");
  ir::Builder b(module_, entry);
  std::vector<InstructionId> operands;
  for (InstructionId operand : original.operands()) {
    const Shape shape = module_.instruction(operand).shape();
    const bool stays = module_.instruction(operand).opcode() == Opcode::Constant && random_.chance(2);
    operands.push_back(stays ? b.constant(module_.instruction(operand).literal()) : b.parameter(shape));
  }
  const std::vector<ir::ComputationId> calls(original.calls().begin(), original.calls().end());
  op_ = module_.clone_instruction(entry, original, operands, calls);
  module_.set_root(entry, op_);
  module_.set_entry(entry);
  module_.header() = {};
  return true;
}

ElementType Mutation::any_type() {
  ir::ElementTypeInfo type;
  do {
    type = random_.of(ir::element_types());
  } while (type.type_class == ir::TypeClass::Opaque || type.type == ElementType::Invalid);
  return type.type;
}

std::int64_t Mutation::any_number(std::int64_t now) {
  constexpr std::array<std::int64_t, 9> others{-1, 0, 1, 2, 3, 4, 8, 64, std::int64_t{1} << 40};
  const std::int64_t neighbours[] = {now - 1, now + 1, 2 * now};
  return random_.chance(2) ? random_.of(others) : random_.of(neighbours);
}

std::optional<InstructionId> Mutation::any_array() {
  std::vector<InstructionId> arrays;
  for (InstructionId id : module_.entry().parameter_ids()) {
    if (module_.instruction(id).shape().is_array()) {
      arrays.push_back(id);
    }
  }
  return arrays.empty() ? std::nullopt : std::optional(random_.of(arrays));
}

Shape retyped(Shape shape, ElementType from, ElementType to) {
  if (shape.element_type() == from) {
    shape.set_element_type(to);
  }
  for (Shape &element : shape.mutable_elements()) {
    element = retyped(element, from, to);
  }
  return shape;
}

void Mutation::set_everywhere(ElementType from, ElementType to) {
  for (ir::Computation computation : module_.computations()) {
    for (ir::Instruction i : computation.instructions()) {
      const Shape shape = retyped(i.shape(), from, to);
      if (i.opcode() == Opcode::Constant && shape != i.shape()) {
        module_.set_literal(i.id(), ir::Literal::zeros(shape).value());
      }
      module_.set_shape(i.id(), shape);
    }
  }
}

void Mutation::change_type() {
  const auto array = any_array();
  if (!array) {
    return;
  }
  Shape shape = module_.instruction(*array).shape();
  const ElementType to = any_type();
  if (!random_.chance(4)) {
    return set_everywhere(shape.element_type(), to);
  }
  shape.set_element_type(to);
  module_.set_shape(*array, shape);
}

void Mutation::change_size() {
  const auto array = any_array();
  if (!array || module_.instruction(*array).shape().rank() == 0) {
    return;
  }
  Shape shape = module_.instruction(*array).shape();
  const auto d = static_cast<std::size_t>(random_.below(static_cast<std::int64_t>(shape.rank())));
  if (random_.chance(6)) {
    shape.set_dynamic(d, !shape.is_dynamic(d));
  } else {
    shape.set_size(d, std::clamp<std::int64_t>(any_number(shape.size(d)), 0, 64));
  }
  module_.set_shape(*array, shape);
}

void Mutation::change_rank() {
  const auto array = any_array();
  if (!array) {
    return;
  }
  const Shape shape = module_.instruction(*array).shape();
  Numbers sizes(shape.sizes().begin(), shape.sizes().end());
  if (!sizes.empty() && random_.chance(2)) {
    sizes.erase(sizes.begin() + random_.below(std::ssize(sizes)));
  } else {
    sizes.insert(sizes.begin() + random_.below(std::ssize(sizes) + 1), random_.below(4));
  }
  module_.set_shape(*array, Shape::array(shape.element_type(), sizes));
}

void Mutation::change_attribute() {
  const std::vector<AttributeKey> keys = op().attribute_keys();
  if (keys.empty()) {
    return;
  }
  const AttributeKey key = random_.of(keys);
  const auto before = op().numbers(key);
  if (passes::is_text(key) || ir::is_hint(key)) {
    return;
  }
  Numbers numbers(before.begin(), before.end());
  const auto at = [&] { return numbers.begin() + random_.below(std::ssize(numbers)); };
  const std::int64_t kind = numbers.empty() ? 0 : random_.below(6);
  if (kind == 0) {
    numbers.push_back(random_.below(4));
  } else if (kind == 1) {
    numbers.erase(at());
  } else if (kind == 2) {
    std::iter_swap(at(), at());
  } else {
    std::int64_t &number = *at();
    number = any_number(number);
  }
  module_.set_numbers(op_, key, numbers);
}

void Mutation::add_attribute() {
  const auto uses = op().op().attributes;
  if (uses.empty()) {
    return;
  }
  const AttributeKey key = random_.of(uses).key;
  const AttributeKind kind = ir::info(key).kind;
  if (passes::is_text(key) || kind == AttributeKind::Computation || kind == AttributeKind::Computations ||
      kind == AttributeKind::Literal) {
    return;
  }
  Numbers numbers;
  for (std::int64_t n = random_.below(4); n >= 0; --n) {
    numbers.push_back(random_.below(4));
  }
  module_.set_numbers(op_, key, numbers);
}

// Replaces the op by another one with the same number of operands and the same attributes.
void Mutation::change_op() {
  std::vector<Opcode> others;
  for (const ir::OpInfo &other : ir::ops()) {
    const auto count = static_cast<std::int64_t>(op().operand_count());
    const bool fits = other.min_operands <= count && (other.max_operands < 0 || other.max_operands >= count);
    const bool has_all = std::ranges::all_of(op().attribute_keys(), [&](AttributeKey key) {
      return ir::is_hint(key) ||
             std::ranges::any_of(other.attributes, [&](const ir::AttributeUse &use) { return use.key == key; });
    });
    if (fits && has_all) {
      others.push_back(other.opcode);
    }
  }
  if (!others.empty()) {
    module_.set_opcode(op_, random_.of(others));
  }
}

// Changes the shape of an op with an explicit shape.
void Mutation::change_result() {
  Shape shape = op().shape();
  if (!shape.is_array()) {
    return;
  }
  if (random_.chance(2)) {
    shape.set_element_type(any_type());
  } else if (shape.rank() != 0) {
    const auto d = static_cast<std::size_t>(random_.below(static_cast<std::int64_t>(shape.rank())));
    shape.set_size(d, std::clamp<std::int64_t>(any_number(shape.size(d)), 0, 64));
  }
  module_.set_shape(op_, shape);
}

void Mutation::exchange_operands() {
  std::vector<InstructionId> operands(op().operands().begin(), op().operands().end());
  const auto count = std::ssize(operands);
  operands[static_cast<std::size_t>(random_.below(count))] = operands[static_cast<std::size_t>(random_.below(count))];
  module_.set_operands(op_, operands);
}

void Mutation::change() {
  switch (random_.below(10)) {
    case 0:
    case 1: return change_type();
    case 2:
    case 3: return change_size();
    case 4: return change_rank();
    case 5:
    case 6: return change_attribute();
    case 7: return random_.chance(2) ? add_attribute() : exchange_operands();
    case 8: return change_op();
    default: return change_result();
  }
}

std::optional<ir::Module> Mutation::run() {
  if (!isolate()) {
    return std::nullopt;
  }
  passes::tidy(module_);
  for (std::int64_t changes = random_.between(1, 4); changes > 0; --changes) {
    change();
  }
  Result<Shape> shape = ir::infer_shape(op());
  if (!shape.ok()) {
    return std::nullopt;
  }
  if (!op().is(ir::Trait::ExplicitShape)) {
    module_.set_shape(op_, *shape);
  }
  if (!ir::verify(module_).ok()) {
    return std::nullopt;
  }
  return std::move(module_);
}

// Parts of interpreter errors that may occur for a valid program.
constexpr std::string_view known_limits[] = {
    " for dimension ",           // a size, or a number of elements that must match sizes, is a value
    " do not fill ",             //
    " reaches outside",          // for indices of rows
    "needs more than one",       // device, but here there is only one
    "the interpreter is one",    //
    "with another device",       //
    "of another size",           // with dynamic dimensions; see run_time_sizes.def
    "with dynamic dimensions",   //
    "gave up after",             // limits of the run
    "exceeds the limit",         //
    "ran out of memory",         //
    "are nested more than",      //
    "no custom call",            // it is not registered
    "with sparsity metadata",    // it is preserved, but not computed with
    "between simulated devices"  //
};

bool is_known_limit(const Error &error) {
  return std::ranges::any_of(
      known_limits, [&](std::string_view text) { return error.message().find(text) != std::string_view::npos; });
}

}  // namespace

std::optional<ir::Module> random_mutant(const ir::Module &base, std::uint64_t seed) {
  return Mutation(base, seed).run();
}

std::optional<ir::Module> random_mutant(std::uint64_t seed) {
  RandomModuleOptions options;
  options.depth = 1;
  options.instructions = 60;
  return random_mutant(random_module(seed, options), seed);
}

Status check_mutant(const ir::Module &mutant, std::uint64_t seed) {
  BP_TRY(ir::verify(mutant));
  BP_ASSIGN(const std::vector<ir::Literal> arguments, draw_arguments(mutant, seed, static_cast<int>(seed % 4)));
  interpreter::Options options;
  options.max_steps = 100'000;
  options.max_seconds = 5;
  options.max_value_bytes = std::int64_t{1} << 24;
  options.threads = 1;
  const Result<ir::Literal> result = interpreter::interpret(mutant, arguments, options);
  if (!result.ok() && !is_known_limit(result.error())) {
    return result.error();
  }
  passes::PipelineOptions each;
  each.verify_between_passes = true;
  for (const passes::Pass &pass : passes::passes()) {
    ir::Module changed = mutant;
    BP_TRY(passes::run_passes(changed, std::span(&pass, 1), each));
  }
  return {};
}

}  // namespace bp::debugging
