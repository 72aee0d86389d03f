// Rewrites rng-bit-generator as integer arithmetic on counters; the bits are those of XLA and of the interpreter,
// whatever the result's type and sizes. ThreeFry-2x32 has 20 rounds, Philox-4x32 has 10; Salmon, Moraes, Dror and Shaw,
// "Parallel Random Numbers: As Easy as 1, 2, 3" (2011). All counters are computed together, in vectors of 32-bit words.
#include <algorithm>
#include <array>

#include "core/passes/array_builder.h"
#include "core/passes/expand.h"
#include "core/passes/pass.h"

namespace bp::passes {
namespace {

using ir::ElementType;
using ir::InstructionId;

// Low and high half of a 64-bit word.
struct WordPair {
  InstructionId low, high;
};

// ThreeFry's two words per counter fill the two halves of the result along its first even dimension (or, if there is
// none, along its largest, rounded up): index h of the halved dimension holds elements 2h and 2h + 1.
struct Cut {
  std::int64_t outer = 1, size = 1, inner = 1;
  std::int64_t half() const { return (size + 1) / 2; }
};

Cut cut_of(std::span<const std::int64_t> sizes) {
  if (sizes.empty()) {
    return {};
  }
  auto found = std::ranges::find_if(sizes, [](std::int64_t size) { return size % 2 == 0; });
  if (found == sizes.end()) {
    found = std::ranges::max_element(sizes);
  }
  const auto cut = static_cast<std::size_t>(found - sizes.begin());
  return {ir::product(sizes.first(cut)), sizes[cut], ir::product(sizes.subspan(cut + 1))};
}

class BitGenerator {
 public:
  BitGenerator(ir::Module &module, ir::Instruction original)
      : b_(module, original),
        state_(original.operands()[0]),
        state_words_(original.operand(0).shape().element_count()),
        shape_(original.shape().elements()[1]),
        is_wide_(ir::bit_width(shape_.element_type()) == 64) {}

  InstructionId three_fry() {
    const std::int64_t count = shape_.element_count();
    const Cut cut = cut_of(shape_.sizes());
    const InstructionId start = b_.element(state_, 1);
    const InstructionId number = indices(is_wide_ ? count : cut.outer * cut.half() * cut.inner);
    const InstructionId counter = b_.sum({number, b_.broadcast_scalar(start, number)});
    auto [low, high] = three_fry_rounds(halves(b_.element(state_, 0)), halves(counter));
    if (is_wide_) {
      return finish(joined({low, high}), {{1, next(start, number)}});
    }
    const auto in_place = [&](InstructionId word) { return b_.reshape(word, {cut.outer, cut.half(), 1, cut.inner}); };
    InstructionId bits = b_.concatenate({in_place(low), in_place(high)}, 2);
    bits = b_.slice(b_.reshape(bits, {cut.outer, 2 * cut.half(), cut.inner}), 1, 0, cut.size);
    return finish(bits, {{1, next(start, number)}});
  }

  // The counter has 128 bits. If the state has two words, the key is also the high half of the counter and does not
  // change.
  InstructionId philox() {
    const std::int64_t elements_per_counter = is_wide_ ? 2 : 4;
    const InstructionId key = b_.element(state_, 0), low = b_.element(state_, 1);
    const InstructionId high = state_words_ > 2 ? b_.element(state_, 2) : key;
    const std::int64_t count = (shape_.element_count() + elements_per_counter - 1) / elements_per_counter;
    const InstructionId number = indices(count);
    const InstructionId low_counter = b_.sum({number, b_.broadcast_scalar(low, number)});
    const InstructionId high_counter = b_.sum({b_.broadcast_scalar(high, number), carry(low_counter, number)});
    std::vector<InstructionId> words = philox_rounds(halves(key), halves(low_counter), halves(high_counter));
    if (is_wide_) {
      const InstructionId first = joined({words[0], words[1]}), second = joined({words[2], words[3]});
      words = {first, second};
    }
    for (InstructionId &word : words) {
      word = b_.reshape(word, {count, 1});
    }
    InstructionId bits = b_.reshape(b_.concatenate(words, 1), {count * elements_per_counter});
    bits = b_.slice(bits, 0, 0, shape_.element_count());
    const InstructionId next_low = next(low, number);
    if (state_words_ == 2) {
      return finish(bits, {{1, next_low}});
    }
    const InstructionId next_high = b_.sum({high, carry(next_low, low)});
    return finish(bits, {{1, next_low}, {2, next_high}});
  }

 private:
  struct NewWord {
    std::int64_t place;
    InstructionId word;
  };

  InstructionId indices(std::int64_t count) { return b_.iota(ir::Shape::array(ElementType::U64, {count}), 0); }
  InstructionId next(InstructionId start, InstructionId number) {
    const std::int64_t count = b_.shape(number).element_count();
    return b_.sum({start, b_.constant(ElementType::U64, static_cast<double>(count))});
  }
  // Returns the carry of a sum, given one of its terms.
  InstructionId carry(InstructionId sum, InstructionId term) {
    return b_.convert(b_.compare(ir::ComparisonDirection::Lt, sum, term), ElementType::U64);
  }
  WordPair halves(InstructionId wide) {
    const InstructionId low = b_.convert(wide, ElementType::U32);
    return {low, b_.convert(b_.shift_right(wide, 32), ElementType::U32)};
  }
  InstructionId joined(WordPair words) {
    const InstructionId high = b_.shift_left(b_.convert(words.high, ElementType::U64), 32);
    return b_.bit_or({high, b_.convert(words.low, ElementType::U64)});
  }
  InstructionId rotated(InstructionId word, int bits) {
    const InstructionId left = b_.shift_left(word, bits);
    return b_.bit_or({left, b_.shift_right(word, 32 - bits)});
  }

  WordPair three_fry_rounds(WordPair key, WordPair counter) {
    constexpr std::array<std::array<int, 4>, 2> rotations{{{13, 15, 26, 6}, {17, 29, 16, 24}}};
    const InstructionId parity = b_.exclusive_or({key.low, key.high, b_.constant(ElementType::U32, 0x1bd11bda)});
    const std::array keys{key.low, key.high, parity};
    auto [x, y] = counter;
    x = plus(x, keys[0]);
    y = plus(y, keys[1]);
    for (std::size_t group = 1; group <= 5; ++group) {
      for (int rotation : rotations[(group + 1) % 2]) {
        x = b_.sum({x, y});
        y = b_.exclusive_or({rotated(y, rotation), x});
      }
      x = plus(x, keys[group % 3]);
      y = plus(y, b_.sum({keys[(group + 1) % 3], b_.constant(ElementType::U32, static_cast<double>(group))}));
    }
    return {x, y};
  }
  InstructionId plus(InstructionId words, InstructionId scalar) {
    return b_.sum({words, b_.broadcast_scalar(scalar, words)});
  }

  std::vector<InstructionId> philox_rounds(WordPair key, WordPair low, WordPair high) {
    std::array counter{low.low, low.high, high.low, high.high};
    for (int round = 0; round < 10; ++round) {
      const WordPair first = product(counter[0], 0xd2511f53), second = product(counter[2], 0xcd9e8d57);
      const InstructionId x = b_.exclusive_or({second.high, counter[1], b_.broadcast_scalar(key.low, low.low)});
      const InstructionId z = b_.exclusive_or({first.high, counter[3], b_.broadcast_scalar(key.high, low.low)});
      counter = {x, second.low, z, first.low};
      key.low = b_.sum({key.low, b_.constant(ElementType::U32, 0x9e3779b9)});
      key.high = b_.sum({key.high, b_.constant(ElementType::U32, 0xbb67ae85)});
    }
    return {counter.begin(), counter.end()};
  }
  WordPair product(InstructionId word, std::uint32_t factor) {
    const InstructionId wide = b_.convert(word, ElementType::U64);
    return halves(b_.product({wide, b_.splat(factor, wide)}));
  }

  // Returns the state with some of its words replaced, and the bits in the result's type and shape.
  InstructionId finish(InstructionId bits, std::initializer_list<NewWord> new_words) {
    if (b_.type(bits) != shape_.element_type()) {
      bits = b_.convert(bits, shape_.element_type());
    }
    bits = b_.reshape(bits, shape_.sizes());
    std::vector<InstructionId> words{b_.slice(state_, 0, 0, new_words.begin()->place)};
    for (const NewWord &word : new_words) {
      words.push_back(b_.reshape(word.word, {1}));
    }
    const auto replaced = static_cast<std::int64_t>(new_words.size()) + 1;
    if (replaced < state_words_) {
      words.push_back(b_.slice(state_, 0, replaced, state_words_));
    }
    return b_.tuple(std::array{b_.concatenate(words, 0), bits});
  }

  ArrayBuilder b_;
  InstructionId state_;
  std::int64_t state_words_;
  ir::Shape shape_;
  bool is_wide_;
};

}  // namespace

Result<bool> rng_bit_generator_expansion(ir::Module &module, const PassContext &context) {
  return expand_all(module, context, [&](ir::Instruction instruction) -> Result<InstructionId> {
    if (instruction.opcode() != ir::Opcode::RngBitGenerator) {
      return instruction.id();
    }
    // Other states and types have no known meaning; they are left to the device to refuse.
    const ir::Shape &state = instruction.operand(0).shape(), &result = instruction.shape().elements()[1];
    if (state.element_type() != ElementType::U64 || state.rank() != 1 || state.size(0) < 2 ||
        !ir::is_integer(result.element_type())) {
      return instruction.id();
    }
    BitGenerator generator(module, instruction);
    return instruction.enumerator(ir::AttributeKey::RngAlgorithm, ir::RngAlgorithm::Default) ==
                   ir::RngAlgorithm::ThreeFry
               ? generator.three_fry()
               : generator.philox();
  });
}

}  // namespace bp::passes
