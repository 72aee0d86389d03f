#include "plugins/llvm/contraction/prologue.h"

#include <llvm/IR/Module.h>

#include <algorithm>
#include <optional>
#include <unordered_set>

#include "plugins/llvm/contraction/fused_operands.h"
#include "plugins/llvm/contraction/memory.h"
#include "plugins/llvm/generator/generator.h"
#include "plugins/llvm/scalar/element_type.h"
#include "plugins/llvm/scalar/elementwise.h"
#include "plugins/llvm/scalar/lanes.h"

namespace bp::emit {
namespace {

using llvm::Value;

// The values from which an operand is computed.
struct Sources {
  std::vector<std::uint32_t> alike;   // parameters with the dimensions and layout of the operand
  std::vector<std::uint32_t> others;  // computed at the operand's coordinates
  std::int64_t operations = 0;
};

bool is_parameter(const ModuleView &module, std::uint32_t value) {
  return module.definition(value).op() == BP_OP_PARAMETER;
}

// Whether the value is a constant, an iota, a scalar or a broadcast.
bool is_known_for_many(const ModuleView &module, std::uint32_t value) {
  const InstructionView definition = module.definition(value);
  const bool is_scalar = module.shape_of(value).rank() == 0;
  switch (definition.op()) {
    case BP_OP_CONSTANT:
    case BP_OP_IOTA: return true;
    case BP_OP_PARAMETER: return is_scalar;
    case BP_OP_BROADCAST: break;
    default:
      if (!is_scalar || !is_elementwise(definition.op())) {
        return false;
      }
  }
  return std::ranges::all_of(definition.operands(), [&](std::uint32_t operand) {
    return is_parameter(module, operand) || is_known_for_many(module, operand);
  });
}

std::optional<Sources> find_sources(const ModuleView &module, std::uint32_t operand) {
  const Shape &whole = module.shape_of(operand);
  Sources sources;
  std::unordered_set<std::uint32_t> seen;
  std::vector<std::uint32_t> next = {operand};
  while (!next.empty()) {
    const std::uint32_t value = next.back();
    next.pop_back();
    if (!seen.insert(value).second) {
      continue;
    }
    const Shape &shape = module.shape_of(value);
    const bool is_alike = shape.dims == whole.dims && shape.minor_to_major == whole.minor_to_major && !shape.packed() &&
                          !is_complex(shape.dtype);
    if (is_alike && is_parameter(module, value)) {
      sources.alike.push_back(value);
    } else if (is_alike && is_elementwise(module.definition(value).op())) {
      const auto operands = module.definition(value).operands();
      next.insert(next.end(), operands.begin(), operands.end());
      ++sources.operations;
    } else if (shape.packed() && is_parameter(module, value) && shape.dims == whole.dims &&
               shape.minor_to_major == whole.minor_to_major) {
      sources.others.push_back(value);
    } else if (!is_complex(shape.dtype) && is_known_for_many(module, value)) {
      sources.others.push_back(value);
    } else {
      return std::nullopt;
    }
  }
  return sources;
}

// Loads one neighbouring element for each lane.
Value *load_lanes(llvm::IRBuilderBase &b, Value *pointer, std::uint16_t dtype, const PrologueSite &site) {
  llvm::Type *type = storage_type(b.getContext(), dtype);
  const std::uint64_t bytes = static_cast<std::uint64_t>(site.multiple) * storage_bytes(dtype);
  const llvm::Align of_pointer = pointer->getPointerAlignment(b.GetInsertBlock()->getModule()->getDataLayout());
  Value *address = b.CreateGEP(type, pointer, site.first);
  return b.CreateAlignedLoad(
      site.lanes == 1 ? type : llvm::FixedVectorType::get(type, static_cast<unsigned>(site.lanes)), address,
      std::min(of_pointer, llvm::Align(bytes & (~bytes + 1))));
}

class PrologueEmitter {
 public:
  PrologueEmitter(const ModuleView &module, std::uint32_t operand, Sources sources, const KernelSite *site,
                  const VectorTarget &target, bool large)
      : module_(module), operand_(operand), sources_(std::move(sources)), site_(site), target_(target), large_(large) {}

  // Reads values from memory; they are decoded later.
  std::vector<Value *> read(llvm::IRBuilderBase &b, const PrologueSite &at) const {
    KernelBuilder k(b.GetInsertBlock());
    k.set_large(large_);
    Generator generator(module_, k, target_);
    bind_operands(generator, *site_, at.pointers);
    std::vector<Value *> values;
    for (const std::uint32_t value : sources_.alike) {
      values.push_back(load_lanes(k.b, generator.pointer_of(value), module_.shape_of(value).dtype, at));
    }
    k.with_lanes(static_cast<unsigned>(at.lanes), nullptr, [&] {
      const Index flat = {.base = at.first, .lane_stride = at.lanes == 1 ? 0 : 1, .multiple = at.multiple};
      const Indices indices = indices_at(k, module_.shape_of(operand_), flat);
      for (const std::uint32_t value : sources_.others) {
        const bool is_scalar = module_.shape_of(value).rank() == 0;
        values.push_back(generator.element(value, is_scalar ? std::span<const Index>() : indices));
      }
    });
    b.SetInsertPoint(k.b.GetInsertBlock());
    return values;
  }

  Value *compute(llvm::IRBuilderBase &b, std::span<Value *const> values, std::int64_t lanes) const {
    KernelBuilder k(b.GetInsertBlock());
    Generator generator(module_, k, target_);
    const Shape &shape = module_.shape_of(operand_);
    Value *stored = nullptr;
    k.with_lanes(static_cast<unsigned>(lanes), nullptr, [&] {
      std::size_t next = 0;
      for (const std::uint32_t value : sources_.alike) {
        generator.bind_element(value, storage_to_compute(k.b, values[next++], module_.shape_of(value).dtype));
      }
      for (const std::uint32_t value : sources_.others) {
        generator.bind_element(value, values[next++]);
      }
      const Indices anywhere(shape.rank(), k.constant(0));
      stored = compute_to_storage(k.b, k.splat(generator.element(operand_, anywhere)), shape.dtype);
    });
    llvm::Type *bits = with_lanes_of(storage_type_of(stored->getType()->getScalarType()), stored);
    stored = k.b.CreateBitCast(stored, bits);
    b.SetInsertPoint(k.b.GetInsertBlock());
    return stored;
  }

 private:
  const ModuleView &module_;
  const std::uint32_t operand_;
  const Sources sources_;
  const KernelSite *const site_;
  const VectorTarget target_;
  const bool large_;
};

}  // namespace

bool has_prologue(const ModuleView &module, std::uint32_t operand) {
  return find_sources(module, operand).has_value();
}

bool has_uniform_vectors(const ModuleView &module, std::uint32_t operand, std::int64_t lanes) {
  const Shape &whole = module.shape_of(operand);
  const auto is_uniform = [&](std::uint32_t source) {
    const InstructionView broadcast = module.definition(source);
    if (broadcast.op() != BP_OP_BROADCAST || broadcast.operand_shape(0).elements == 1) {
      return true;
    }
    const auto dimensions = broadcast.numbers(BP_ATTR_DIMENSIONS);
    std::int64_t neighbours = 1;
    for (const std::int64_t d : whole.minor_to_major) {
      const std::int64_t size = whole.dims[static_cast<std::size_t>(d)];
      if (size > 1 && std::ranges::find(dimensions, d) != dimensions.end()) {
        break;
      }
      neighbours *= size;
    }
    return neighbours == 1 || neighbours % lanes == 0;
  };
  const std::optional<Sources> sources = find_sources(module, operand);
  return sources && std::ranges::all_of(sources->others, is_uniform);
}

Prologue make_prologue(InstructionView contraction, std::size_t operand, const KernelSite *site,
                       const VectorTarget &target, bool large) {
  const ModuleView &module = contraction.module();
  const std::uint32_t value = contraction.operand(operand);
  if (is_parameter(module, value)) {
    return {};
  }
  const Sources sources = *find_sources(module, value);
  const auto bits = [&](std::uint32_t source) -> std::int64_t {
    const Shape &shape = module.shape_of(source);
    return shape.packed() ? shape.element_bits : std::int64_t{8} * storage_bytes(shape.dtype);
  };
  Prologue prologue;
  prologue.operations = sources.operations;
  for (const std::uint32_t source : sources.alike) {
    prologue.read_bits = std::max(prologue.read_bits, bits(source));
  }
  for (const std::uint32_t source : sources.others) {
    prologue.read_bits = std::max(prologue.read_bits, module.shape_of(source).packed() ? bits(source) : 0);
  }
  if (prologue.read_bits == 0) {
    prologue.read_bits = bits(value);
  }
  const PrologueEmitter emitter(module, value, sources, site, target, large);
  prologue.read = [emitter](llvm::IRBuilderBase &b, const PrologueSite &at) { return emitter.read(b, at); };
  prologue.compute = [emitter](llvm::IRBuilderBase &b, std::span<Value *const> values, std::int64_t lanes) {
    return emitter.compute(b, values, lanes);
  };
  return prologue;
}

}  // namespace bp::emit
