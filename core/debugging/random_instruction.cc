#include "core/debugging/random_instruction.h"

#include <algorithm>

#include "core/debugging/random_scope.h"

namespace bp::debugging {
namespace {

using ir::Opcode;
using Id = ir::InstructionId;

void add_iota(Scope &s) {
  if (s.palette.types[0] == ir::ElementType::Pred) {
    return;
  }
  const ir::Shape shape = s.random_shape(s.random_type(), 1);
  s.keep(s.b.iota(shape, s.random.below(static_cast<std::int64_t>(shape.rank()))));
}

bool is_single_or_double(ir::ElementType type) {
  using enum ir::ElementType;
  return type == F32 || type == F64 || type == C64 || type == C128;
}
bool is_normalized(ir::ElementType type) {
  using enum ir::ElementType;
  return type == F32 || type == F64 || type == BF16;
}

// A function that adds instructions of an op, among others.
struct Source {
  Opcode opcode;
  void (*add)(Scope &);
  bool (*has)(ir::ElementType type) = nullptr;  // nullptr: all types
};
constexpr Source sources[] = {
    {Opcode::Iota, add_iota},
    {Opcode::Broadcast, add_movement},
    {Opcode::Reshape, add_movement},
    {Opcode::Transpose, add_movement},
    {Opcode::Reverse, add_movement},
    {Opcode::Slice, add_movement},
    {Opcode::Pad, add_movement},
    {Opcode::Concatenate, add_movement},
    {Opcode::DynamicSlice, add_movement},
    {Opcode::DynamicUpdateSlice, add_movement},
    {Opcode::Gather, add_indexing},
    {Opcode::Scatter, add_indexing},
    {Opcode::Reduce, add_reduction},
    {Opcode::ReduceWindow, add_reduction},
    {Opcode::SelectAndScatter, add_reduction},
    {Opcode::Sort, add_reduction},
    {Opcode::Dot, add_contraction},
    {Opcode::Convolution, add_contraction},
    {Opcode::Fft, add_algorithm, is_single_or_double},
    {Opcode::Cholesky, add_algorithm, is_single_or_double},
    {Opcode::TriangularSolve, add_algorithm, is_single_or_double},
    {Opcode::BatchNormTraining, add_algorithm, is_normalized},
    {Opcode::BatchNormInference, add_algorithm, is_normalized},
    {Opcode::BatchNormGrad, add_algorithm, is_normalized},
    {Opcode::TopK, add_algorithm},
    {Opcode::Scan, add_algorithm},
    {Opcode::Map, add_algorithm},
};

// A size next to a multiple of a vector's width or of a tile's, a small one, or any.
std::int64_t random_size(Random &random, std::int64_t max) {
  constexpr std::int64_t widths[] = {4, 8, 16, 32, 64};
  const std::int64_t kind = random.below(8);
  const std::int64_t size = kind == 0   ? 1
                            : kind <= 2 ? random.between(2, 5)
                            : kind <= 4 ? random.between(6, 70)
                                        : random.of(widths) * random.between(1, 3) + random.between(-1, 1);
  return std::clamp<std::int64_t>(size, 1, max);
}

// Makes a program of what `add` adds; returns nothing if that is no instruction of the op.
template <class Add>
std::optional<ir::Module> try_once(Random &random, const Palette &palette, Opcode opcode, Add add) {
  ir::Module module("random");
  const ir::ComputationId entry = module.add_computation("main");
  Scope s(module, entry, random, palette, true);
  add(s);
  Id root = ir::no_instruction;
  for (ir::Instruction i : module.computation(entry).instructions()) {
    root = i.opcode() == opcode ? i.id() : root;
  }
  if (root == ir::no_instruction) {
    return std::nullopt;
  }
  module.set_root(entry, root);
  module.set_entry(entry);
  std::vector<ir::ComputationId> order;  // callees first
  for (ir::ComputationId id : module.computation_ids()) {
    if (id != entry) {
      order.push_back(id);
    }
  }
  order.push_back(entry);
  module.set_computation_order(std::move(order));
  module.unique_names();
  return module;
}

// Stores elements of less than a byte packed, where that is possible.
void pack_narrow_elements(ir::Module &module) {
  const auto pack = [&](Id id) {
    ir::Shape shape = module.instruction(id).shape();
    const int width = shape.is_array() ? ir::bit_width(shape.element_type()) : 8;
    if (width < 8 && 8 % width == 0 && shape.element_type() != ir::ElementType::Pred) {
      ir::Layout layout = shape.layout();
      layout.element_bits = width;
      shape.set_layout(std::move(layout));
      module.set_shape(id, shape);
    }
  };
  const auto parameters = module.entry().parameter_ids();
  for (const Id id : std::vector<Id>(parameters.begin(), parameters.end())) {
    pack(id);
  }
  pack(module.entry().root().id());
}

std::int64_t elements_of_largest(const ir::Module &module) {
  std::int64_t most = 0;
  for (const ir::Instruction instruction : module.entry().instructions()) {
    most = std::max(most, instruction.shape().is_array() ? instruction.shape().element_count() : 0);
  }
  return most;
}

}  // namespace

std::span<const Opcode> varied_ops() {
  static const std::vector<Opcode> all = [] {
    std::vector<Opcode> opcodes;
    for (const ir::OpInfo *op : elementwise_ops()) {
      opcodes.push_back(op->opcode);
    }
    for (const Source &source : sources) {
      opcodes.push_back(source.opcode);
    }
    return opcodes;
  }();
  return all;
}

std::optional<ir::Module> random_instruction(std::uint64_t seed, Opcode opcode, ir::ElementType type,
                                             std::int64_t max_elements) {
  constexpr int max_attempts = 400;  // a family has up to 13 ops
  const auto source = std::ranges::find(sources, opcode, &Source::opcode);
  const bool is_elementwise = std::ranges::find(elementwise_ops(), &ir::info(opcode)) != elementwise_ops().end();
  if (is_elementwise ? !takes(ir::info(opcode).types, type)
                     : source == std::end(sources) || (source->has != nullptr && !source->has(type))) {
    return std::nullopt;
  }
  Random random(seed);
  for (int attempt = 0; attempt < max_attempts; ++attempt) {
    Palette palette{.types = {type}, .sizes = {}, .max_elements = max_elements, .only_parameters = true};
    if (opcode == Opcode::Convert) {
      for (const ir::ElementTypeInfo &row : ir::element_types()) {
        if (row.type_class != ir::TypeClass::Opaque) {
          palette.types.push_back(row.type);
        }
      }
    }
    // Where several dimensions have the same size, a device can mistake one for another.
    const std::int64_t distinct = random.chance(3) ? random.between(1, 2) : 5;
    // Where all sizes are multiples of 8, devices have other methods.
    const std::int64_t unit = random.chance(12) && max_elements >= 64 ? 8 : 1;
    for (std::int64_t i = 0; i < distinct; ++i) {
      const std::int64_t size = random_size(random, max_elements);
      palette.sizes.push_back(unit == 1 ? size : 8 * (size % 4 + 1));
    }
    if (unit == 1 && max_elements > 128 && random.chance(2)) {
      palette.sizes.back() = long_size(random, max_elements);
      palette.sizes.push_back(palette.sizes.back());
    }
    std::optional<ir::Module> module = try_once(random, palette, opcode, [&](Scope &s) {
      is_elementwise ? add_elementwise(s, ir::info(opcode)) : source->add(s);
    });
    // A result without elements shows little about a device: few programs have one. Where one array has no elements,
    // others may have any size.
    const ir::Shape result = module ? module->entry().root().shape() : ir::Shape();
    const std::int64_t elements = result.is_array() ? result.element_count() : 1;
    if (module && elements_of_largest(*module) <= std::int64_t{1} << 21 && (elements > 0 || random.chance(8))) {
      const ir::Instruction root = module->entry().root();
      if (!is_elementwise && result.is_array() && result.rank() > 1 && random.chance(4)) {
        module->set_shape(root.id(), with_any_layout(random, result));
      }
      if (!random.chance(4)) {
        pack_narrow_elements(*module);
      }
      return module;
    }
  }
  return std::nullopt;
}

}  // namespace bp::debugging
