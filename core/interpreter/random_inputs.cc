#include "core/interpreter/random_inputs.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "core/base/thread_pool.h"
#include "core/interpreter/wide.h"

namespace bp::interpreter {
namespace {

using ir::AttributeKey;
using ir::Instruction;
using ir::Literal;
using ir::Opcode;
using ir::Shape;

// Returns random bits: SplitMix64 of Steele, Lea and Flood, as a function of a counter.
std::uint64_t random_bits(std::uint64_t seed, std::uint64_t counter) {
  std::uint64_t z = seed + (counter + 1) * 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

// Returns the sum of twelve uniform numbers, which is approximately normal, and exact, so that it does not depend on
// the machine's math library.
double random_normal(std::uint64_t seed, std::uint64_t counter) {
  std::int64_t sum = 0;
  for (std::uint64_t i = 0; i < 3; ++i) {
    std::uint64_t bits = random_bits(seed, counter * 3 + i);
    for (int part = 0; part < 4; ++part) {
      sum += static_cast<std::int64_t>(bits >> (16 * part) & 0xffff);
    }
  }
  return (static_cast<double>(sum) + 6) / 65536 - 6;
}

double random_uniform(std::uint64_t seed, std::uint64_t counter) {
  return 0.5 + static_cast<double>(random_bits(seed, counter) >> 11) * 0x1p-53;
}

// Calls body(i) for each i below count, in parallel.
template <class Body>
void for_each_number(std::size_t count, Body &&body) {
  constexpr std::size_t part = 1 << 16;
  auto run = [&](std::uint32_t number, std::uint32_t) {
    for (std::size_t i = number * part; i < std::min(count, (number + 1) * part); ++i) {
      body(i);
    }
  };
  if (count <= part) {
    run(0, 0);
  } else {
    ThreadPool().parallel(static_cast<std::uint32_t>((count + part - 1) / part), run);
  }
}

// The value of an element depends only on its number and the seed.
template <class T>
void fill(std::span<T> out, const Shape &shape, std::uint64_t seed, const ValueRange &range) {
  if constexpr (std::is_integral_v<WideType<T>>) {
    std::uint64_t span = static_cast<std::uint64_t>(range.high) - static_cast<std::uint64_t>(range.low) + 1;
    for_each_number(out.size(), [&](std::size_t i) {
      std::uint64_t bits = random_bits(seed, i) >> 11;
      if constexpr (std::is_same_v<T, bool>) {
        out[i] = (bits & 1) != 0;
      } else {
        out[i] = narrow<T>(range.low + static_cast<std::int64_t>(span == 0 ? bits : bits % span));
      }
    });
    return;
  } else {
    const bool is_normal = shape.rank() >= 2 && !range.is_positive;
    std::int64_t fan_in = range.fan_in;
    if (fan_in == 0 && is_normal) {
      fan_in = ir::product(shape.sizes().first(shape.rank() - 1));
    }
    double deviation = 1 / std::sqrt(static_cast<double>(std::max<std::int64_t>(fan_in, 1)));
    auto value = [&](std::uint64_t counter) {
      return is_normal ? random_normal(seed, counter) * deviation : random_uniform(seed, counter);
    };
    for_each_number(out.size(), [&](std::size_t i) {
      if constexpr (is_complex_number<T>) {
        using Part = typename T::value_type;
        out[i] = T(static_cast<Part>(value(2 * i)), static_cast<Part>(value(2 * i + 1)));
      } else {
        double number = value(i);
        out[i] = narrow<T>(std::is_same_v<T, ir::F8E8M0FNU> ? std::fabs(number) : number);  // has no sign
      }
    });
  }
}

// Returns the part of the range that the type can represent.
ValueRange cut_to_type(ValueRange range, ir::ElementType type) {
  if (!ir::is_integer(type)) {
    return range;
  }
  int bits = ir::bit_width(type) - (ir::is_signed(type) ? 1 : 0);
  std::int64_t highest = bits >= 63 ? std::numeric_limits<std::int64_t>::max() : (std::int64_t{1} << bits) - 1;
  std::int64_t lowest = ir::is_signed(type) ? -highest - 1 : 0;
  range.low = std::clamp(range.low, lowest, highest);
  range.high = std::clamp(range.high, range.low, highest);
  return range;
}

// All uses of each instruction, with the index of the operand, so that tuples of many operands need not be searched.
class Uses {
 public:
  struct Use {
    ir::InstructionId user;
    std::uint32_t operand;
  };

  explicit Uses(const ir::Module &module) : begin_(module.instruction_id_limit() + 1) {
    for (ir::Computation computation : module.computations()) {
      for (Instruction instruction : computation.instructions()) {
        for (ir::InstructionId operand : instruction.operands()) {
          ++begin_[index(operand) + 1];
        }
      }
    }
    for (std::size_t i = 1; i < begin_.size(); ++i) {
      begin_[i] += begin_[i - 1];
    }
    uses_.resize(begin_.back());
    std::vector<std::uint32_t> next(begin_.begin(), begin_.end() - 1);
    for (ir::Computation computation : module.computations()) {
      for (Instruction instruction : computation.instructions()) {
        for (std::uint32_t i = 0; i < instruction.operand_count(); ++i) {
          uses_[next[index(instruction.operands()[i])]++] = {instruction.id(), i};
        }
      }
    }
  }
  std::span<const Use> of(ir::InstructionId id) const {
    return std::span(uses_).subspan(begin_[index(id)], begin_[index(id) + 1] - begin_[index(id)]);
  }

 private:
  std::vector<std::uint32_t> begin_;
  std::vector<Use> uses_;
};

std::int64_t product_of(const Shape &shape, std::span<const std::int64_t> dimensions) {
  std::int64_t result = 1;
  for (std::int64_t d : dimensions) {
    result *= shape.size(static_cast<std::size_t>(d));
  }
  return result;
}

// Follows an array from a parameter to a use that determines the range of its values.
class UseFinder {
 public:
  UseFinder(const ir::Module &module, const Uses &uses) : module_(module), uses_(uses) {}

  // element: -1 for the whole value, else the index of an element of the (flat) tuple.
  ValueRange find(Instruction parameter, std::int64_t element) {
    work_.clear();
    seen_.clear();
    fan_in_.reset();
    table_.reset();
    bound_.reset();
    is_positive_ = false;
    push(parameter.id(), element);
    // Maximum number of visits, which is enough to get from any parameter to its use; keeps the whole search linear.
    constexpr std::size_t max_visits = 500;
    for (std::size_t next = 0; next < work_.size() && next < max_visits; ++next) {
      auto [id, part] = work_[next];
      for (const Uses::Use &use : uses_.of(id)) {
        visit(module_.instruction(use.user), use.operand, part);
      }
    }
    const Shape &shape =
        element < 0 ? parameter.shape() : parameter.shape().elements()[static_cast<std::size_t>(element)];
    ValueRange range;
    range.fan_in = fan_in_.value_or(table_.value_or(0));
    range.is_positive = is_positive_;
    if (bound_.has_value()) {
      range.low = 0;
      range.high = std::max<std::int64_t>(*bound_ - 1, 0);
    } else if (shape.rank() == 0) {
      range.low = 1;  // counters, lengths, divisors
    }
    return range;
  }

 private:
  struct Element {
    ir::InstructionId id;
    std::int64_t element;
  };

  // Divides the variance, so that the result of a residual branch is small compared with the value it is added to.
  static constexpr std::int64_t damping = 4;

  void push(ir::InstructionId id, std::int64_t element) {
    if (seen_.insert({index(id), element}).second) {
      work_.push_back({id, element});
    }
  }
  void enter(ir::Computation computation, std::size_t parameter, std::int64_t element) {
    push(computation.parameter_ids()[parameter], element);
  }
  void bound(std::int64_t size) { bound_ = std::min(bound_.value_or(size), size); }

  void visit(Instruction user, std::uint32_t operand, std::int64_t element) {
    switch (user.opcode()) {
      case Opcode::Tuple:
      case Opcode::GetTupleElement:
      case Opcode::Call:
      case Opcode::Fusion:
      case Opcode::While:
      case Opcode::Conditional:
      case Opcode::OptimizationBarrier: return follow(user, operand, element);
      case Opcode::Dot:
      case Opcode::Convolution: return note_contraction(user, operand);
      case Opcode::Gather:
      case Opcode::Scatter:
      case Opcode::DynamicSlice:
      case Opcode::DynamicUpdateSlice: return note_index(user, operand);
      case Opcode::Compare: return bound_by_labels(user.operand(1 - operand));
      default: break;
    }
    is_positive_ = is_positive_ || needs_positive(user, operand);
    if (keeps_values(user) || is_shift(user, operand)) {
      push(user.id(), -1);
    }
  }

  // Control flow and tuples: the value itself goes on.
  void follow(Instruction user, std::uint32_t operand, std::int64_t element) {
    switch (user.opcode()) {
      case Opcode::Tuple: return push(user.id(), element < 0 ? operand : -2);
      case Opcode::GetTupleElement:
        if (element == user.tuple_index()) {
          push(user.id(), -1);
        }
        return;
      case Opcode::Call:
      case Opcode::Fusion: return enter(user.called(0), operand, element);
      case Opcode::While:
        enter(user.called(0), 0, element);
        enter(user.called(1), 0, element);
        return push(user.id(), element);
      case Opcode::Conditional:
        if (operand > 0) {
          enter(user.called(operand - 1), 0, element);
        }
        return;
      default: return push(user.id(), element);
    }
  }

  void note_contraction(Instruction user, std::uint32_t operand) {
    const Shape &shape = user.operand(operand).shape();
    if (operand > 1) {
      return;  // metadata of a sparse operand
    }
    if (user.opcode() == Opcode::Dot) {
      fan_in_ = damping * product_of(shape, user.numbers(operand == 0 ? AttributeKey::LhsContractingDims
                                                                      : AttributeKey::RhsContractingDims));
    } else if (operand == 0) {
      fan_in_ = 1;  // The data that a filter slides over has deviation 1.
    } else {
      // A filter has one input per feature and window position.
      const auto outputs = static_cast<std::size_t>(user.convolution_dimensions().rhs_output_feature);
      fan_in_ = damping * shape.element_count() / std::max<std::int64_t>(shape.size(outputs), 1);
    }
  }

  void note_index(Instruction user, std::uint32_t operand) {
    const Shape &shape = user.operand(0).shape();
    switch (user.opcode()) {
      case Opcode::Gather:
        if (operand == 0) {
          table_ = ir::product(user.numbers(AttributeKey::SliceSizes));
          return push(user.id(), -1);  // a table of indices returns indices
        }
        return bound_by_dimensions(shape, user.numbers(AttributeKey::StartIndexMap));
      case Opcode::Scatter:
        if (operand == user.operand_count() / 2) {
          bound_by_dimensions(shape, user.numbers(AttributeKey::ScatterDimsToOperandDims));
        }
        return;
      case Opcode::DynamicSlice:
        return operand == 0 ? push(user.id(), -1) : bound_by_start(user, operand - 1, user.shape());
      default: return operand < 2 ? push(user.id(), -1) : bound_by_start(user, operand - 2, user.operand(1).shape());
    }
  }

  bool needs_positive(Instruction user, std::uint32_t operand) const {
    switch (user.opcode()) {
      case Opcode::Sqrt:
      case Opcode::Rsqrt:
      case Opcode::Log: return true;
      case Opcode::Power: return operand == 0;
      case Opcode::Divide: return operand == 1;
      case Opcode::Broadcast: return is_factor(user);
      default: return false;
    }
  }

  // Whether elements of the result are elements of the operand, perhaps rounded.
  static bool keeps_values(Instruction user) {
    switch (user.opcode()) {
      case Opcode::Convert:
      case Opcode::ReducePrecision: return true;
      case Opcode::BitcastConvert:
      case Opcode::DynamicReshape:
      case Opcode::Shuffle: return false;
      default: return user.is(ir::Trait::Movement);
    }
  }

  // Indices are often shifted and clamped before they are used, and an epsilon is added to variances.
  static bool is_shift(Instruction user, std::uint32_t operand) {
    switch (user.opcode()) {
      case Opcode::Add:
      case Opcode::Subtract:
      case Opcode::Clamp:
      case Opcode::Maximum:
      case Opcode::Minimum:
      case Opcode::Select:
        return ir::is_integer(user.operand(operand).shape().element_type()) ||
               (user.operand_count() == 2 && is_constant(user.operand(1 - operand)));
      default: return false;
    }
  }

  // Whether the broadcast enlarges an operand and is multiplied.
  bool is_factor(Instruction broadcast) const {
    return broadcast.shape().element_count() > broadcast.operand(0).shape().element_count() &&
           std::ranges::any_of(uses_.of(broadcast.id()), [&](const Uses::Use &use) {
             return module_.instruction(use.user).opcode() == Opcode::Multiply;
           });
  }
  static bool is_constant(Instruction value) {
    return value.opcode() == Opcode::Constant ||
           (value.opcode() == Opcode::Broadcast && value.operand(0).opcode() == Opcode::Constant);
  }

  void bound_by_dimensions(const Shape &shape, std::span<const std::int64_t> dimensions) {
    for (std::int64_t d : dimensions) {
      bound(shape.size(static_cast<std::size_t>(d)));
    }
  }
  void bound_by_start(Instruction user, std::uint32_t dimension, const Shape &box) {
    const Shape &shape = user.operand(0).shape();
    if (dimension < shape.rank()) {
      bound(shape.size(dimension) - box.size(dimension) + 1);
    }
  }
  // Handles a comparison with an iota along a dimension: one-hot encodings and class labels.
  void bound_by_labels(Instruction other) {
    while (other.opcode() == Opcode::Broadcast || other.opcode() == Opcode::Reshape ||
           other.opcode() == Opcode::Convert) {
      other = other.operand(0);
    }
    if (other.opcode() == Opcode::Iota) {
      bound(other.shape().size(static_cast<std::size_t>(other.number(AttributeKey::IotaDimension))));
    }
  }

  const ir::Module &module_;
  const Uses &uses_;
  std::vector<Element> work_;
  std::set<std::pair<std::uint32_t, std::int64_t>> seen_;
  std::optional<std::int64_t> fan_in_, table_, bound_;
  bool is_positive_ = false;
};

}  // namespace

Result<Literal> random_literal(const Shape &shape, std::uint64_t seed, const ValueRange &range) {
  if (shape.is_tuple()) {
    std::vector<Literal> elements;
    for (const Shape &element : shape.elements()) {
      BP_ASSIGN(Literal literal, random_literal(element, random_bits(seed, elements.size()), range));
      elements.push_back(std::move(literal));
    }
    return Literal::tuple(std::move(elements));
  }
  BP_ASSIGN(Literal result, Literal::zeros(shape));
  if (shape.is_array()) {
    ValueRange cut = cut_to_type(range, shape.element_type());
    ir::visit_element_type(shape.element_type(),
                           [&]<class T>() { fill<T>(result.mutable_elements<T>(), shape, seed, cut); });
  }
  return result;
}

Result<std::vector<Literal>> random_arguments(const ir::Module &module, std::uint64_t seed) {
  Uses uses(module);
  UseFinder finder(module, uses);
  auto argument_for = [&](Instruction parameter, std::uint64_t own_seed) -> Result<Literal> {
    const Shape &shape = parameter.shape();
    if (!shape.is_tuple()) {
      return random_literal(shape, own_seed, finder.find(parameter, -1));
    }
    std::vector<Literal> elements;
    for (const Shape &element : shape.elements()) {
      ValueRange range = finder.find(parameter, std::ssize(elements));
      BP_ASSIGN(Literal literal, random_literal(element, random_bits(own_seed, elements.size()), range));
      elements.push_back(std::move(literal));
    }
    return Literal::tuple(std::move(elements));
  };
  std::vector<Literal> arguments;
  for (ir::InstructionId id : module.entry().parameter_ids()) {
    Instruction parameter = module.instruction(id);
    Result<Literal> argument = argument_for(parameter, random_bits(seed, arguments.size()));
    if (!argument.ok()) {
      return std::move(argument).error().at(parameter.location());
    }
    arguments.push_back(std::move(argument).value());
  }
  return arguments;
}

}  // namespace bp::interpreter
