// Dynamic dimensions: a value gets a size at run time, ops work on it, and the result is static again: a reduction, or
// the size. If the sizes are known when the program is made, the same is also done to static arrays of exactly these
// sizes: twins, whose results must be equal.
#include <algorithm>

#include "core/debugging/random_module.h"
#include "core/debugging/random_scope.h"

namespace bp::debugging {
namespace {

using ir::AttributeKey;
using ir::ElementType;
using ir::Opcode;
using ir::Shape;
using Id = ir::InstructionId;
using Numbers = std::vector<std::int64_t>;

constexpr auto no_attributes = [](ir::Module &, Id) {};

class Chain {
 public:
  Chain(Scope &s, bool has_twin) : s_(s), has_twin_(has_twin), bounded_(s.value(s.random_type(), 1)), exact_(bounded_) {
    for (std::int64_t d : some_dimensions(s.random, rank())) {
      has_twin ? set_known_size(d) : set_any_size(d);
    }
  }

  void step();
  // Converts back to static arrays.
  void finish(std::vector<Id> &results);

 private:
  std::int64_t rank() { return static_cast<std::int64_t>(s_.shape(bounded_).rank()); }
  ElementType type() { return s_.shape(bounded_).element_type(); }
  std::int64_t any_dimension() { return s_.random.below(rank()); }

  // Adds the instructions of `make` to both chains. Random choices must be made before.
  template <class Make>
  void both(Make &&make) {
    const Result<Id> bounded = make(bounded_);
    if (!bounded.ok() || s_.shape(*bounded).element_count() > 4 * s_.palette.max_elements) {
      return;
    }
    if (has_twin_) {
      const Result<Id> exact = make(exact_);
      if (!exact.ok()) {
        return;
      }
      exact_ = *exact;
    }
    bounded_ = *bounded;
  }
  template <class F>
  Result<Id> add(Opcode opcode, std::initializer_list<Id> operands, F &&set, const Shape &written = {}) {
    return s_.b.try_add(opcode, std::span(operands.begin(), operands.size()), set, {}, written);
  }
  // Returns a slice of a static array with the sizes of `other`, which are exact in the exact chain.
  Id like(Id whole, Id other) {
    std::vector<ir::SliceRange> ranges;
    for (std::int64_t size : s_.sizes(other)) {
      ranges.push_back({0, size, 1});
    }
    return *add(Opcode::Slice, {whole}, [&](ir::Module &m, Id id) { m.set_slice_ranges(id, ranges); });
  }
  Id first(Id whole, std::int64_t d, std::int64_t size) {
    std::vector<ir::SliceRange> ranges;
    for (std::int64_t own : s_.sizes(whole)) {
      ranges.push_back({0, own, 1});
    }
    ranges[static_cast<std::size_t>(d)].limit = size;
    return *add(Opcode::Slice, {whole}, [&](ir::Module &m, Id id) { m.set_slice_ranges(id, ranges); });
  }
  Id companion() { return s_.value(Shape::array(type(), s_.sizes(bounded_))); }

  void set_any_size(std::int64_t d);
  void set_known_size(std::int64_t d);
  void work_elementwise();
  void move();
  void pad();
  void concatenate();
  void reshape();
  void update();
  void gather();
  void scatter();
  void sort();
  void reduce_windows();
  void contract();
  void reduce(const Numbers &dimensions, std::vector<Id> &results);

  Scope &s_;
  bool has_twin_;
  Id bounded_, exact_;
};

void Chain::set_any_size(std::int64_t d) {
  const auto size = static_cast<double>(s_.shape(bounded_).size(static_cast<std::size_t>(d)));
  const Id bound = s_.b.constant(ElementType::S32, size);
  const Id chosen = s_.b.add(Opcode::Clamp, {s_.b.constant(ElementType::S32, 0), s_.index_scalar(), bound});
  both([&](Id x) {
    return add(Opcode::SetDimensionSize, {x, chosen},
               [&](ir::Module &m, Id id) { m.set_number(id, AttributeKey::Dimensions, d); });
  });
}

void Chain::set_known_size(std::int64_t d) {
  const std::int64_t bound = s_.shape(bounded_).size(static_cast<std::size_t>(d));
  const std::int64_t size = s_.random.between(s_.random.chance(8) ? 0 : std::min<std::int64_t>(1, bound), bound);
  const Id chosen = s_.b.constant(ElementType::S32, static_cast<double>(size));
  bounded_ = *add(Opcode::SetDimensionSize, {bounded_, chosen},
                  [&](ir::Module &m, Id id) { m.set_number(id, AttributeKey::Dimensions, d); });
  exact_ = first(exact_, d, size);
}

void Chain::work_elementwise() {
  const Opcode combiner = random_combiner(s_, type());
  switch (s_.random.below(3)) {
    case 0: return both([&](Id x) { return add(Opcode::Copy, {x}, no_attributes, s_.shape(x)); });
    case 1: return both([&](Id x) { return add(combiner, {x, x}, no_attributes); });
    default: {
      const Id other = companion();
      const bool is_first = s_.random.chance(2);
      return both([&](Id x) {
        const Id fitting = like(other, x);
        return is_first ? add(combiner, {fitting, x}, no_attributes) : add(combiner, {x, fitting}, no_attributes);
      });
    }
  }
}

void Chain::move() {
  const std::int64_t kind = s_.random.below(3);
  const Numbers order = permutation(s_.random, rank()), some = some_dimensions(s_.random, rank());
  if (kind < 2) {
    return both([&](Id x) {
      return add(kind == 0 ? Opcode::Transpose : Opcode::Reverse, {x},
                 [&](ir::Module &m, Id id) { m.set_numbers(id, AttributeKey::Dimensions, kind == 0 ? order : some); });
    });
  }
  // Repeats the value along a new dimension.
  const auto place = static_cast<std::size_t>(s_.random.below(rank() + 1));
  both([&](Id x) {
    const Shape from = s_.shape(x);
    Numbers sizes(from.sizes().begin(), from.sizes().end()), dimensions = iota(rank());
    sizes.insert(sizes.begin() + static_cast<std::ptrdiff_t>(place), 2);
    Shape result = Shape::array(from.element_type(), sizes);
    for (std::int64_t &d : dimensions) {
      d += d >= static_cast<std::int64_t>(place) ? 1 : 0;
    }
    for (std::size_t d = 0; d < from.rank(); ++d) {
      result.set_dynamic(static_cast<std::size_t>(dimensions[d]), from.is_dynamic(d));
    }
    return add(
        Opcode::Broadcast, {x}, [&](ir::Module &m, Id id) { m.set_numbers(id, AttributeKey::Dimensions, dimensions); },
        result);
  });
}

void Chain::pad() {
  std::vector<ir::PaddingDimension> padding;
  for (std::int64_t size : s_.sizes(has_twin_ ? exact_ : bounded_)) {
    const bool crops = has_twin_ && size > 2 && s_.random.chance(6);
    padding.push_back({s_.random.between(crops ? -1 : 0, 2), s_.random.between(crops ? -1 : 0, 2), s_.random.below(3)});
  }
  const Id value = s_.value(Shape::scalar(type()));
  both([&](Id x) { return add(Opcode::Pad, {x, value}, [&](ir::Module &m, Id id) { m.set_padding(id, padding); }); });
}

void Chain::concatenate() {
  const std::int64_t along = any_dimension();
  const Id other = companion();
  const bool is_first = s_.random.chance(2), is_static = s_.random.chance(2);
  both([&](Id x) -> Result<Id> {
    // Takes the whole companion along the dimension.
    std::vector<ir::SliceRange> ranges;
    for (std::int64_t size : s_.sizes(x)) {
      ranges.push_back({0, size, 1});
    }
    ranges[static_cast<std::size_t>(along)].limit = s_.shape(other).size(static_cast<std::size_t>(along));
    const Id fitting = *add(Opcode::Slice, {other}, [&](ir::Module &m, Id id) { m.set_slice_ranges(id, ranges); });
    const Id second = is_static ? fitting : x;
    auto set = [&](ir::Module &m, Id id) { m.set_number(id, AttributeKey::Dimensions, along); };
    return is_first ? add(Opcode::Concatenate, {second, x}, set) : add(Opcode::Concatenate, {x, second, x}, set);
  });
}

// Joins two dimensions, or adds one. Sizes of 1 are excluded, because it is ambiguous which new dimension they become.
void Chain::reshape() {
  for (std::int64_t size : s_.sizes(bounded_)) {
    if (size < 2) {
      return;
    }
  }
  const auto place = static_cast<std::size_t>(any_dimension());
  const bool joins = rank() > 1 && place > 0 && s_.random.chance(2);
  both([&](Id x) {
    const Shape from = s_.shape(x);
    Numbers sizes;
    std::vector<bool> is_dynamic;
    for (std::size_t d = 0; d < from.rank(); ++d) {
      if (joins && d == place) {
        sizes.back() *= from.size(d);
        is_dynamic.back() = is_dynamic.back() || from.is_dynamic(d);
        continue;
      }
      sizes.push_back(from.size(d));
      is_dynamic.push_back(from.is_dynamic(d));
      if (!joins && d == place) {
        sizes.push_back(1);
        is_dynamic.push_back(false);
      }
    }
    Shape result = Shape::array(from.element_type(), sizes);
    for (std::size_t d = 0; d < sizes.size(); ++d) {
      result.set_dynamic(d, is_dynamic[d]);
    }
    return add(Opcode::Reshape, {x}, no_attributes, result);
  });
}

// Writes the value into an array, or takes a slice of its static dimensions.
void Chain::update() {
  std::vector<Id> starts;
  for (std::int64_t d = 0; d < rank(); ++d) {
    starts.push_back(s_.b.constant(ElementType::S32, static_cast<double>(s_.random.below(2))));
  }
  if (s_.random.chance(2)) {
    const std::int64_t room = s_.random.below(3);
    Numbers sizes;
    for (std::int64_t size : s_.sizes(bounded_)) {
      sizes.push_back(size + room);
    }
    const Id base = s_.value(Shape::array(type(), sizes));
    // Limits starts, so that the op clamps none of them differently for the twin.
    const double most = static_cast<double>(room);
    for (Id &start : starts) {
      const Id zero = s_.b.constant(ElementType::S32, 0), limit = s_.b.constant(ElementType::S32, most);
      start = s_.b.add(Opcode::Clamp, {zero, start, limit});
    }
    return both([&](Id x) {
      std::vector<Id> operands{base, x};
      operands.insert(operands.end(), starts.begin(), starts.end());
      return s_.b.try_add(Opcode::DynamicUpdateSlice, operands, no_attributes);
    });
  }
  Numbers box;
  for (std::size_t d = 0; d < starts.size(); ++d) {
    const Shape shape = s_.shape(bounded_);
    box.push_back(shape.is_dynamic(d) ? -1
                                      : s_.random.between(std::min<std::int64_t>(1, shape.size(d)), shape.size(d)));
  }
  both([&](Id x) {
    Numbers sizes = box;
    for (std::size_t d = 0; d < sizes.size(); ++d) {
      sizes[d] = sizes[d] == -1 ? s_.shape(x).size(d) : sizes[d];
    }
    std::vector<Id> operands{x};
    operands.insert(operands.end(), starts.begin(), starts.end());
    return s_.b.try_add(Opcode::DynamicSlice, operands,
                        [&](ir::Module &m, Id id) { m.set_numbers(id, AttributeKey::DynamicSliceSizes, sizes); });
  });
}

// Gathers elements along one dimension, at indices that are within bounds at run time.
void Chain::gather() {
  const std::int64_t along = any_dimension();
  const std::int64_t size = s_.shape(has_twin_ ? exact_ : bounded_).size(static_cast<std::size_t>(along));
  if (size == 0 || (!has_twin_ && s_.shape(bounded_).is_dynamic(static_cast<std::size_t>(along)))) {
    return;
  }
  std::vector<Id> places;
  for (std::int64_t n = s_.random.between(1, 3); n > 0; --n) {
    const Id place = s_.b.constant(ElementType::S32, static_cast<double>(s_.random.below(size)));
    places.push_back(s_.b.reshape(place, Numbers{1, 1}));
  }
  const Id indices = *s_.b.try_add(Opcode::Concatenate, places,
                                   [&](ir::Module &m, Id id) { m.set_number(id, AttributeKey::Dimensions, 0); });
  both([&](Id x) {
    const Shape from = s_.shape(x);
    Numbers sizes(from.sizes().begin(), from.sizes().end());
    sizes[static_cast<std::size_t>(along)] = 1;
    return add(Opcode::Gather, {x, indices}, [&](ir::Module &m, Id id) {
      Numbers offsets = iota(rank());
      offsets.erase(offsets.begin());
      m.set_numbers(id, AttributeKey::OffsetDims, offsets);
      m.set_numbers(id, AttributeKey::CollapsedSliceDims, {along});
      m.set_numbers(id, AttributeKey::StartIndexMap, {along});
      m.set_number(id, AttributeKey::IndexVectorDim, 1);
      m.set_numbers(id, AttributeKey::SliceSizes, sizes);
    });
  });
}

// Scatters a vector into another one, at as many indices as it has elements.
void Chain::scatter() {
  if (rank() != 1 || type() == ElementType::Pred || ir::is_complex(type())) {
    return;
  }
  const std::int64_t bound = s_.shape(bounded_).size(0);
  const Id base = s_.value(Shape::array(type(), {5}));
  const Id indices = s_.value(Shape::array(ElementType::S32, {bound, 1}));
  const ir::ComputationId combine = combining_computation(s_, Opcode::Maximum, type());
  both([&](Id x) {
    const Numbers sizes{s_.shape(x).size(0), 1};
    const std::vector<ir::SliceRange> ranges{{0, sizes[0], 1}, {0, 1, 1}};
    const Id own = *add(Opcode::Slice, {indices}, [&](ir::Module &m, Id id) { m.set_slice_ranges(id, ranges); });
    return s_.b.try_add(
        Opcode::Scatter, std::vector{base, own, x},
        [&](ir::Module &m, Id id) {
          m.set_numbers(id, AttributeKey::UpdateWindowDims, std::span<const std::int64_t>());
          m.set_numbers(id, AttributeKey::InsertedWindowDims, {0});
          m.set_numbers(id, AttributeKey::ScatterDimsToOperandDims, {0});
          m.set_number(id, AttributeKey::IndexVectorDim, 1);
        },
        std::span(&combine, 1));
  });
}

void Chain::sort() {
  if (ir::is_complex(type())) {
    return;
  }
  const std::int64_t along = any_dimension();
  const ir::ComputationId before = s_.b.module().add_computation("before");
  ir::Builder b(s_.b.module(), before);
  const Id x = b.parameter(Shape::scalar(type())), y = b.parameter(Shape::scalar(type()));
  const bool is_total = ir::is_floating(type());
  s_.b.module().set_root(before, b.add(Opcode::Compare, {x, y}, [&](ir::Module &m, Id id) {
    m.set_number(id, AttributeKey::Direction, static_cast<std::int64_t>(ir::ComparisonDirection::Gt));
    if (is_total) {
      m.set_number(id, AttributeKey::ComparisonType, static_cast<std::int64_t>(ir::ComparisonType::TotalOrder));
    }
  }));
  both([&](Id value) {
    return s_.b.try_add(
        Opcode::Sort, std::vector{value},
        [&](ir::Module &m, Id id) { m.set_number(id, AttributeKey::Dimensions, along); }, std::span(&before, 1));
  });
}

void Chain::reduce_windows() {
  auto window = random_window(s_, s_.sizes(bounded_));
  for (ir::WindowDimension &dimension : window) {  // at run time, there may be nothing to take away
    dimension.pad_low = std::max<std::int64_t>(dimension.pad_low, 0);
    dimension.pad_high = std::max<std::int64_t>(dimension.pad_high, 0);
  }
  const Opcode combiner = random_combiner(s_, type());
  const Id initial = initial_value(s_, combiner, type());
  const ir::ComputationId computation = combining_computation(s_, combiner, type());
  both([&](Id x) {
    return s_.b.try_add(
        Opcode::ReduceWindow, std::vector{x, initial}, [&](ir::Module &m, Id id) { m.set_window(id, window); },
        std::span(&computation, 1));
  });
}

// Contracts the value with itself or with a static array along one dimension.
void Chain::contract() {
  if (rank() > 2 || type() == ElementType::Pred) {
    return;
  }
  const std::int64_t along = any_dimension();
  const bool is_own = s_.random.chance(2);
  const Id other = companion();
  both([&](Id x) {
    const std::int64_t size = s_.shape(x).size(static_cast<std::size_t>(along));
    return add(Opcode::Dot, {x, is_own ? x : first(other, along, size)}, [&](ir::Module &m, Id id) {
      m.set_numbers(id, AttributeKey::LhsContractingDims, {along});
      m.set_numbers(id, AttributeKey::RhsContractingDims, {along});
    });
  });
}

void Chain::step() {
  if (rank() == 0) {
    return;
  }
  switch (s_.random.below(12)) {
    case 0:
    case 1: return work_elementwise();
    case 2:
    case 3: return move();
    case 4: return pad();
    case 5: return concatenate();
    case 6: return reshape();
    case 7: return update();
    case 8: return s_.random.chance(2) ? gather() : scatter();
    case 9: return sort();
    case 10: return reduce_windows();
    default: return contract();
  }
}

void Chain::finish(std::vector<Id> &results) {
  if (rank() != 0 && s_.random.chance(3)) {
    const std::int64_t asked = any_dimension();
    both([&](Id x) {
      return add(Opcode::GetDimensionSize, {x},
                 [&](ir::Module &m, Id id) { m.set_number(id, AttributeKey::Dimensions, asked); });
    });
  } else {
    Numbers reduced;
    for (std::int64_t d = 0; d < rank(); ++d) {
      if (s_.shape(bounded_).is_dynamic(static_cast<std::size_t>(d)) || s_.random.chance(2)) {
        reduced.push_back(d);
      }
    }
    const Opcode combiner = random_combiner(s_, type());
    const Id initial = initial_value(s_, combiner, type());
    const ir::ComputationId computation = combining_computation(s_, combiner, type());
    both([&](Id x) {
      return s_.b.try_add(
          Opcode::Reduce, std::vector{x, initial},
          [&](ir::Module &m, Id id) { m.set_numbers(id, AttributeKey::Dimensions, reduced); },
          std::span(&computation, 1));
    });
  }
  if (s_.shape(bounded_).is_static()) {
    s_.keep(bounded_);
    results.push_back(bounded_);
    results.push_back(exact_);
  }
}

}  // namespace

void add_dynamic(Scope &s) {
  Chain chain(s, false);
  for (std::int64_t steps = s.random.below(4); steps > 0; --steps) {
    chain.step();
  }
  std::vector<Id> results;
  chain.finish(results);
}

ir::Module random_twins(std::uint64_t seed) {
  ir::Module module("twins");
  Random random(seed);
  Palette palette{{ElementType::F32, ElementType::S32, ElementType::Pred, ElementType::F64, ElementType::U8},
                  {1, 2, 3, 4, 5, 7},
                  256,
                  false};
  const ir::ComputationId main = module.add_computation("main");
  Scope s(module, main, random, palette, true);
  std::vector<Id> results;
  while (results.empty()) {
    Chain chain(s, true);
    for (std::int64_t steps = random.between(1, 5); steps > 0; --steps) {
      chain.step();
    }
    chain.finish(results);
  }
  module.set_root(main, s.b.tuple(results));
  module.set_entry(main);
  std::vector<ir::ComputationId> order(module.computation_ids().begin() + 1, module.computation_ids().end());
  order.push_back(main);
  module.set_computation_order(std::move(order));
  module.unique_names();
  return module;
}

}  // namespace bp::debugging
