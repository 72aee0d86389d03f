// kernel_problem(): finds instructions that are valid HLO but that this backend does not compile. The core guarantees
// well-typed modules (BP-MODULE-08); the emitters rely on that and on the checks in this file only. Each function
// returns the problem as the end of a sentence that begins with the instruction's name; empty if there is none.
#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "plugins/llvm/contraction/fusion.h"
#include "plugins/llvm/fft/shape.h"
#include "plugins/llvm/kernel/attention.h"
#include "plugins/llvm/kernel/kernel.h"
#include "plugins/llvm/kernel/panels.h"
#include "plugins/llvm/kernel/row_fusion.h"
#include "plugins/llvm/kernel/topk.h"
#include "plugins/llvm/scalar/element_type.h"
#include "plugins/llvm/scalar/elementwise.h"

namespace bp::emit {
namespace {

// Returns the shapes of all operands and results.
std::vector<const Shape *> shapes_of(InstructionView instruction) {
  std::vector<const Shape *> shapes;
  for (std::size_t i = 0; i < instruction.operand_count(); ++i) {
    shapes.push_back(&instruction.operand_shape(i));
  }
  for (std::size_t i = 0; i < instruction.result_count(); ++i) {
    shapes.push_back(&instruction.shape(i));
  }
  return shapes;
}

// target: that of the kernel; null for an instruction that has no kernel with tiled operands.
std::string types_problem(InstructionView instruction, const VectorTarget *target) {
  std::size_t number = 0;
  for (const Shape *shape : shapes_of(instruction)) {
    const std::size_t operand = number++;
    if (!is_supported_type(shape->dtype, shape->element_bits)) {
      return "element type " + std::to_string(shape->dtype) + " (" + std::to_string(shape->element_bits) +
             " bits) is not compiled";
    }
    const bool is_read = target != nullptr && operand < instruction.operand_count()
                             ? shape->tiled && is_in_panels(instruction, operand, *target)
                             : instruction.op() == BP_OP_PARAMETER;
    if (shape->tiled && !is_read) {
      return "has a tiled layout, which is not compiled";
    }
  }
  return {};
}

std::string packing_problem(InstructionView instruction) {
  const bool is_packed = std::ranges::any_of(shapes_of(instruction), &Shape::packed);
  return is_packed ? "has several elements in a byte, which is not compiled" : "";
}

// Refuses attributes of a newer opset than this was written for, except hints (BP-MODULE-07).
std::string attributes_problem(InstructionView instruction) {
  constexpr std::uint16_t newest = BP_ATTR_INDICES;
  for (const bp_attr_t &attribute : instruction.attributes()) {
    if (attribute.key > newest && attribute.key < BP_ATTR_HINT) {
      return "has attribute " + std::to_string(attribute.key) + ", which is not known";
    }
  }
  return {};
}

// Refuses functions that are asked for a nearer result than theirs (docs/precision.md).
std::string accuracy_problem(InstructionView instruction) {
  const std::uint32_t ulps = instruction.precision();
  const std::uint16_t dtype = instruction.shape().dtype;
  const std::uint32_t own = is_complex(dtype) ? 4 : dtype == BP_DTYPE_F64 ? 2 : 1;
  return ulps == 0 || ulps >= own
             ? ""
             : "is asked for a result within " + std::to_string(ulps) + " ulp, it is within " + std::to_string(own);
}

// Ops that give the same bits another type.
std::string reinterpretation_problem(InstructionView instruction) {
  const std::uint16_t from = instruction.operand_shape(0).dtype, to = instruction.shape().dtype;
  return from != to && (is_complex(from) || is_complex(to)) ? "is not compiled for complex numbers" : "";
}

// HLO requires the same number of bytes; this backend, that each element of the result is one of the operand.
std::string bitcast_problem(InstructionView instruction) {
  const Shape &in = instruction.operand_shape(0), &out = instruction.shape();
  if (in.elements != out.elements || in.element_bits != out.element_bits) {
    return "bitcasts elements to another width, expected the same width";
  }
  // The bytes stay, and no byte but 0 and 1 is a pred.
  return in.dtype != out.dtype && out.dtype == BP_DTYPE_PRED ? "bitcasts to pred, expected an operand of pred" : "";
}

// HLO allows a stride of any size if no second element is taken.
std::string slice_problem(InstructionView instruction) {
  const auto ranges = instruction.numbers(BP_ATTR_SLICE);
  bool fits = true;
  for (std::size_t d = 0; d < instruction.shape().rank(); ++d) {
    fits = fits && ranges[3 * d + 2] <= instruction.operand_shape(0).dims[d] + 1;
  }
  return fits ? "" : "has a stride that is larger than its operand";
}

std::string pad_problem(InstructionView instruction) {
  constexpr std::int64_t limit = std::int64_t{1} << 40;
  const auto fits = [](std::int64_t amount) { return amount >= -limit && amount <= limit; };
  const bool all_fit = std::ranges::all_of(instruction.numbers(BP_ATTR_PADDING), fits);
  return all_fit ? "" : "has padding out of range, expected -2^40 to 2^40";
}

// HLO also takes start indices as one vector.
std::string starts_problem(InstructionView instruction) {
  const std::size_t first = instruction.op() == BP_OP_DYNAMIC_UPDATE_SLICE ? 2 : 1;
  const bool is_vector = instruction.operand_count() > first && instruction.operand_shape(first).rank() != 0;
  return is_vector ? "has its start indices in a vector, expected scalars" : "";
}

// HLO allows numbers of any size, and no window at all for one of size 1.
std::string window_problem(InstructionView instruction) {
  constexpr std::int64_t limit = std::int64_t{1} << 31;
  const auto window = instruction.numbers(BP_ATTR_WINDOW);
  const std::size_t rank = instruction.shape().rank() - (instruction.op() == BP_OP_CONVOLUTION ? 2 : 0);
  if (window.size() != 7 * rank) {
    return "has a window of another rank than its result";
  }
  if (!std::ranges::all_of(window, [](std::int64_t number) { return number > -limit && number < limit; })) {
    return "has a window with numbers of 2^31 or more";
  }
  for (std::size_t at = 0; instruction.op() == BP_OP_SELECT_AND_SCATTER && at < window.size(); at += 7) {
    if (window[at + 4] != 1 || window[at + 5] != 1 || window[at + 6] != 0) {
      return "has a dilated window";
    }
  }
  return {};
}

// The results are computed in the memory of their operands; all updates of a scatter use the same loops.
std::string in_place_problem(InstructionView instruction) {
  const std::size_t count = instruction.result_count();
  bool fits = true;
  for (std::size_t i = 0; i < count; ++i) {
    const auto &layout = instruction.operand_shape(i).minor_to_major;
    fits = fits && instruction.shape(i).minor_to_major == layout;
    if (instruction.op() == BP_OP_SCATTER) {
      fits = fits && layout == instruction.operand_shape(0).minor_to_major &&
             instruction.operand_shape(count + 1 + i).dims == instruction.operand_shape(count + 1).dims;
    }
  }
  return fits ? "" : "has operands and results that differ in layout or sizes, expected equal ones";
}

std::string positions_problem(InstructionView topk) {
  return topk.operand_shape(0).dims.back() > INT32_MAX
             ? "has a dimension of 2^31 or more, expected positions that fit into s32"
             : "";
}

// Integers of at least 8 bits and floats of at least 16 are compiled, with sums of at least as many bits. Sparse
// convolutions have more operands.
std::string contraction_problem(InstructionView instruction) {
  if (instruction.operand_count() != 2) {
    return "has a wrong number of operands";
  }
  const std::uint16_t lhs = instruction.operand_shape(0).dtype, rhs = instruction.operand_shape(1).dtype,
                      out = instruction.shape().dtype;
  bool fits = is_signed(lhs) == is_signed(rhs);
  for (const std::uint16_t dtype : {lhs, rhs, out}) {
    const bool has_code = is_float(dtype) ? value_bits(dtype) >= 16 : is_integer(dtype) && value_bits(dtype) >= 8;
    fits = fits && has_code && is_float(dtype) == is_float(out) && compute_bits(dtype) <= compute_bits(out);
  }
  return fits ? "" : "of these element types is not compiled";
}

// Checks the computations on scalars that an instruction calls, such as reducers.
std::string callees_problem(InstructionView caller);

// Contexts in which an op has code. Each includes those before it.
enum class Use : std::uint8_t {
  InScalars,       // a computation on scalars, such as a reducer
  InFusion,        // any code that computes the elements of a result one by one
  InKernelFusion,  // a fusion that is a kernel
  AsKernel,        // a kernel of its own
};

// The table of ops other than elementwise ones. An op without a row is not compiled. The computations that a fusion or
// a call calls are checked with it.
using Check = std::string (*)(InstructionView instruction);
struct Row {
  std::uint16_t op;
  Use use;
  std::array<Check, 4> checks = {};
  bool may_give_several = false;
};
using enum Use;
constexpr Row elementwise = {0, InScalars, {elementwise_problem}};
constexpr Row rows[] = {
    {BP_OP_ADD_DEPENDENCY, InFusion},
    {BP_OP_AFTER_ALL, InFusion},
    {BP_OP_BITCAST, InScalars, {bitcast_problem, reinterpretation_problem}},
    {BP_OP_BITCAST_CONVERT, InScalars, {reinterpretation_problem}},
    {BP_OP_BROADCAST, InScalars},
    {BP_OP_CALL, InScalars, {}, true},
    {BP_OP_CONCATENATE, InFusion},
    {BP_OP_CONSTANT, InScalars},
    {BP_OP_CONVOLUTION, InKernelFusion, {packing_problem, window_problem, contraction_problem}},
    {BP_OP_DOMAIN, InFusion},
    {BP_OP_DOT, InKernelFusion, {packing_problem, contraction_problem}},
    {BP_OP_DYNAMIC_SLICE, InFusion, {starts_problem}},
    {BP_OP_DYNAMIC_UPDATE_SLICE, InFusion, {starts_problem}},
    {BP_OP_FFT, AsKernel, {packing_problem, fft_problem}},
    {BP_OP_FUSION, InScalars, {}, true},
    {BP_OP_GATHER, InFusion},
    {BP_OP_IOTA, InFusion},
    {BP_OP_MAP, InFusion, {callees_problem}},
    {BP_OP_OPTIMIZATION_BARRIER, InFusion},
    {BP_OP_PAD, InFusion, {pad_problem}},
    {BP_OP_PARAMETER, InScalars},
    {BP_OP_REDUCE, InFusion, {callees_problem}, true},
    {BP_OP_REDUCE_WINDOW, InFusion, {window_problem, callees_problem}, true},
    {BP_OP_RESHAPE, InScalars},
    {BP_OP_REVERSE, InFusion},
    {BP_OP_RNG_GET_AND_UPDATE_STATE, AsKernel},
    {BP_OP_SCATTER, AsKernel, {packing_problem, in_place_problem, callees_problem}, true},
    {BP_OP_SELECT_AND_SCATTER, AsKernel, {packing_problem, window_problem, in_place_problem, callees_problem}},
    {BP_OP_SLICE, InFusion, {slice_problem}},
    {BP_OP_SORT, AsKernel, {packing_problem, in_place_problem, callees_problem}, true},
    {BP_OP_TOP_K, AsKernel, {packing_problem, positions_problem}, true},
    {BP_OP_TRANSPOSE, InScalars},
};

// Returns null if the op is not compiled in this context.
const Row *find_row(std::uint16_t op, Use use) {
  if (is_elementwise(op)) {
    return &elementwise;
  }
  const Row *row = std::ranges::find(rows, op, &Row::op);
  return row != std::end(rows) && row->use <= use ? row : nullptr;
}

// Checks an instruction whose types were checked before.
std::string op_problem(InstructionView instruction, const Row &row) {
  if (instruction.result_count() != 1 && (!row.may_give_several || instruction.result_count() == 0)) {
    return row.may_give_several ? "has no result" : "has several results";
  }
  std::string problem = attributes_problem(instruction);
  problem = problem.empty() ? accuracy_problem(instruction) : problem;
  for (const Check check : row.checks) {
    problem = problem.empty() && check != nullptr ? check(instruction) : problem;
  }
  return problem;
}

std::string callees_problem(InstructionView caller) {
  std::string problem;
  for (std::size_t i = 0; i < caller.calls().size(); ++i) {
    const ComputationView computation = caller.called(i);
    for (std::uint32_t n = 0; n < computation.instruction_count() && problem.empty(); ++n) {
      const InstructionView instruction = computation.module().instruction(computation.first_instruction() + n);
      const Row *row = find_row(instruction.op(), InScalars);
      problem = types_problem(instruction, nullptr);
      for (const Shape *shape : shapes_of(instruction)) {
        problem = problem.empty() && shape->elements != 1 ? "calls a computation on arrays" : problem;
      }
      if (problem.empty()) {
        problem =
            row == nullptr ? "calls a computation with ops that are not elementwise" : op_problem(instruction, *row);
      }
      problem = problem.empty() ? callees_problem(instruction) : problem;
    }
  }
  return problem;
}

// The code of a fusion contains that of each computation it calls, once per call, and is generated recursively. The
// limits bound the stack and the time that LLVM takes. Each computation is visited once.
constexpr std::uint32_t largest_fusion = 2000, largest_depth = 256;
struct Size {
  std::uint32_t depth = 0, instructions = 0;  // including the computations that it calls
};
Size size_of(ComputationView computation, std::uint32_t depth, std::map<std::uint32_t, Size> &known) {
  if (const auto found = known.find(computation.id()); found != known.end() || depth > largest_depth) {
    return found != known.end() ? found->second : Size{largest_depth + 1};
  }
  Size size = {0, std::min(computation.instruction_count(), largest_fusion + 1)};
  for (std::uint32_t n = 0; n < computation.instruction_count(); ++n) {
    const InstructionView caller = computation.module().instruction(computation.first_instruction() + n);
    for (std::size_t i = 0; i < caller.calls().size(); ++i) {
      const Size inner = size_of(caller.called(i), depth + 1, known);
      size.depth = std::max(size.depth, inner.depth + 1);
      size.instructions = std::min(size.instructions + inner.instructions, largest_fusion + 1);
    }
  }
  return known[computation.id()] = size;
}

// Checks a fusion that ends in a scatter.
std::string scatter_fusion_problem(InstructionView fusion, InstructionView scatter) {
  const std::size_t operand = scattered_operand(fusion, 0);
  if (operand == fusion.operand_count()) {
    return "contains " + std::string(scatter.name()) + ", which does not write to a parameter";
  }
  const bool lies_alike = scatter.operand_shape(0).minor_to_major == fusion.operand_shape(operand).minor_to_major &&
                          scatter.shape().minor_to_major == fusion.shape().minor_to_major;
  return lies_alike ? "" : "has layouts that differ from those of the scatter at its end";
}

// Checks a fusion. `target` is that of the kernel; null for a fusion inside another one.
std::string fusion_problem(InstructionView fusion, const VectorTarget *target) {
  const ComputationView computation = fusion.called(0);
  const auto ending = target == nullptr ? std::nullopt : scatter_in(fusion);
  if (target != nullptr) {
    std::map<std::uint32_t, Size> known;
    const Size whole = size_of(computation, 0, known);
    if (whole.depth > largest_depth || whole.instructions > largest_fusion) {
      return whole.depth > largest_depth ? "has fusions that are nested more than 256 deep"
                                         : "has too many instructions";
    }
  }
  for (std::uint32_t n = 0; n < computation.instruction_count(); ++n) {
    const InstructionView inner = fusion.module().instruction(computation.first_instruction() + n);
    const bool is_end = ending && inner.id() == ending->id();
    const Row *row = find_row(inner.op(), is_end ? AsKernel : target == nullptr ? InFusion : InKernelFusion);
    if (std::string problem = types_problem(inner, target); row != nullptr && !problem.empty()) {
      return problem;
    }
    std::string problem = row == nullptr ? "is not compiled" : op_problem(inner, *row);
    if (problem.empty() && (inner.op() == BP_OP_FUSION || inner.op() == BP_OP_CALL)) {
      problem = fusion_problem(inner, nullptr);
    }
    if (!problem.empty()) {
      return "contains " + std::string(inner.name()) + ", which " + problem;
    }
  }
  if (target != nullptr && has_two_dots(fusion)) {
    return attention_problem(fusion, *target);
  }
  if (const auto contraction = contraction_in(fusion); contraction && target != nullptr) {
    return contraction_fusion_problem(
        fusion, *contraction, [&](std::size_t operand) { return computes_operand(*contraction, operand, *target); });
  }
  if (ending) {
    return scatter_fusion_problem(fusion, *ending);
  }
  std::string problem;
  if (repeats_reductions(fusion)) {
    find_rows(fusion, problem);
  }
  return problem;
}

}  // namespace

std::string kernel_problem(InstructionView instruction, const VectorTarget &target) {
  if (instruction.is_host_call()) {
    return "";
  }
  const std::uint16_t op = instruction.op();
  if (op == BP_OP_CALL && instruction.number(BP_ATTR_IS_COMPOSITE) != 0) {
    return "is a composite, expected the instructions that it is composed of";
  }
  const bool is_given = op == BP_OP_PARAMETER || op == BP_OP_CONSTANT;
  if (is_given || is_control_flow(op) || is_forwarding(op)) {
    return is_given ? "" : attributes_problem(instruction);
  }
  const Row *row = find_row(op, AsKernel);
  if (row == nullptr || (op == BP_OP_FFT && target.is_threaded)) {  // threads transform by matrices
    return "is not compiled";
  }
  std::string problem = types_problem(instruction, &target);
  problem = problem.empty() ? op_problem(instruction, *row) : problem;
  problem = problem.empty() && op == BP_OP_FUSION ? fusion_problem(instruction, &target) : problem;
  if (problem.empty() && op == BP_OP_TOP_K && target.is_threaded && !topk_for_team(instruction)) {
    return "takes more elements than are selected without sorting, which this device does not do in a kernel";
  }
  return problem;
}

}  // namespace bp::emit
