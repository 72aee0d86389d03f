// The interpreter is the oracle: operands hold different numbers, so a result shows where its elements come from.
#include "core/analysis/index_map.h"

#include <catch2/catch.hpp>
#include <map>
#include <numeric>
#include <optional>
#include <random>

#include "core/interpreter/interpreter.h"
#include "core/ir/builder.h"

namespace bp::analysis {
namespace {

using ir::AttributeKey;
using ir::ElementType;
using ir::InstructionId;
using ir::Literal;
using ir::Opcode;
using ir::Shape;
using Numbers = std::vector<std::int64_t>;

// One instruction on parameters, and values for them.
class Trial {
 public:
  explicit Trial(std::uint32_t seed) : random_(seed), b(module_, module_.add_computation("main")) {}

  std::int64_t between(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
  }
  bool chance() { return between(0, 1) == 1; }
  Numbers sizes(std::size_t rank) {
    Numbers result(rank);
    std::ranges::generate(result, [&] { return between(1, 4); });
    return result;
  }
  Numbers some_sizes() { return sizes(static_cast<std::size_t>(between(1, 4))); }
  Numbers permutation(std::size_t rank) {
    Numbers result(rank);
    std::iota(result.begin(), result.end(), 0);
    std::ranges::shuffle(result, random_);
    return result;
  }
  Numbers some_dimensions(std::size_t rank) {
    Numbers result = permutation(rank);
    result.resize(static_cast<std::size_t>(between(0, static_cast<std::int64_t>(rank))));
    std::ranges::sort(result);
    return result;
  }

  // Adds a parameter whose elements are numbers that no other array has.
  InstructionId array(const Numbers &sizes) {
    const Shape shape = Shape::array(ElementType::S32, sizes);
    Literal value = Literal::zeros(shape).value();
    for (std::int32_t &element : value.mutable_elements<std::int32_t>()) {
      element = next_++;
    }
    return add_parameter(shape, std::move(value));
  }
  InstructionId start() {
    return add_parameter(Shape::scalar(ElementType::S32),
                         Literal::scalar<std::int32_t>(ElementType::S32, static_cast<std::int32_t>(between(-2, 6))));
  }

  InstructionId add(Opcode opcode, const std::vector<InstructionId> &operands, AttributeKey key = AttributeKey::Invalid,
                    const Numbers &numbers = {}) {
    return b
        .try_add(opcode, operands,
                 [&](ir::Module &m, InstructionId id) {
                   if (key != AttributeKey::Invalid) {
                     m.set_numbers(id, key, numbers);
                   }
                 })
        .value();
  }
  ir::Instruction instruction(InstructionId id) const { return module_.instruction(id); }
  const std::vector<Literal> &values() const { return values_; }

 private:
  InstructionId add_parameter(const Shape &shape, Literal value) {
    values_.push_back(std::move(value));
    return b.parameter(shape);
  }

  std::mt19937 random_;
  ir::Module module_;
  std::vector<Literal> values_;
  std::int32_t next_ = 100;

 public:
  ir::Builder b;
};

// Calls body(indices) for each index of an array of these sizes, in row-major order.
template <class Body>
void for_each_index(const Numbers &sizes, Body &&body, Numbers indices = {}) {
  if (indices.size() == sizes.size()) {
    body(indices);
    return;
  }
  indices.push_back(0);
  for (; indices.back() < sizes[indices.size() - 1]; ++indices.back()) {
    for_each_index(sizes, body, indices);
  }
}

Numbers sizes_of(const Shape &shape) {
  return {shape.sizes().begin(), shape.sizes().end()};
}

std::int32_t element(const Literal &value, const Numbers &indices) {
  std::size_t at = 0;
  for (std::size_t d = 0; d < indices.size(); ++d) {
    at = at * static_cast<std::size_t>(value.shape().size(d)) + static_cast<std::size_t>(indices[d]);
  }
  return value.elements<std::int32_t>()[at];
}

// Returns the indices that an expression says are read for an element of the result: all of them if it says All.
Numbers indices_read(const IndexExpression &e, const Numbers &of_result, const std::vector<Literal> &values) {
  if (e.kind == IndexExpression::Kind::All) {
    Numbers all(static_cast<std::size_t>(e.size));
    std::iota(all.begin(), all.end(), 0);
    return all;
  }
  const std::int64_t i = e.has_dimension() ? of_result[static_cast<std::size_t>(e.dimension)] : 0;
  const std::int64_t start =
      e.start_operand < 0
          ? 0
          : std::clamp<std::int64_t>(element(values[static_cast<std::size_t>(e.start_operand)], {}), 0, e.start_limit);
  const std::int64_t numerator = e.stride * i + e.offset + e.start_factor * start;
  const bool exists = numerator >= 0 && numerator % e.divisor == 0 && numerator / e.divisor < e.size;
  CHECK((numerator >= 0 || e.may_be_negative()));
  CHECK((numerator <= (e.size - 1) * e.divisor || e.may_be_beyond()));
  if (!e.has_start() && (e.stride == 1 || e.divisor == 1)) {
    const plugin::IndexRun run = plugin::run_of(e);
    const std::int64_t n = (i - run.result) / run.result_step;
    const bool is_in_run = i >= run.result && (i - run.result) % run.result_step == 0 && n < run.count;
    CHECK(is_in_run == exists);
    CHECK((!exists || run.operand + n * run.operand_step == numerator / e.divisor));
  }
  return exists ? Numbers{numerator / e.divisor} : Numbers{};
}

// Returns the elements of an operand that its map says are read for one element of the result.
std::vector<std::int32_t> elements_read(const IndexMap &map, const Literal &value, const Numbers &of_result,
                                        const std::vector<Literal> &values) {
  std::vector<Numbers> all = {{}};
  for (const IndexExpression &e : map.dimensions) {
    std::vector<Numbers> longer;
    for (const std::int64_t index : indices_read(e, of_result, values)) {
      for (Numbers indices : all) {
        indices.push_back(index);
        longer.push_back(std::move(indices));
      }
    }
    all = std::move(longer);
  }
  std::vector<std::int32_t> elements;
  for (const Numbers &indices : all) {
    elements.push_back(element(value, indices));
  }
  return elements;
}

// Checks that each element of the result is `expected` of the elements that the maps say are read, by operand.
template <class Expected>
void check(const Trial &trial, InstructionId id, Expected &&expected) {
  const ir::Instruction instruction = trial.instruction(id);
  const Literal result = interpreter::evaluate_instruction(instruction, trial.values()).value();
  std::vector<IndexMap> maps;
  for (std::size_t k = 0; k < instruction.operand_count(); ++k) {
    maps.push_back(index_map(instruction, k));
  }
  REQUIRE(maps.size() == trial.values().size());
  for_each_index(sizes_of(instruction.shape()), [&](const Numbers &indices) {
    std::vector<std::vector<std::int32_t>> read;
    for (std::size_t k = 0; k < maps.size(); ++k) {
      REQUIRE(maps[k].is_known());
      REQUIRE(maps[k].dimensions.size() == trial.values()[k].shape().rank());
      read.push_back(elements_read(maps[k], trial.values()[k], indices, trial.values()));
    }
    REQUIRE(element(result, indices) == expected(read));
  });
}

using Read = std::vector<std::vector<std::int32_t>>;

// The first operand that has the element.
std::int32_t first_that_has_it(const Read &read) {
  return std::ranges::find_if(read, [](const auto &elements) { return !elements.empty(); })->at(0);
}

constexpr std::uint32_t trials = 60;

}  // namespace

TEST_CASE("index maps say where broadcast, transpose, reverse and slice take their elements") {
  for (std::uint32_t seed = 0; seed < trials; ++seed) {
    Trial t(seed);
    const Numbers sizes = t.some_sizes();
    const auto rank = sizes.size();
    SECTION("broadcast " + std::to_string(seed)) {
      Numbers result = t.sizes(rank + static_cast<std::size_t>(t.between(0, 2)));
      Numbers dimensions = t.permutation(result.size());
      dimensions.resize(rank);
      for (std::size_t d = 0; d < rank; ++d) {
        result[static_cast<std::size_t>(dimensions[d])] = sizes[d];
      }
      check(t, t.b.broadcast(t.array(sizes), Shape::array(ElementType::S32, result), dimensions), first_that_has_it);
    }
    SECTION("transpose " + std::to_string(seed)) {
      check(t, t.b.transpose(t.array(sizes), t.permutation(rank)), first_that_has_it);
    }
    SECTION("reverse " + std::to_string(seed)) {
      check(t, t.add(Opcode::Reverse, {t.array(sizes)}, AttributeKey::Dimensions, t.some_dimensions(rank)),
            first_that_has_it);
    }
    SECTION("slice " + std::to_string(seed)) {
      Numbers ranges;
      for (const std::int64_t size : sizes) {
        const std::int64_t start = t.between(0, size - 1);
        ranges.insert(ranges.end(), {start, t.between(start + 1, size), t.between(1, 3)});
      }
      check(t, t.add(Opcode::Slice, {t.array(sizes)}, AttributeKey::Slice, ranges), first_that_has_it);
    }
  }
}

TEST_CASE("index maps say which operand has an element") {
  for (std::uint32_t seed = 0; seed < trials; ++seed) {
    Trial t(seed);
    const Numbers sizes = t.some_sizes();
    const auto rank = sizes.size();
    SECTION("pad " + std::to_string(seed)) {
      Numbers padding;
      for (const std::int64_t size : sizes) {
        const std::int64_t interior = t.between(0, 2), whole = size + (size - 1) * interior;
        const std::int64_t low = t.between(-whole, 3);
        padding.insert(padding.end(), {low, t.between(std::max<std::int64_t>(-2, 1 - low - whole), 3), interior});
      }
      const std::vector<InstructionId> operands = {t.array(sizes), t.array({})};
      check(t, t.add(Opcode::Pad, operands, AttributeKey::Padding, padding), first_that_has_it);
    }
    SECTION("concatenate " + std::to_string(seed)) {
      const std::int64_t along = t.between(0, static_cast<std::int64_t>(rank) - 1);
      std::vector<InstructionId> operands;
      for (std::int64_t n = t.between(1, 4); n > 0; --n) {
        Numbers own = sizes;
        own[static_cast<std::size_t>(along)] = t.between(0, 4);
        operands.push_back(t.array(own));
      }
      check(t, t.add(Opcode::Concatenate, operands, AttributeKey::Dimensions, {along}), [](const Read &read) {
        CHECK(std::ranges::count_if(read, [](const auto &elements) { return !elements.empty(); }) == 1);
        return first_that_has_it(read);
      });
    }
    Numbers part;
    for (const std::int64_t size : sizes) {
      part.push_back(t.between(1, size));
    }
    SECTION("dynamic-slice " + std::to_string(seed)) {
      std::vector<InstructionId> operands = {t.array(sizes)};
      for (std::size_t d = 0; d < rank; ++d) {
        operands.push_back(t.start());
      }
      check(t, t.add(Opcode::DynamicSlice, operands, AttributeKey::DynamicSliceSizes, part), first_that_has_it);
    }
    SECTION("dynamic-update-slice " + std::to_string(seed)) {
      std::vector<InstructionId> operands = {t.array(sizes), t.array(part)};
      for (std::size_t d = 0; d < rank; ++d) {
        operands.push_back(t.start());
      }
      check(t, t.add(Opcode::DynamicUpdateSlice, operands),
            [](const Read &read) { return first_that_has_it({read[1], read[0]}); });
    }
  }
}

TEST_CASE("index maps say what is combined") {
  for (std::uint32_t seed = 0; seed < trials; ++seed) {
    Trial t(seed);
    const Numbers sizes = t.some_sizes();
    const auto sum = [](const Read &read) {
      std::int32_t total = 0;
      for (const auto &elements : read) {
        total = std::accumulate(elements.begin(), elements.end(), total);
      }
      return total;
    };
    SECTION("reduce " + std::to_string(seed)) {
      const InstructionId x = t.array(sizes), zero = t.array({});
      const ir::ComputationId add = ir::add_scalar_computation(t.b.module(), Opcode::Add, ElementType::S32, "add");
      check(t, t.b.reduce(x, zero, t.some_dimensions(sizes.size()), add), sum);
    }
    SECTION("add " + std::to_string(seed)) {
      check(t, t.b.add(Opcode::Add, {t.array(sizes), t.array(sizes)}), sum);
    }
    SECTION("clamp with scalar limits " + std::to_string(seed)) {
      const InstructionId low = t.array({}), x = t.array(sizes), high = t.array({});
      check(t, t.b.add(Opcode::Clamp, {low, x, high}),
            [](const Read &read) { return std::clamp(read[1][0], read[0][0], std::max(read[0][0], read[2][0])); });
    }
  }
}

TEST_CASE("index maps follow the dimensions that a reshape only renames") {
  const auto map_of = [](const Numbers &from, const Numbers &to) {
    Trial t(0);
    const InstructionId id = t.b.reshape(t.array(from), to);
    const IndexMap map = index_map(t.instruction(id), 0);
    if (map.is_known()) {
      check(t, id, first_that_has_it);
    }
    return map;
  };
  CHECK(map_of({4, 1, 3}, {1, 4, 3, 1, 1}).only_renames());
  CHECK(map_of({4, 3}, {4, 3}).only_renames());
  CHECK(map_of({1, 1}, {}).only_renames());
  CHECK(map_of({}, {1, 1}).only_renames());
  CHECK(map_of({6}, {6, 1}).to_result<int>({7}, 2, -1) == std::vector{7, -1});
  CHECK(map_of({1, 6}, {6}).to_operand<int>({7}, -1) == std::vector{-1, 7});
  CHECK(!map_of({4, 3}, {3, 4}).is_known());
  // 5 is renamed, and 2 x 3 becomes 6.
  const IndexMap mixed = map_of({5, 2, 3}, {5, 6});
  CHECK(mixed.dimensions[0].is_same_index());
  CHECK(mixed.dimensions[1].kind == IndexExpression::Kind::Unknown);
  CHECK(mixed.dimensions[2].kind == IndexExpression::Kind::Unknown);
}

TEST_CASE("index maps are unknown where data or an order decide") {
  Trial t(0);
  const InstructionId x = t.array({4, 3}), indices = t.array({2, 1});
  const InstructionId gather = t.b.add(Opcode::Gather, {x, indices}, [](ir::Module &m, InstructionId id) {
    m.set_numbers(id, AttributeKey::OffsetDims, {1});
    m.set_numbers(id, AttributeKey::CollapsedSliceDims, {0});
    m.set_numbers(id, AttributeKey::StartIndexMap, {0});
    m.set_number(id, AttributeKey::IndexVectorDim, 1);
    m.set_numbers(id, AttributeKey::SliceSizes, {1, 3});
  });
  CHECK(!index_map(t.instruction(gather), 0).is_known());
  CHECK(!index_map(t.instruction(gather), 1).is_known());
}

TEST_CASE("the operand of a slice whose start index is a vector has no index map") {
  Trial t(0);
  const InstructionId x = t.array({8}), vector = t.b.parameter(Shape::array(ElementType::S32, Numbers{1}));
  const InstructionId slice = t.add(Opcode::DynamicSlice, {x, vector}, AttributeKey::DynamicSliceSizes, {2});
  CHECK(!index_map(t.instruction(slice), 0).is_known());
  CHECK(index_map(t.instruction(t.add(Opcode::DynamicSlice, {x, t.start()}, AttributeKey::DynamicSliceSizes, {2})), 0)
            .is_known());
}

TEST_CASE("index maps know which dimensions are as they were") {
  Trial t(0);
  const InstructionId x = t.array({4, 3});
  const auto same = [&](InstructionId id) {
    std::vector<bool> result;
    for (const IndexExpression &e : index_map(t.instruction(id), 0).dimensions) {
      result.push_back(e.is_same_index());
    }
    return result;
  };
  using Same = std::vector<bool>;
  CHECK(same(t.add(Opcode::Slice, {x}, AttributeKey::Slice, {0, 4, 1, 1, 3, 1})) == Same{true, false});
  CHECK(same(t.add(Opcode::Reverse, {x}, AttributeKey::Dimensions, {1})) == Same{true, false});
  CHECK(same(t.add(Opcode::Pad, {x, t.array({})}, AttributeKey::Padding, {1, -1, 0, 0, 0, 0})) == Same{false, true});
  CHECK(same(t.add(Opcode::Pad, {x, t.array({})}, AttributeKey::Padding, {0, -3, 1, 0, 1, 0})) == Same{false, false});
  CHECK(same(t.add(Opcode::DynamicSlice, {x, t.start(), t.start()}, AttributeKey::DynamicSliceSizes, {1, 3})) ==
        Same{false, true});
  CHECK(same(t.b.transpose(x, Numbers{1, 0})) == Same{true, true});
}

}  // namespace bp::analysis
