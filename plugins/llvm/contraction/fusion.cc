#include "plugins/llvm/contraction/fusion.h"

#include <algorithm>

#include "plugins/llvm/contraction/fused_operands.h"
#include "plugins/llvm/contraction/prologue.h"
#include "plugins/llvm/generator/generator.h"
#include "plugins/llvm/scalar/element_type.h"
#include "plugins/llvm/scalar/elementwise.h"
#include "plugins/llvm/scalar/lanes.h"

namespace bp::emit {
namespace {

using llvm::Value;

bool is_contraction(std::uint16_t op) {
  return op == BP_OP_DOT || op == BP_OP_CONVOLUTION;
}

// Returns for each dimension of the result its group of axes. A dot has the groups 0: batch, 1: rows, 2: columns; a
// convolution has 1: output features, 0: all others. A vector of results may run along the dimensions of one group.
std::vector<int> axis_groups(InstructionView contraction) {
  const std::size_t rank = contraction.shape().rank();
  std::vector<int> groups(rank);
  if (contraction.op() == BP_OP_DOT) {
    const std::size_t batch = contraction.numbers(BP_ATTR_LHS_BATCH_DIMS).size();
    const std::size_t lhs =
        contraction.operand_shape(0).rank() - contraction.numbers(BP_ATTR_LHS_CONTRACTING_DIMS).size();
    for (std::size_t d = 0; d < rank; ++d) {
      groups[d] = d < batch ? 0 : d < lhs ? 1 : 2;
    }
  } else {
    const std::int64_t output_features = contraction.numbers(BP_ATTR_DIM_LABELS)[5];
    groups[static_cast<std::size_t>(output_features)] = 1;
  }
  return groups;
}

class EpilogueEmitter {
 public:
  EpilogueEmitter(const KernelSite &site, InstructionView contraction, const VectorTarget &target, bool large,
                  llvm::IRBuilderBase &b, const EpilogueSite &sums)
      : module_(contraction.module()),
        contraction_(contraction),
        root_(site.instruction.called(0).roots()[0]),
        k_(b.GetInsertBlock()),
        generator_(module_, k_, target),
        sums_(sums) {
    k_.set_large(large);
    bind_operands(generator_, site, sums.pointers);
  }

  Value *emit(llvm::IRBuilderBase &b) {
    const std::uint16_t dtype = contraction_.shape().dtype;
    Value *sums = sums_.sums;
    if (llvm::Type *type = compute_type(b.getContext(), dtype); type->isIntegerTy()) {
      sums = k_.b.CreateTrunc(sums, with_lanes_of(type, sums));
    }
    generator_.bind_element(contraction_.result(), round_to_type(k_.b, sums, dtype));
    auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(sums_.sums->getType());
    auto *constant = llvm::dyn_cast<llvm::Constant>(sums_.mask);
    const bool all = constant != nullptr && constant->isAllOnesValue();
    Value *result = nullptr;
    k_.with_lanes(vector == nullptr ? 1 : vector->getNumElements(), all ? nullptr : sums_.mask,
                  [&] { result = k_.splat(root()); });
    if (result->getType()->getScalarSizeInBits() == 1) {
      result = k_.b.CreateZExt(result, with_lanes_of(k_.b.getInt8Ty(), result));
    }
    b.SetInsertPoint(k_.b.GetInsertBlock());
    return result;
  }

 private:
  Value *root() {
    if (k_.lanes() > 1 && sums_.stride == 0) {
      return element_at(parts_of(k_.of_lanes(sums_.offsets)));
    }
    if (k_.lanes() == 1 || contraction_.shape().rank() == 0) {
      return element_at(in_row(0));
    }
    const std::size_t lane_dimension = find_lane_dimension();
    const Shape &shape = contraction_.shape();
    const std::int64_t step = sums_.stride / shape.strides[lane_dimension];
    const std::vector<int> groups = axis_groups(contraction_);
    bool is_alone = true;
    for (std::size_t d = 0; d < shape.rank(); ++d) {
      is_alone = is_alone && (d == lane_dimension || shape.dims[d] == 1 || groups[d] != groups[lane_dimension]);
    }
    if (is_alone) {
      return element_at(in_row(lane_dimension));
    }
    // The vector may cross the end of the row.
    Value *last =
        k_.b.CreateAdd(coordinate(lane_dimension), k_.b.getInt64(static_cast<std::uint64_t>((k_.lanes() - 1) * step)));
    Value *stays = k_.b.CreateICmpSLT(last, k_.b.getInt64(static_cast<std::uint64_t>(shape.dims[lane_dimension])));
    return k_.branch(
        stays, [&] { return std::vector<Value *>{k_.splat(element_at(in_row(lane_dimension)))}; },
        [&] { return std::vector<Value *>{k_.splat(element_at(parts_of(flat())))}; })[0];
  }

  Index flat() { return {.base = sums_.first, .lane_stride = k_.lanes() == 1 ? 0 : sums_.stride}; }

  // Returns the dimension along which the vector's stride is a step.
  std::size_t find_lane_dimension() const {
    const Shape &shape = contraction_.shape();
    std::size_t found = static_cast<std::size_t>(shape.minor_to_major[0]);
    for (std::size_t d = 0; d < shape.rank(); ++d) {
      if (shape.dims[d] > 1 && sums_.stride % shape.strides[d] == 0 &&
          (shape.dims[found] == 1 || shape.strides[d] > shape.strides[found])) {
        found = d;
      }
    }
    return found;
  }

  Value *coordinate(std::size_t d) {
    const Shape &shape = contraction_.shape();
    return k_.scalar(part_along(shape, d, {.base = sums_.first}));
  }

  // Returns the coordinates of the elements at flat positions, which are in the array. So the outermost one is no
  // remainder, and the position itself is what linear() makes of all of them.
  Indices parts_of(const Index &flat) {
    const Shape &shape = contraction_.shape();
    Indices indices;
    for (std::size_t d = 0; d < shape.rank(); ++d) {
      indices.push_back(part_along(shape, d, flat));
    }
    return indices;
  }

  Index part_along(const Shape &shape, std::size_t d, const Index &flat) {
    const bool is_outermost = shape.strides[d] * shape.dims[d] == shape.elements;
    return k_.part(flat, shape.strides[d], is_outermost ? 0 : shape.dims[d]);
  }

  // Returns the coordinates if all lanes differ only in that of `lane_dimension`. They remain parts of the flat
  // position, which is used to read arrays of the same layout.
  Indices in_row(std::size_t lane_dimension) {
    const Shape &shape = contraction_.shape();
    Indices indices = parts_of(flat());
    for (std::size_t d = 0; d < shape.rank() && k_.lanes() > 1; ++d) {
      if (shape.dims[d] > 1) {
        indices[d].base = coordinate(d);
        indices[d].lane_stride = d == lane_dimension ? sums_.stride / shape.strides[d] : 0;
      }
    }
    return indices;
  }

  Value *element_at(const Indices &indices) { return generator_.element(root_, indices); }

  const ModuleView &module_;
  InstructionView contraction_;
  std::uint32_t root_;
  KernelBuilder k_;
  Generator generator_;
  const EpilogueSite &sums_;
};

}  // namespace

std::optional<InstructionView> contraction_in(InstructionView fusion) {
  if (fusion.op() != BP_OP_FUSION) {
    return std::nullopt;
  }
  const ComputationView computation = fusion.called(0);
  for (std::uint32_t n = 0; n < computation.instruction_count(); ++n) {
    const InstructionView instruction = fusion.module().instruction(computation.first_instruction() + n);
    if (is_contraction(instruction.op())) {
      return instruction;
    }
  }
  return std::nullopt;
}

std::string contraction_fusion_problem(InstructionView fusion, InstructionView contraction,
                                       const std::function<bool(std::size_t operand)> &may_be_computed) {
  const ComputationView computation = fusion.called(0);
  const ModuleView &module = fusion.module();
  const std::string name(contraction.name());
  for (std::size_t i = 0; i < contraction.operand_count(); ++i) {
    const bool is_computed = module.definition(contraction.operand(i)).op() != BP_OP_PARAMETER;
    if (is_computed && !(has_prologue(module, contraction.operand(i)) && may_be_computed(i))) {
      return "contains " + name + ", whose operands are computed in the fusion";
    }
  }
  for (std::size_t i = 0; i < fusion.operand_count(); ++i) {
    if (module.shape_of(computation.parameters()[i]).minor_to_major != fusion.operand_shape(i).minor_to_major) {
      return "has parameters of other layouts than its operands";
    }
  }
  const Shape &shape = contraction.shape();
  const std::uint32_t root = computation.roots()[0];
  const std::uint16_t type = module.shape_of(root).dtype;
  const bool storable = is_float(type) ? value_bits(type) >= 16 : !is_complex(type) && value_bits(type) >= 8;
  if (computation.roots().size() != 1 || !storable || module.shape_of(root).packed() ||
      fusion.shape().minor_to_major != shape.minor_to_major) {
    return "contains " + name + " and has several results, or one of a type or layout that its kernel does not write";
  }
  // Instructions that depend on the contraction may use its element at the same position only.
  std::vector<bool> depends(computation.instruction_count());
  for (std::uint32_t n = 0; n < computation.instruction_count(); ++n) {
    const InstructionView inner = module.instruction(computation.first_instruction() + n);
    depends[n] = inner.id() == contraction.id();
    bool after = false;
    for (const std::uint32_t operand : inner.operands()) {
      after |= depends[module.definition(operand).id() - computation.first_instruction()];
    }
    if (is_contraction(inner.op()) && !depends[n]) {
      return "contains two contractions";
    }
    if (after && (!is_elementwise(inner.op()) || inner.shape().dims != shape.dims)) {
      return "contains " + std::string(inner.name()) + ", which moves the result of a contraction";
    }
    depends[n] = depends[n] || after;
  }
  return depends[module.definition(root).id() - computation.first_instruction()]
             ? ""
             : "contains " + name + ", which nothing needs";
}

Epilogue make_epilogue(const KernelSite &site, InstructionView contraction, const VectorTarget &target, bool large) {
  Epilogue epilogue;
  epilogue.emit = [&site, contraction, target, large](llvm::IRBuilderBase &b, const EpilogueSite &sums) {
    return EpilogueEmitter(site, contraction, target, large, b, sums).emit(b);
  };
  epilogue.pointers = static_cast<unsigned>(
      std::ranges::count_if(site.operands, [](const Value *operand) { return operand != nullptr; }));
  epilogue.reads_out = site.in_place[0] >= 0;
  return epilogue;
}

}  // namespace bp::emit
