// Ops that move elements without computing with them. Most are one strided copy.

#include <cstring>

#include "core/interpreter/strided_copy.h"
#include "core/ir/storage.h"

namespace bp::interpreter {
namespace {

using ir::AttributeKey;

}  // namespace

Result<Literal> evaluate_constant(Evaluator &, const Instruction &instruction, Operands) {
  return instruction.literal();
}

// The caller of a computation provides its arguments; a parameter alone has no value.
Result<Literal> evaluate_parameter(Evaluator &, const Instruction &instruction, Operands) {
  return invalid_input("parameter {} has no value outside a call", instruction.parameter_number());
}

Result<Literal> evaluate_forward(Evaluator &, const Instruction &, Operands operands) {
  return std::move(operands[0]);
}

Result<Literal> evaluate_copy(Evaluator &, const Instruction &, Operands operands) {
  return std::move(operands[0]);
}

Result<Literal> evaluate_tuple(Evaluator &, const Instruction &, Operands operands) {
  return Literal::tuple(
      std::vector<Literal>(std::make_move_iterator(operands.begin()), std::make_move_iterator(operands.end())));
}

Result<Literal> evaluate_get_tuple_element(Evaluator &, const Instruction &instruction, Operands operands) {
  return operands[0].take_element(static_cast<std::size_t>(instruction.tuple_index()));
}

Result<Literal> evaluate_after_all(Evaluator &, const Instruction &, Operands) {
  return Literal::token();
}

Result<Literal> evaluate_iota(Evaluator &evaluator, const Instruction &instruction, Operands) {
  const Shape &shape = instruction.shape();
  BP_ASSIGN(Literal result, evaluator.allocate(shape));
  auto dimension = static_cast<std::size_t>(instruction.number(AttributeKey::IotaDimension));
  std::int64_t inner = ir::product(shape.sizes().subspan(dimension + 1)), size = shape.size(dimension);
  ir::visit_element_type(shape.element_type(), [&]<class T>() {
    std::span<T> out = result.mutable_elements<T>();
    for (std::size_t i = 0; i < out.size(); ++i) {
      std::int64_t number = static_cast<std::int64_t>(i) / inner % size;
      if constexpr (is_complex_number<T>) {
        out[i] = T(static_cast<typename T::value_type>(number));
      } else if constexpr (is_narrow_float<T>) {
        out[i] = T(static_cast<double>(number));
      } else {
        out[i] = narrow<T>(number);
      }
    }
  });
  return result;
}

Result<Literal> evaluate_broadcast(Evaluator &evaluator, const Instruction &instruction, Operands operands) {
  const Shape &shape = instruction.shape();
  Walk walk{0, Dimensions(shape.rank(), 0)};
  Dimensions strides = dense_strides(operands[0].shape().sizes());
  for (std::size_t d = 0; d < strides.size(); ++d) {
    walk.strides[static_cast<std::size_t>(instruction.dimensions()[d])] = strides[d];
  }
  return gathered(evaluator, shape, operands[0], walk);
}

Result<Literal> evaluate_transpose(Evaluator &evaluator, const Instruction &instruction, Operands operands) {
  const Shape &shape = instruction.shape();
  Walk walk{0, Dimensions(shape.rank())};
  Dimensions strides = dense_strides(operands[0].shape().sizes());
  for (std::size_t d = 0; d < strides.size(); ++d) {
    walk.strides[d] = strides[static_cast<std::size_t>(instruction.dimensions()[d])];
  }
  return gathered(evaluator, shape, operands[0], walk);
}

Result<Literal> evaluate_reverse(Evaluator &evaluator, const Instruction &instruction, Operands operands) {
  const Shape &shape = instruction.shape();
  Walk walk = dense_walk(shape.sizes());
  for (std::int64_t dimension : instruction.dimensions()) {
    auto d = static_cast<std::size_t>(dimension);
    walk.offset += (std::max<std::int64_t>(shape.size(d), 1) - 1) * walk.strides[d];
    walk.strides[d] = -walk.strides[d];
  }
  return gathered(evaluator, shape, operands[0], walk);
}

Result<Literal> evaluate_slice(Evaluator &evaluator, const Instruction &instruction, Operands operands) {
  Walk walk = dense_walk(operands[0].shape().sizes());
  std::span<const ir::SliceRange> ranges = instruction.slice_ranges();
  for (std::size_t d = 0; d < ranges.size(); ++d) {
    walk.offset += ranges[d].start * walk.strides[d];
    walk.strides[d] *= instruction.shape().size(d) > 1 ? ranges[d].stride : 0;  // that of one element may be any number
  }
  return gathered(evaluator, instruction.shape(), operands[0], walk);
}

Result<Literal> evaluate_concatenate(Evaluator &evaluator, const Instruction &instruction, Operands operands) {
  const Shape &shape = instruction.shape();
  BP_ASSIGN(Literal result, evaluator.allocate(shape));
  std::byte *out = result.mutable_bytes().data();
  auto dimension = static_cast<std::size_t>(instruction.dimensions()[0]);
  Walk walk = dense_walk(shape.sizes());
  for (const Literal &operand : operands) {
    std::span<const std::int64_t> sizes = operand.shape().sizes();
    strided_copy(evaluator, sizes, out, walk, operand.bytes().data(), dense_walk(sizes), element_width(shape));
    walk.offset += sizes[dimension] * walk.strides[dimension];
  }
  return result;
}

// Element i of the operand moves to low + i * (interior + 1); elements that negative padding moves outside are dropped.
Result<Literal> evaluate_pad(Evaluator &evaluator, const Instruction &instruction, Operands operands) {
  const Shape &shape = instruction.shape();
  Walk same_everywhere{0, Dimensions(shape.rank(), 0)};
  BP_ASSIGN(Literal result, gathered(evaluator, shape, operands[1], same_everywhere));
  std::span<const ir::PaddingDimension> padding = instruction.padding();
  Walk to = dense_walk(shape.sizes()), from = dense_walk(operands[0].shape().sizes());
  Dimensions sizes(shape.rank());
  for (std::size_t d = 0; d < shape.rank(); ++d) {
    std::int64_t step = padding[d].interior + 1, low = padding[d].low;
    // First and last element of the operand that lands in [0, size).
    std::int64_t first = low >= 0 ? 0 : (-low + step - 1) / step;
    std::int64_t room = shape.size(d) - 1 - low;
    std::int64_t last = room < 0 ? -1 : std::min(operands[0].shape().size(d) - 1, room / step);
    sizes[d] = std::max<std::int64_t>(last - first + 1, 0);
    from.offset += first * from.strides[d];
    to.offset += (low + first * step) * to.strides[d];
    to.strides[d] *= step;
  }
  strided_copy(evaluator, sizes, result.mutable_bytes().data(), to, operands[0].bytes().data(), from,
               element_width(shape));
  return result;
}

namespace {

// Makes bytes of which only the low bits matter valid for the type: the sign of a narrow integer fills the byte, the
// bits above a narrow float are 0, and a pred is 0 or 1.
void fill_bytes(Literal &literal) {
  ir::visit_element_type(literal.shape().element_type(), [&]<class T>() {
    if constexpr (is_narrow_int<T>) {
      for (T &element : literal.mutable_elements<T>()) {
        element = T(static_cast<std::int64_t>(element));
      }
    } else if constexpr (is_narrow_float<T>) {
      if constexpr (T::float_format.width() < 8) {
        for (T &element : literal.mutable_elements<T>()) {
          element.bits &= (1 << T::float_format.width()) - 1;
        }
      }
    } else if constexpr (std::is_same_v<T, bool>) {
      for (std::byte &byte : literal.mutable_bytes()) {
        byte = std::byte{byte != std::byte{0}};
      }
    }
  });
}

// Returns the same bytes with another shape.
Literal reinterpreted(const Literal &from, const Shape &to) {
  Literal result = from.with_shape(to);
  if (from.shape().element_type() != to.element_type()) {
    fill_bytes(result);
  }
  return result;
}

}  // namespace

// The elements of the operand in memory order, by its layout, become those of the result in its memory order. Widths
// may differ as in bitcast-convert.
Result<Literal> evaluate_bitcast(Evaluator &evaluator, const Instruction &instruction, Operands operands) {
  const Shape &from = instruction.operand(0).shape(), &to = instruction.shape();
  if (!from.is_array() || !to.is_array()) {
    return std::move(operands[0]);
  }
  if (!from.layout().tiles.empty() || !to.layout().tiles.empty()) {
    BP_ASSIGN(Literal buffer, evaluator.allocate(Shape::array(ElementType::U8, {from.byte_size()})));
    ir::store(operands[0], from, buffer.mutable_bytes());
    BP_ASSIGN(Literal result, ir::load(buffer.bytes(), to));
    if (from.element_type() != to.element_type()) {
      fill_bytes(result);
    }
    return result;
  }
  auto stored_sizes = [](const Shape &shape) {
    Dimensions sizes;
    std::span<const std::int64_t> order(shape.layout().minor_to_major.data(), shape.rank());
    for (std::size_t i = order.size(); i-- > 0;) {
      sizes.push_back(shape.size(static_cast<std::size_t>(order[i])));
    }
    return sizes;
  };
  Literal stored = operands[0];
  if (!from.layout().is_descending()) {
    Dimensions sizes = stored_sizes(from), strides = dense_strides(from.sizes());
    Walk walk;
    for (std::size_t i = from.rank(); i-- > 0;) {
      walk.strides.push_back(strides[static_cast<std::size_t>(from.layout().minor_to_major[i])]);
    }
    BP_ASSIGN(stored, gathered(evaluator, Shape::array(from.element_type(), sizes), operands[0], walk));
  }
  if (static_cast<std::int64_t>(stored.bytes().size()) != to.element_count() * ir::byte_width(to.element_type())) {
    return unsupported("bitcast from {} to {}: the sizes in bytes differ", ir::to_string(from), ir::to_string(to));
  }
  if (to.layout().is_descending()) {
    return reinterpreted(stored, to);
  }
  Dimensions sizes = stored_sizes(to), strides = dense_strides(sizes);
  Walk walk{0, Dimensions(to.rank())};
  for (std::size_t i = 0; i < to.rank(); ++i) {
    walk.strides[static_cast<std::size_t>(to.layout().minor_to_major[i])] = strides[to.rank() - 1 - i];
  }
  return gathered(evaluator, to, reinterpreted(stored, Shape::array(to.element_type(), sizes)), walk);
}

Result<Literal> evaluate_bitcast_convert(Evaluator &evaluator, const Instruction &instruction, Operands operands) {
  const Shape &from = operands[0].shape(), &to = instruction.shape();
  int from_bits = ir::bit_width(from.element_type()), to_bits = ir::bit_width(to.element_type());
  if (from_bits % 8 == 0 && to_bits % 8 == 0) {
    return reinterpreted(operands[0], to);  // little endian: the first part is the lowest
  }
  // Types below a byte: regroup the bits, the lowest first.
  BP_ASSIGN(Literal result, evaluator.allocate(to));
  auto from_bytes = operands[0].bytes();
  auto to_bytes = result.mutable_bytes();
  auto width_of = [](int bits) { return static_cast<std::size_t>((bits + 7) / 8); };
  auto count = from_bytes.size() / width_of(from_bits) * static_cast<std::size_t>(from_bits);
  for (std::size_t bit = 0; bit < count; ++bit) {
    auto place = [&](int bits) {
      std::size_t element = bit / static_cast<std::size_t>(bits), rest = bit % static_cast<std::size_t>(bits);
      return std::pair(element * width_of(bits) + rest / 8, rest % 8);
    };
    auto [from_byte, from_shift] = place(from_bits);
    auto [to_byte, to_shift] = place(to_bits);
    to_bytes[to_byte] |= ((from_bytes[from_byte] >> from_shift) & std::byte{1}) << to_shift;
  }
  fill_bytes(result);
  return result;
}

namespace {

// Element i along the dimension moves to (i - shift) mod n.
Result<Literal> rotated(const Evaluator &evaluator, const Literal &from, std::size_t dimension, std::int64_t shift) {
  const Shape &shape = from.shape();
  std::int64_t size = shape.size(dimension);
  BP_ASSIGN(Literal result, evaluator.allocate(shape));
  shift = (shift % size + size) % size;
  struct Part {
    std::int64_t from, to, size;
  };
  for (const Part &part : {Part{shift, 0, size - shift}, Part{0, size - shift, shift}}) {
    Dimensions sizes(shape.sizes().begin(), shape.sizes().end());
    sizes[dimension] = part.size;
    Walk from_walk = dense_walk(shape.sizes()), to_walk = from_walk;
    from_walk.offset = part.from * from_walk.strides[dimension];
    to_walk.offset = part.to * to_walk.strides[dimension];
    strided_copy(evaluator, sizes, result.mutable_bytes().data(), to_walk, from.bytes().data(), from_walk,
                 element_width(shape));
  }
  return result;
}

// The indices give the source of each element; they are clamped like the starts of a gather. The indices are repeated
// along their dimensions of size 1.
Result<Literal> permuted(const Evaluator &evaluator, const Instruction &instruction, const Literal &from) {
  const Shape &shape = from.shape();
  auto dimensions = instruction.dimensions();
  const Shape &index_shape = instruction.literal().shape();
  std::vector<std::int64_t> coordinates = integers(instruction.literal());
  Dimensions index_strides = dense_strides(index_shape.sizes()), strides = dense_strides(shape.sizes());
  for (std::size_t d = 0; d < shape.rank(); ++d) {
    index_strides[d] = index_shape.size(d) == 1 ? 0 : index_strides[d];
  }
  BP_ASSIGN(Literal result, evaluator.allocate(shape));
  std::byte *out = result.mutable_bytes().data();
  std::size_t width = element_width(shape);
  for_each_index(shape.sizes(), [&](std::span<const std::int64_t> at) {
    std::int64_t source = 0, first = 0;
    for (std::size_t d = 0; d < at.size(); ++d) {
      source += at[d] * strides[d];
      first += at[d] * index_strides[d];
    }
    for (std::size_t i = 0; i < dimensions.size(); ++i) {
      auto d = static_cast<std::size_t>(dimensions[i]);
      std::int64_t coordinate = coordinates[static_cast<std::size_t>(first) + i];
      source += (std::clamp<std::int64_t>(coordinate, 0, shape.size(d) - 1) - at[d]) * strides[d];
    }
    std::memcpy(out, from.bytes().data() + static_cast<std::size_t>(source) * width, width);
    out += width;
  });
  return result;
}

}  // namespace

Result<Literal> evaluate_shuffle(Evaluator &evaluator, const Instruction &instruction, Operands operands) {
  if (operands[0].shape().element_count() == 0) {
    return std::move(operands[0]);
  }
  if (instruction.literal().is_valid()) {
    return permuted(evaluator, instruction, operands[0]);
  }
  Literal result = std::move(operands[0]);
  auto shifts = instruction.numbers(AttributeKey::Shifts);
  for (std::size_t i = 0; i < shifts.size(); ++i) {
    BP_ASSIGN(result, rotated(evaluator, result, static_cast<std::size_t>(instruction.dimensions()[i]), shifts[i]));
  }
  return result;
}

}  // namespace bp::interpreter
