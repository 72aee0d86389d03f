// Parts of random programs: a computation under construction, and the values in it that can be used as operands.
#pragma once

#include <random>
#include <vector>

#include "core/ir/builder.h"

namespace bp::debugging {

// Random numbers that are the same with every standard library.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  std::int64_t below(std::int64_t limit) {
    return static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(limit));
  }
  std::int64_t between(std::int64_t low, std::int64_t high) { return low + below(high - low + 1); }
  bool chance(std::int64_t one_of) { return below(one_of) == 0; }
  template <class Container>
  auto of(const Container &choices) {
    return *(std::begin(choices) + below(static_cast<std::int64_t>(std::size(choices))));
  }

 private:
  std::mt19937_64 engine_;
};

// Types and sizes that a program uses: few of them, so that values fit each other.
struct Palette {
  std::vector<ir::ElementType> types;
  std::vector<std::int64_t> sizes;
  std::int64_t max_elements = 256;
  bool is_plain = false;         // whether elementwise ops are only those that most devices support
  bool only_parameters = false;  // whether operands are parameters, and rarely the same one twice
};

class Scope {
 public:
  using Id = ir::InstructionId;
  using Ids = std::span<const Id>;

  Scope(ir::Module &module, ir::ComputationId computation, Random &random, const Palette &palette, bool is_entry)
      : b(module, computation), random(random), palette(palette), is_entry_(is_entry) {}

  ir::Builder b;
  Random &random;
  const Palette &palette;

  // Return copies, because adding instructions moves shapes.
  ir::Shape shape(Id id) { return b.shape(id); }
  std::vector<std::int64_t> sizes(Id id) {
    const std::span<const std::int64_t> sizes = b.shape(id).sizes();
    return {sizes.begin(), sizes.end()};
  }
  ir::ElementType random_type() { return random.of(palette.types); }
  ir::Shape random_shape(ir::ElementType type, std::int64_t min_rank = 0);

  // Returns a value of this shape: an existing one or one made from it, a constant or, in the entry, a parameter.
  Id value(ir::Shape shape);
  // Returns any value of a type with at least `min_rank` dimensions.
  Id value(ir::ElementType type, std::int64_t min_rank = 0);
  Id any_value() { return value(random_type()); }
  // Returns a scalar that is often a small number.
  Id index_scalar(ir::ElementType type = ir::ElementType::S32);
  // Returns a type for start indices: mostly s32.
  ir::ElementType index_type();
  // Whether to use an array with positions that would be negative in 8 bits with a sign: in some programs of one
  // instruction.
  bool has_long_positions();
  Id long_array();  // such an array, of any type

  // Adds an instruction if its shape can be inferred; its arrays become available as operands.
  template <class F>
  void add(ir::Opcode opcode, Ids operands, F &&set_attributes, std::span<const ir::ComputationId> calls = {},
           const ir::Shape &written = {}) {
    if (auto id = b.try_add(opcode, operands, set_attributes, calls, written); id.ok()) {
      keep(*id);
    }
  }
  void add(ir::Opcode opcode, Ids operands, const ir::Shape &written = {}) {
    add(opcode, operands, [](ir::Module &, Id) {}, {}, written);
  }
  // Makes the arrays of a value available as operands.
  void keep(Id id);
  std::span<const Id> values() const { return values_; }

 private:
  Id fresh(const ir::Shape &shape);

  bool is_entry_;
  std::vector<Id> values_;
};

// Whether this set contains the type.
bool takes(ir::TypeSet set, ir::ElementType type);

// A size up to `max`, next to a limit at which devices divide long arrays: of a buffer, a block or a counter.
std::int64_t long_size(Random &random, std::int64_t max);

// Return 0, 1, ... in ascending and in random order.
std::vector<std::int64_t> iota(std::int64_t count);
std::vector<std::int64_t> permutation(Random &random, std::int64_t count);
// Returns some of the dimensions, in ascending order.
std::vector<std::int64_t> some_dimensions(Random &random, std::int64_t rank);
// Returns the shape with a random layout.
ir::Shape with_any_layout(Random &random, ir::Shape shape);
// The most operations of one instruction: about as many as the interpreter does in a fraction of a second.
inline constexpr std::int64_t max_operations = 1 << 22;
// Returns a window over dimensions of these sizes. All windows together have at most max_operations elements, unless
// the dimensions themselves have more. `may_dilate`: whether there may be gaps between elements.
std::vector<ir::WindowDimension> random_window(Scope &scope, std::span<const std::int64_t> sizes,
                                               bool may_dilate = true);

// Returns an op that combines two values of a type into one, and a computation of it.
ir::Opcode random_combiner(Scope &scope, ir::ElementType type);
ir::ComputationId combining_computation(Scope &scope, ir::Opcode combiner, ir::ElementType type);
// Returns the initial value that has no effect, if there is a simple one.
Scope::Id initial_value(Scope &scope, ir::Opcode combiner, ir::ElementType type);

// Whether results of a program of one instruction may depend on the order in which numbers of the type are added, as a
// function of several arrays states it: that many reach integers that a narrow type does not have.
bool depends_on_order(const Scope &scope, ir::ElementType type, std::int64_t terms);

// Returns the elementwise ops whose operands all follow the same rules.
std::span<const ir::OpInfo *const> elementwise_ops();

// Each of these adds an instruction of one kind; each kind has a file of its own.
void add_elementwise(Scope &scope);
void add_elementwise(Scope &scope, const ir::OpInfo &op);
void add_movement(Scope &scope);
void add_indexing(Scope &scope);
void add_reduction(Scope &scope);
void add_contraction(Scope &scope);
void add_algorithm(Scope &scope);
void add_dynamic(Scope &scope);

}  // namespace bp::debugging
