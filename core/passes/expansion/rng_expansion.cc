// Rewrites rng as arithmetic on the bits of Philox, with a counter that rng-get-and-update-state advances and a
// separate key for each instruction. Uniform floats have the 24 or 53 random bits that the significand holds; integers
// are made of 64 bits, so that their probabilities differ by at most 1 in 2^32; normal numbers are generated in pairs
// (Box and Muller).
#include <array>
#include <cmath>
#include <numbers>

#include "core/passes/array_builder.h"
#include "core/passes/expand.h"
#include "core/passes/pass.h"

namespace bp::passes {
namespace {

using ir::AttributeKey;
using ir::ElementType;
using ir::Opcode;
using ir::Shape;
using Id = ir::InstructionId;

// Returns the FNV-1a hash of the instruction's name; names are unique and do not change between compilations.
std::uint64_t key_of(std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : name) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  return hash;
}

class NumberGenerator {
 public:
  NumberGenerator(ir::Module &module, ir::Instruction rng)
      : b_(module, rng),
        first_(rng.operands()[0]),
        second_(rng.operands()[1]),
        shape_(rng.shape()),
        count_(rng.shape().element_count()),
        key_(key_of(rng.name())),
        compute_(compute_type(rng.shape().element_type())) {}

  // Returns numbers in [first, second). Numbers that rounding makes equal to the end become the beginning.
  Id uniform() {
    if (!ir::is_floating(shape_.element_type())) {
      return integer();
    }
    const Id unit = fraction(count_);
    const Id low = broadcast_scalar(b_.cast(first_, compute_), unit),
             high = broadcast_scalar(b_.cast(second_, compute_), unit);
    const Id value = cast(b_.sum({low, b_.product({b_.difference({high, low}), unit})}));
    const Id reached = b_.compare(ir::ComparisonDirection::Ge, b_.cast(value, compute_), high);
    return finish(b_.select({reached, broadcast_scalar(first_, value), value}));
  }

  // Returns normal numbers of mean `first` and standard deviation `second`.
  Id normal() {
    const std::int64_t pairs = (count_ + 1) / 2;
    const Id units = fraction(2 * pairs);
    const Id chance = b_.slice(units, 0, 0, pairs), turn = b_.slice(units, 0, pairs, 2 * pairs);
    const Id logarithm = b_.add(Opcode::Log, {b_.difference({b_.splat(1, chance), chance})});
    const Id radius = b_.add(Opcode::Sqrt, {b_.product({logarithm, b_.splat(-2, logarithm)})});
    const Id angle = b_.product({turn, b_.splat(2 * std::numbers::pi, turn)});
    const Id both = b_.concatenate(
        {b_.product({radius, b_.add(Opcode::Cosine, {angle})}), b_.product({radius, b_.add(Opcode::Sine, {angle})})},
        0);
    const Id value = b_.slice(both, 0, 0, count_);
    const Id mean = broadcast_scalar(b_.cast(first_, compute_), value),
             deviation = broadcast_scalar(b_.cast(second_, compute_), value);
    return finish(cast(b_.sum({mean, b_.product({deviation, value})})));
  }

 private:
  Id integer() {
    const Id random = bits(count_, ElementType::U64);
    const Id low = b_.cast(first_, ElementType::U64);
    const Id range = broadcast_scalar(b_.difference({b_.cast(second_, ElementType::U64), low}), random);
    const Id zero = b_.splat(0, range);
    const Id is_empty = b_.compare(ir::ComparisonDirection::Eq, range, zero);
    const Id offset = b_.select({is_empty, zero, b_.add(Opcode::Remainder, {random, range})});
    return finish(cast(b_.sum({broadcast_scalar(low, offset), offset})));
  }

  // Returns numbers in [0, 1).
  Id fraction(std::int64_t count) {
    const bool is_wide = compute_ == ElementType::F64;
    const int kept = is_wide ? 53 : 24;
    const Id random = bits(count, is_wide ? ElementType::U64 : ElementType::U32);
    const Id whole = b_.cast(b_.shift_right(random, (is_wide ? 64 : 32) - kept), compute_);
    return b_.product({whole, b_.splat(std::ldexp(1.0, -kept), whole)});
  }

  // Returns random bits; each counter of 128 bits gives 128 of them.
  Id bits(std::int64_t count, ElementType type) {
    const std::int64_t per_counter = 128 / ir::bit_width(type);
    const Id counter = b_.add(
        Opcode::RngGetAndUpdateState, {},
        [&](ir::Module &m, Id id) { m.set_number(id, AttributeKey::Delta, (count + per_counter - 1) / per_counter); },
        {}, Shape::array(ElementType::U64, std::array<std::int64_t, 1>{2}));
    const Id key = b_.reshape(b_.constant(ir::Literal::scalar(ElementType::U64, key_)), {1});
    const Id state = b_.concatenate({key, counter}, 0);
    const Shape random = Shape::array(type, std::array{count});
    const Id both = b_.add(
        Opcode::RngBitGenerator, {state},
        [](ir::Module &m, Id id) {
          m.set_number(id, AttributeKey::RngAlgorithm, static_cast<std::int64_t>(ir::RngAlgorithm::Philox));
        },
        {}, Shape::tuple({b_.shape(state), random}));
    return b_.get_tuple_element(both, 1);
  }

  Id broadcast_scalar(Id scalar, Id like) { return b_.broadcast_scalar(scalar, like); }
  Id cast(Id x) { return b_.cast(x, shape_.element_type()); }
  Id finish(Id values) { return b_.ir::Builder::reshape(values, shape_.sizes()); }

  ArrayBuilder b_;
  Id first_, second_;
  Shape shape_;
  std::int64_t count_;
  std::uint64_t key_;
  ElementType compute_;
};

}  // namespace

Result<bool> rng_expansion(ir::Module &module, const PassContext &context) {
  return expand_all(module, context, [&](ir::Instruction rng) -> Result<Id> {
    if (rng.opcode() != Opcode::Rng || rng.shape().element_count() == 0) {
      return rng.id();
    }
    NumberGenerator generator(module, rng);
    const auto distribution = rng.enumerator(AttributeKey::Distribution, ir::RandomDistribution::Uniform);
    return distribution == ir::RandomDistribution::Normal ? generator.normal() : generator.uniform();
  });
}

}  // namespace bp::passes
