// The parts of lowering that all ops have in common, and the ops of the vector unit.
#include "plugins/npu/lowering.h"

#include <algorithm>
#include <array>

#include "plugins/npu/vector_unit.h"

namespace bp::npu {
namespace {

// Maximum number of the machine's instructions for one instruction of the module.
constexpr std::size_t max_instructions = 1 << 16;

// The attributes that are understood.
constexpr std::array understood = {
    BP_ATTR_PARAMETER_NUMBER,
    BP_ATTR_DIMENSIONS,
    BP_ATTR_DIRECTION,
    BP_ATTR_COMPARISON_TYPE,
    BP_ATTR_IOTA_DIMENSION,
    BP_ATTR_SLICE,
    BP_ATTR_DYNAMIC_SLICE_SIZES,
    BP_ATTR_PADDING,
    BP_ATTR_LHS_CONTRACTING_DIMS,
    BP_ATTR_RHS_CONTRACTING_DIMS,
    BP_ATTR_LHS_BATCH_DIMS,
    BP_ATTR_RHS_BATCH_DIMS,
    BP_ATTR_OPERAND_PRECISION,
    BP_ATTR_ALGORITHM,
    BP_ATTR_INFERRED_DIMENSION,
    BP_ATTR_VALUE,
    BP_ATTR_DOMAIN,
};

std::uint64_t round_up(std::uint64_t bytes) {
  return quotient_up(bytes, scratch_alignment) * scratch_alignment;
}

bool same_layout(plugin::Shape a, plugin::Shape b) {
  return std::ranges::equal(a.dims(), b.dims()) && std::ranges::equal(a.minor_to_major(), b.minor_to_major()) &&
         a.tile_count() == b.tile_count() && (a.tile_count() == 0 || std::ranges::equal(a.tile(0), b.tile(0)));
}

}  // namespace

std::string name_of(std::uint32_t dtype) {
  switch (dtype) {
    case BP_DTYPE_PRED: return "pred";
    case BP_DTYPE_S8: return "s8";
    case BP_DTYPE_S32: return "s32";
    case BP_DTYPE_BF16: return "bf16";
    case BP_DTYPE_F32: return "f32";
    default: return "type " + std::to_string(dtype);
  }
}

std::string Lowering::lower(plugin::Instruction instruction) {
  for (const auto values : {instruction.operands(), instruction.results()}) {
    for (const plugin::Value value : values) {
      if (value.shape().element_bits() == 0) {
        continue;  // a token
      }
      if (std::string reason = reason_against_moving(value.shape()); !reason.empty()) {
        return reason;
      }
    }
  }
  origin_ = instruction.index();
  taken_ = 0;
  limit_ = program_.instructions.size() + max_instructions;
  is_full_ = false;
  std::string reason = lower_op(instruction);
  for (const bp_attr_t &attribute : instruction.attributes()) {
    if (reason.empty() && attribute.key < BP_ATTR_HINT &&
        std::ranges::find(understood, attribute.key) == understood.end()) {
      return "it has the attribute " + std::to_string(attribute.key) + " of op_ids.h, which is not known here";
    }
  }
  if (reason.empty() && is_full_) {
    return "takes more than " + std::to_string(max_instructions) + " instructions of the machine";
  }
  return reason;
}

std::string Lowering::lower_op(plugin::Instruction instruction) {
  switch (instruction.op()) {
    case BP_OP_OPTIMIZATION_BARRIER:
    case BP_OP_DOMAIN:
    case BP_OP_ADD_DEPENDENCY: return forward(instruction);
    case BP_OP_AFTER_ALL: return {};
    default: break;
  }
  if (instruction.result_count() != 1) {
    return std::to_string(instruction.result_count()) + " results: the machine computes one";
  }
  if (instruction.result().shape().element_count() == 0) {
    return {};
  }
  switch (instruction.op()) {
    case BP_OP_COPY:
    case BP_OP_BITCAST_CONVERT: return copy(instruction);
    case BP_OP_BROADCAST:
    case BP_OP_REVERSE:
    case BP_OP_SLICE:
    case BP_OP_TRANSPOSE: move_operand(instruction, 0); return {};
    case BP_OP_CONCATENATE: return concatenate(instruction);
    case BP_OP_DYNAMIC_SLICE: return dynamic_slice(instruction);
    case BP_OP_DYNAMIC_UPDATE_SLICE: return dynamic_update_slice(instruction);
    case BP_OP_IOTA: return iota(instruction);
    case BP_OP_PAD: return pad(instruction);
    case BP_OP_RESHAPE: return reshape(instruction);
    case BP_OP_REDUCE: return reduce(instruction);
    case BP_OP_DOT: return dot(instruction);
    default: return elementwise(instruction);
  }
}

Instruction &Lowering::emit(Opcode opcode) {
  is_full_ = is_full_ || (!is_planned_ && program_.instructions.size() >= limit_);
  if (is_full_) {
    program_.instructions.pop_back();
  }
  Instruction &instruction = program_.instructions.emplace_back();
  instruction.opcode = opcode;
  instruction.origin = origin_;
  return instruction;
}

std::uint32_t Lowering::take(std::uint64_t bytes) {
  const std::uint32_t address = taken_;
  taken_ += static_cast<std::uint32_t>(round_up(bytes));
  program_.scratch_bytes = std::max(program_.scratch_bytes, taken_);
  return address;
}

std::uint32_t Lowering::add(const Tensor &tensor) {
  program_.tensors.push_back(tensor);
  return static_cast<std::uint32_t>(program_.tensors.size() - 1);
}

void Lowering::transfer(Opcode opcode, const Window &window, std::uint32_t tensor, const Box &box,
                        std::uint32_t address) {
  Instruction &instruction = emit(opcode);
  instruction.tensor = tensor;
  instruction.to = address;
  instruction.axes = static_cast<std::uint32_t>(program_.axes.size());
  const std::uint32_t rank = window.tensor.rank;
  program_.axes.resize(program_.axes.size() + rank);
  std::uint32_t pitch = window.tensor.width;
  for (std::uint32_t d = rank; d-- > 0;) {
    const std::int32_t step = window.step[d];
    program_.axes[instruction.axes + d] = {window.start[d] + step * static_cast<std::int32_t>(box.start[d]), step,
                                           box.count[d], pitch, window.index_register[d]};
    pitch *= box.count[d];
  }
}

void Lowering::transfer_row(Opcode opcode, std::uint32_t tensor, std::uint32_t start, std::uint32_t count,
                            std::uint32_t address) {
  transfer(opcode, Window(program_.tensors[tensor]), tensor, {{start}, {count}}, address);
}

void Lowering::load_scalar(plugin::Value value, std::uint32_t origin) {
  origin_ = origin;
  taken_ = 0;
  const Window window(view_of(value, value.shape(), is_planned_));
  load(window, add(window.tensor), {}, take(window.tensor.width));
}

// Operands are loaded piece by piece, scalars once. If all arrays have the same layout, they are treated as flat rows
// of elements.
std::string Lowering::elementwise(plugin::Instruction instruction) {
  const VectorFunction *function = find_function(instruction.op());
  if (function == nullptr) {
    return "the vector unit has no function for this op";
  }
  const plugin::Shape result = instruction.result().shape();
  const std::uint32_t count = instruction.operand_count();
  const std::uint32_t dtype = instruction.operand(count - 1).shape().dtype();
  for (const std::uint32_t type : {dtype, std::uint32_t{result.dtype()}}) {
    if (set_of(type) == 0) {
      return "elements of " + name_of(type) + ": the vector unit computes in pred, s8, s32, bf16 and f32";
    }
  }
  if ((set_of(dtype) & function->types) == 0) {
    return "the vector unit has no function for this op of " + name_of(dtype) +
           (function->types == of_bf16 ? ", only of bf16" : "");
  }
  std::uint32_t option = static_cast<std::uint32_t>(instruction.integer(BP_ATTR_DIRECTION, 0));
  if (instruction.integer(BP_ATTR_COMPARISON_TYPE, BP_COMPARISON_TYPE_FLOAT) == BP_COMPARISON_TYPE_TOTAL_ORDER) {
    option |= in_total_order;
  }
  std::array<bool, 3> is_scalar{};
  bool is_flat = true;
  std::uint32_t bytes = width_of(result.dtype());
  for (std::uint32_t k = 0; k < count; ++k) {
    const plugin::Shape shape = instruction.operand(k).shape();
    is_scalar[k] = shape.rank() == 0;
    is_flat = is_flat && (is_scalar[k] || same_layout(shape, result));
    bytes += width_of(shape.dtype());
  }
  const auto window_of = [&](plugin::Value value) {
    const Tensor tensor = view(value);
    return Window(is_flat ? flat_view_of(tensor) : tensor);
  };
  const Window to = window_of(instruction.result());
  const Sizes sizes = sizes_of(to.tensor);
  const auto elements = static_cast<std::uint32_t>(Box{{}, sizes}.elements());
  const std::uint32_t piece = std::min(elements, (scratch_limit / bytes - scratch_alignment) / 64 * 64);
  std::vector<Window> windows;
  std::array<std::uint32_t, 3> tensors{}, addresses{};
  for (std::uint32_t k = 0; k < count; ++k) {
    const plugin::Value operand = instruction.operand(k);
    windows.push_back(is_scalar[k] ? Window(repeated(view(operand), piece)) : window_of(operand));
    tensors[k] = add(windows[k].tensor);
    addresses[k] = take(std::uint64_t{piece} * windows[k].tensor.width);
    if (is_scalar[k]) {
      load(windows[k], tensors[k], {{0}, {piece}}, addresses[k]);
    }
  }
  const std::uint32_t to_tensor = add(to.tensor);
  const std::uint32_t address = take(std::uint64_t{piece} * to.tensor.width);
  for_each_box(sizes, piece, [&](const Box &box) {
    if (is_full_) {
      return;
    }
    for (std::uint32_t k = 0; k < count; ++k) {
      if (!is_scalar[k]) {
        load(windows[k], tensors[k], box, addresses[k]);
      }
    }
    Instruction &vector = emit(Opcode::Vector);
    vector.function = function->op;
    vector.type = static_cast<std::uint8_t>(dtype);
    vector.result_type = static_cast<std::uint8_t>(result.dtype());
    vector.to = address;
    std::ranges::copy(addresses, vector.from);
    vector.columns = static_cast<std::uint32_t>(box.elements());
    vector.option = option;
    store(to, to_tensor, box, address);
  });
  return {};
}

// The operand is read as rows of elements, each of which is reduced to one: kept dimensions first, reduced ones last.
std::string Lowering::reduce(plugin::Instruction instruction) {
  const plugin::Computation body = instruction.called();
  const plugin::Instruction root = body.root().instruction();
  const plugin::Shape operand = instruction.operand(0).shape();
  const std::uint32_t dtype = operand.dtype();
  const bool is_plain = root.operand_count() == 2 && root.operand(0).instruction().op() == BP_OP_PARAMETER &&
                        root.operand(1).instruction().op() == BP_OP_PARAMETER &&
                        !(root.operand(0) == root.operand(1)) && root.result().shape().dtype() == dtype;
  if (!is_plain || !reduces(root.op(), dtype)) {
    return "reduce by anything but add, multiply, maximum, minimum, and, or in pred, s8, s32, bf16 or f32";
  }
  const auto reduced = instruction.integers(BP_ATTR_DIMENSIONS);
  std::vector<std::uint32_t> order;
  Sizes kept_sizes, reduced_sizes;
  for (const bool is_kept : {true, false}) {
    for (std::uint32_t d = 0; d < operand.rank(); ++d) {
      if ((std::ranges::find(reduced, d) == reduced.end()) == is_kept) {
        order.push_back(d);
        (is_kept ? kept_sizes : reduced_sizes).push_back(static_cast<std::uint32_t>(operand.dim(d)));
      }
    }
  }
  constexpr std::uint64_t max_elements = 1 << 14;  // per piece
  const std::uint32_t sum = sum_type(dtype), width = width_of(dtype);
  std::uint64_t depth = 1;
  for (std::uint32_t size : reduced_sizes) {
    depth *= size;
  }
  const std::uint64_t max_rows =
      std::max<std::uint64_t>(1, max_elements / std::clamp<std::uint64_t>(depth, 1, max_elements));
  const Window from(permuted(view(instruction.operand(0)), order)), to(view(instruction.result()));
  const std::uint32_t from_tensor = add(from.tensor), to_tensor = add(to.tensor);
  const std::uint32_t initial = add(repeated(view(instruction.operand(1)), static_cast<std::uint32_t>(max_rows)));
  const std::uint32_t elements = take(max_elements * width), sums = take(max_rows * width_of(sum));
  const std::uint32_t results = sum == dtype ? sums : take(max_rows * width);
  const auto convert = [&](std::uint32_t type, std::uint32_t address, std::uint32_t result_type, std::uint32_t result,
                           std::uint32_t columns) {
    if (type != result_type) {
      Instruction &vector = emit(Opcode::Vector);
      vector.function = BP_OP_CONVERT;
      vector.type = static_cast<std::uint8_t>(type);
      vector.result_type = static_cast<std::uint8_t>(result_type);
      vector.from[0] = address;
      vector.to = result;
      vector.columns = columns;
    }
  };
  for_each_box(kept_sizes, max_rows, [&](const Box &kept) {
    const auto rows = static_cast<std::uint32_t>(kept.elements());
    if (is_full_) {
      return;
    }
    transfer_row(Opcode::Load, initial, 0, rows, results);
    convert(dtype, results, sum, sums, rows);
    for_each_box(reduced_sizes, max_elements, [&](const Box &part) {
      Box box = kept;
      box.start.insert(box.start.end(), part.start.begin(), part.start.end());
      box.count.insert(box.count.end(), part.count.begin(), part.count.end());
      load(from, from_tensor, box, elements);
      Instruction &step = emit(Opcode::Reduce);
      step.function = static_cast<std::uint8_t>(root.op());
      step.type = static_cast<std::uint8_t>(dtype);
      step.result_type = static_cast<std::uint8_t>(sum);
      step.to = sums;
      step.from[0] = elements;
      step.rows = rows;
      step.columns = static_cast<std::uint32_t>(part.elements());
    });
    convert(sum, sums, dtype, results, rows);
    store(to, to_tensor, kept, results);
  });
  return {};
}

}  // namespace bp::npu
