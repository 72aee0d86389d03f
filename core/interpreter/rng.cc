// Random numbers. rng-bit-generator returns the same bits as XLA; rng only has the same distribution.
#include <cmath>
#include <numbers>

#include "core/interpreter/random_bits.h"
#include "core/interpreter/strided_copy.h"

namespace bp::interpreter {
namespace {

using ir::AttributeKey;

using Pair = std::array<std::uint32_t, 2>;

Pair halves(std::uint64_t value) {
  return {static_cast<std::uint32_t>(value), static_cast<std::uint32_t>(value >> 32)};
}
std::uint64_t joined(std::uint32_t low, std::uint32_t high) {
  return std::uint64_t{high} << 32 | low;
}

// ThreeFry generates two 32-bit words from each counter. XLA divides the result into two halves along its first even
// dimension (or, if there is none, its largest one, rounded up): the words of one counter are at the same index in both
// halves.
std::vector<std::uint32_t> three_fry_words(Pair key, std::uint64_t &counter, std::span<const std::int64_t> sizes) {
  std::size_t cut = 0;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] % 2 == 0) {
      cut = d;
      break;
    }
    if (sizes[d] > sizes[cut]) {
      cut = d;
    }
  }
  std::int64_t size = sizes.empty() ? 1 : sizes[cut], half = (size + 1) / 2;
  std::int64_t inner = sizes.empty() ? 1 : ir::product(sizes.subspan(cut + 1));
  std::int64_t outer = sizes.empty() ? 1 : ir::product(sizes.first(cut));
  std::vector<std::uint32_t> words(static_cast<std::size_t>(outer * size * inner));
  std::uint64_t number = counter;
  for (std::int64_t o = 0; o < outer; ++o) {
    for (std::int64_t h = 0; h < half; ++h) {
      for (std::int64_t i = 0; i < inner; ++i) {
        Pair pair = three_fry(key, halves(number++));
        for (std::int64_t part = 0; part < 2; ++part) {
          // Index h of the halves corresponds to elements 2h and 2h + 1 of the divided dimension.
          std::int64_t place = 2 * h + part;
          if (place < size) {
            words[static_cast<std::size_t>((o * size + place) * inner + i)] = pair[static_cast<std::size_t>(part)];
          }
        }
      }
    }
  }
  counter = number;
  return words;
}

// Philox generates four words from each 128-bit counter, in order.
std::vector<std::uint32_t> philox_words(Pair key, UInt128 &counter, std::size_t count) {
  std::vector<std::uint32_t> words;
  words.reserve(count + 3);
  while (words.size() < count) {
    Pair low = halves(static_cast<std::uint64_t>(counter)), high = halves(static_cast<std::uint64_t>(counter >> 64));
    for (std::uint32_t word : philox(key, {low[0], low[1], high[0], high[1]})) {
      words.push_back(word);
    }
    ++counter;
  }
  words.resize(count);
  return words;
}

// A 64-bit element consists of two words, the low one first; narrow elements are the low bits of a word.
Result<Literal> from_words(const Evaluator &evaluator, const Shape &shape, std::span<const std::uint32_t> words) {
  BP_ASSIGN(Literal result, evaluator.allocate(shape));
  bool wide = ir::bit_width(shape.element_type()) == 64;
  Status status;
  ir::visit_element_type(shape.element_type(), [&]<class T>() {
    if constexpr (std::is_integral_v<WideType<T>> && !std::is_same_v<T, bool>) {
      std::span<T> out = result.mutable_elements<T>();
      for (std::size_t i = 0; i < out.size(); ++i) {
        out[i] = narrow<T>(wide ? joined(words[2 * i], words[2 * i + 1]) : std::uint64_t{words[i]});
      }
    } else {
      status = unsupported("random bits as {}", ir::to_string(shape.element_type()));
    }
  });
  BP_TRY(std::move(status));
  return result;
}

double uniform(Evaluator &evaluator) {
  return static_cast<double>(evaluator.random_bits() >> 11) * 0x1p-53;
}
// Returns a normal number (Box and Muller).
double normal(Evaluator &evaluator) {
  double radius = std::sqrt(-2 * std::log(1 - uniform(evaluator)));
  return radius * std::cos(2 * std::numbers::pi * uniform(evaluator));
}

}  // namespace

Result<Literal> evaluate_rng(Evaluator &evaluator, const Instruction &instruction, Operands operands) {
  bool is_normal = instruction.enumerator(AttributeKey::Distribution, ir::RandomDistribution::Uniform) ==
                   ir::RandomDistribution::Normal;
  BP_ASSIGN(Literal result, evaluator.allocate(instruction.shape()));
  Status status;
  ir::visit_element_type(instruction.shape().element_type(), [&]<class T>() {
    std::span<T> out = result.mutable_elements<T>();
    if constexpr (is_complex_number<T>) {
      status = unsupported("rng of complex numbers");
    } else {
      auto a = widen<WideType<T>>(operands[0].elements<T>()[0]), b = widen<WideType<T>>(operands[1].elements<T>()[0]);
      for (T &element : out) {
        if constexpr (std::is_floating_point_v<WideType<T>>) {
          double low = static_cast<double>(a), high = static_cast<double>(b);
          element = narrow<T>(is_normal ? low + high * normal(evaluator) : low + (high - low) * uniform(evaluator));
          if (!is_normal && widen<double>(element) >= high) {
            element = operands[0].elements<T>()[0];  // rounding reached the excluded end
          }
        } else {
          std::uint64_t range = static_cast<std::uint64_t>(b) - static_cast<std::uint64_t>(a);
          std::uint64_t bits = evaluator.random_bits();
          element = narrow<T>(static_cast<std::uint64_t>(a) + (range == 0 ? 0 : bits % range));
        }
      }
    }
  });
  BP_TRY(std::move(status));
  return result;
}

// State: a u64 key, then the counter: one u64 for ThreeFry, up to two for Philox.
Result<Literal> evaluate_rng_bit_generator(Evaluator &evaluator, const Instruction &instruction, Operands operands) {
  const Shape &shape = instruction.shape().elements()[1];
  if (operands[0].shape().element_type() != ElementType::U64) {
    return unsupported("rng-bit-generator with a state of {}, expected u64", ir::to_string(operands[0].shape()));
  }
  auto algorithm = instruction.enumerator(AttributeKey::RngAlgorithm, ir::RngAlgorithm::Default);
  Literal state = std::move(operands[0]);
  std::span<std::uint64_t> words = state.mutable_elements<std::uint64_t>();
  if (words.size() < 2) {
    return unsupported("rng-bit-generator with a state of {} words, expected 2 or 3", words.size());
  }
  bool wide = ir::bit_width(shape.element_type()) == 64;
  auto count = static_cast<std::size_t>(shape.element_count());
  std::vector<std::uint32_t> bits;
  if (algorithm == ir::RngAlgorithm::ThreeFry) {
    if (wide) {
      for (std::size_t i = 0; i < count; ++i) {
        Pair pair = three_fry(halves(words[0]), halves(words[1]++));
        bits.insert(bits.end(), pair.begin(), pair.end());
      }
    } else {
      bits = three_fry_words(halves(words[0]), words[1], shape.sizes());
    }
  } else {
    // If the state has only two words, the key is also the high half of the counter.
    UInt128 counter = static_cast<UInt128>(words[words.size() > 2 ? 2 : 0]) << 64 | words[1];
    bits = philox_words(halves(words[0]), counter, wide ? 2 * count : count);
    words[1] = static_cast<std::uint64_t>(counter);
    if (words.size() > 2) {
      words[2] = static_cast<std::uint64_t>(counter >> 64);
    }
  }
  BP_ASSIGN(Literal result, from_words(evaluator, shape, bits));
  return Literal::tuple({std::move(state), std::move(result)});
}

// Returns the state before the update, low half first.
Result<Literal> evaluate_rng_get_and_update_state(Evaluator &evaluator, const Instruction &instruction, Operands) {
  BP_ASSIGN(Literal result, evaluator.allocate(instruction.shape()));
  UInt128 &state = evaluator.random_state(instruction);
  std::span<std::uint64_t> out = result.mutable_elements<std::uint64_t>();
  out[0] = static_cast<std::uint64_t>(state);
  out[1] = static_cast<std::uint64_t>(state >> 64);
  state += static_cast<UInt128>(instruction.number(AttributeKey::Delta));
  return result;
}

}  // namespace bp::interpreter
