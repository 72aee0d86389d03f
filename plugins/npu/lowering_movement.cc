// Ops that move elements from a window of one array to a window of another. The DMA engine handles the layouts.
#include <algorithm>

#include "plugins/npu/lowering.h"

namespace bp::npu {
namespace {

// Whether the stored bytes of an element have no unused bits.
bool fills_its_bytes(std::uint32_t dtype) {
  switch (dtype) {
    case BP_DTYPE_PRED:
    case BP_DTYPE_S1:
    case BP_DTYPE_S2:
    case BP_DTYPE_S4:
    case BP_DTYPE_U1:
    case BP_DTYPE_U2:
    case BP_DTYPE_U4:
    case BP_DTYPE_F4E2M1FN:
    case BP_DTYPE_F6E2M3FN:
    case BP_DTYPE_F6E3M2FN: return false;
    default: return true;
  }
}

}  // namespace

void Lowering::move(const Window &from, const Window &to, const Sizes &sizes, const Sizes &spread) {
  const std::uint32_t from_tensor = add(from.tensor), to_tensor = add(to.tensor);
  const std::uint64_t limit = scratch_limit / from.tensor.width;
  std::uint64_t elements = 1;
  for (std::uint32_t size : sizes) {
    elements *= size;
  }
  const std::uint32_t address = take(std::min(limit, elements) * from.tensor.width);
  for_each_box(sizes, limit, [&](const Box &box) {
    if (is_full_) {
      return;
    }
    load(from, from_tensor, box, address);
    store(to, to_tensor, box, address);
    const std::uint32_t axes = program_.instructions.back().axes;
    for (std::size_t d = 0; d < spread.size(); ++d) {
      if (spread[d] > 1) {
        program_.axes[axes + d].count = spread[d];
        program_.axes[axes + d].pitch = 0;
      }
    }
  });
}

void Lowering::move_flat(const Tensor &from, const Tensor &to) {
  const Window source(flat_view_of(from)), target(flat_view_of(to));
  move(source, target, {source.tensor.dimensions[0].size});
}

void Lowering::move_in_order(const Tensor &from, const Sizes &from_sizes, const Tensor &to, const Sizes &to_sizes) {
  const Window source(from), target(to);
  const std::uint32_t from_tensor = add(from), to_tensor = add(to);
  const std::uint64_t elements = Box{{}, to_sizes}.elements(), limit = scratch_limit / from.width;
  const std::uint32_t address = take(std::min(elements, limit) * from.width);
  for (std::uint64_t begin = 0; begin < elements && !is_full_; begin += limit) {
    const std::uint64_t end = std::min(elements, begin + limit);
    const auto in_order = [&](Opcode opcode, const Window &window, std::uint32_t tensor, const Sizes &sizes) {
      std::uint32_t at = address;
      for_each_box_of_range(sizes, begin, end, [&](const Box &box) {
        transfer(opcode, window, tensor, box, at);
        at += static_cast<std::uint32_t>(box.elements() * from.width);
      });
    };
    in_order(Opcode::Load, source, from_tensor, from_sizes);
    in_order(Opcode::Store, target, to_tensor, to_sizes);
  }
}

std::string Lowering::copy(plugin::Instruction i) {
  const plugin::Shape from = i.operand(0).shape(), to = i.result().shape();
  if (i.op() == BP_OP_BITCAST_CONVERT &&
      (from.element_bits() != to.element_bits() || !fills_its_bytes(from.dtype()) || !fills_its_bytes(to.dtype()))) {
    return "a bitcast-convert to another width, or of elements that do not fill their bytes";
  }
  if (i.operand(0).shape().index() == i.result().shape().index()) {
    move_flat(view(i.operand(0)), view(i.result()));
  } else {
    move(Window(view(i.operand(0))), Window(view(i.result())), sizes_of(to));
  }
  return {};
}

// Ops whose results are their operands. Nothing is moved if the memory planner gave both the same memory.
std::string Lowering::forward(plugin::Instruction i) {
  for (std::uint32_t k = 0; k < i.result_count() && is_planned_; ++k) {
    const plugin::Value from = i.operand(k), to = i.result(k);
    const bool is_in_place = from.allocation() == to.allocation() && from.offset() == to.offset();
    if (to.has_slice() && !is_in_place && to.size() != 0) {
      move_flat(view(from), view(to));
    }
  }
  return {};
}

std::string Lowering::broadcast(plugin::Instruction i) {
  const auto dimensions = i.integers(BP_ATTR_DIMENSIONS);
  const Tensor operand = view(i.operand(0));
  const Sizes result = sizes_of(i.result().shape());
  Tensor from = operand;
  from.rank = static_cast<std::uint8_t>(result.size());
  Sizes sizes(result.size(), 1), spread = result;
  for (std::uint32_t d = 0; d < result.size(); ++d) {
    from.dimensions[d] = {1, 1, 0, 0};
  }
  for (std::uint32_t d = 0; d < dimensions.size(); ++d) {
    const auto at = static_cast<std::size_t>(dimensions[d]);
    from.dimensions[at] = operand.dimensions[d];
    sizes[at] = result[at];
    spread[at] = 1;
  }
  move(Window(from), Window(view(i.result())), sizes, spread);
  return {};
}

std::string Lowering::concatenate(plugin::Instruction i) {
  const auto dimension = static_cast<std::size_t>(i.integer(BP_ATTR_DIMENSIONS, 0));
  Window to(view(i.result()));
  for (const plugin::Value operand : i.operands()) {
    taken_ = 0;
    move(Window(view(operand)), to, sizes_of(operand.shape()));
    to.start[dimension] += static_cast<std::int32_t>(operand.shape().dim(static_cast<std::uint32_t>(dimension)));
  }
  return {};
}

std::string Lowering::load_indices(plugin::Instruction i, std::uint32_t first, const Sizes &limits) {
  if (i.operand_count() != first + limits.size()) {
    return "start indices in one operand";
  }
  const std::uint32_t address = take(sizeof(std::int32_t));
  for (std::uint32_t d = 0; d < limits.size(); ++d) {
    const plugin::Value index = i.operand(first + d);
    if (index.shape().dtype() != BP_DTYPE_S32) {
      return "start indices of " + name_of(index.shape().dtype()) + ", expected s32";
    }
    const Window window(view(index));
    load(window, add(window.tensor), {}, address);
    Instruction &set = emit(Opcode::Index);
    set.rows = d;
    set.from[0] = address;
    set.option = limits[d];
  }
  taken_ = 0;
  return {};
}

std::string Lowering::dynamic_slice(plugin::Instruction i) {
  const Sizes whole = sizes_of(i.operand(0).shape()), part = sizes_of(i.result().shape());
  Window from(view(i.operand(0)));
  Sizes limits;
  for (std::uint32_t d = 0; d < whole.size(); ++d) {
    limits.push_back(whole[d] - part[d]);
    from.index_register[d] = d;
  }
  if (std::string reason = load_indices(i, 1, limits); !reason.empty()) {
    return reason;
  }
  move(from, Window(view(i.result())), part);
  return {};
}

std::string Lowering::dynamic_update_slice(plugin::Instruction i) {
  const Sizes whole = sizes_of(i.result().shape()), part = sizes_of(i.operand(1).shape());
  const plugin::Value from = i.operand(0), result = i.result();
  Window to(view(result));
  Sizes limits;
  for (std::uint32_t d = 0; d < whole.size(); ++d) {
    limits.push_back(whole[d] - part[d]);
    to.index_register[d] = d;
  }
  // When an instruction is claimed, it is not known whether it will be done in place. Most are, so the claim assumes
  // it.
  if (is_planned_ && (from.allocation() != result.allocation() || from.offset() != result.offset())) {
    move(Window(view(from)), Window(view(result)), whole);
    taken_ = 0;
  }
  if (std::string reason = load_indices(i, 2, limits); !reason.empty()) {
    return reason;
  }
  if (i.operand(1).shape().element_count() != 0) {
    move(Window(view(i.operand(1))), to, part);
  }
  return {};
}

std::string Lowering::iota(plugin::Instruction i) {
  const std::uint32_t dtype = i.result().shape().dtype();
  const std::uint32_t width = width_of(dtype);
  if (width == 0 || dtype == BP_DTYPE_PRED) {
    return "elements of " + name_of(dtype) + ": the vector unit counts in s8, s32, bf16 and f32";
  }
  const auto dimension = static_cast<std::size_t>(i.integer(BP_ATTR_IOTA_DIMENSION, 0));
  const Window to(view(i.result()));
  const std::uint32_t tensor = add(to.tensor);
  Box box{Sizes(to.tensor.rank, 0), sizes_of(i.result().shape())};
  const std::uint32_t size = box.count[dimension], piece = std::min(size, scratch_limit / width);
  const std::uint32_t address = take(std::uint64_t{piece} * width);
  for (std::uint32_t start = 0; start < size && !is_full_; start += piece) {
    box.start[dimension] = start;
    box.count[dimension] = std::min(piece, size - start);
    Instruction &ramp = emit(Opcode::Ramp);
    ramp.type = static_cast<std::uint8_t>(dtype);
    ramp.rows = start;
    ramp.columns = box.count[dimension];
    ramp.to = address;
    store(to, tensor, box, address);
    for (std::size_t d = 0; d < box.count.size(); ++d) {
      program_.axes[program_.instructions.back().axes + d].pitch = d == dimension ? width : 0;
    }
  }
  return {};
}

std::string Lowering::pad(plugin::Instruction i) {
  const Sizes result = sizes_of(i.result().shape());
  Tensor value = view(i.operand(1));
  value.rank = static_cast<std::uint8_t>(result.size());
  for (Dimension &dimension : value.dimensions) {
    dimension = {1, 1, 0, 0};
  }
  move(Window(value), Window(view(i.result())), Sizes(result.size(), 1), result);
  taken_ = 0;

  // In each dimension, only the elements are moved whose indices are inside the result.
  const auto padding = i.integers(BP_ATTR_PADDING);
  Window from(view(i.operand(0))), to(view(i.result()));
  Sizes sizes = sizes_of(i.operand(0).shape());
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    const std::int64_t low = padding[3 * d], step = padding[3 * d + 2] + 1;
    const std::int64_t first = low < 0 ? (-low + step - 1) / step : 0;
    const std::int64_t behind = low >= result[d] ? 0 : (result[d] - low + step - 1) / step;
    const std::int64_t last = std::min<std::int64_t>(sizes[d], behind);
    if (first >= last) {
      return {};
    }
    if (step > INT32_MAX || low > INT32_MAX) {
      return "padding of 2^31 elements";
    }
    from.start[d] = static_cast<std::int32_t>(first);
    to.start[d] = static_cast<std::int32_t>(low + first * step);
    to.step[d] = static_cast<std::int32_t>(step);
    sizes[d] = static_cast<std::uint32_t>(last - first);
  }
  move(from, to, sizes);
  return {};
}

std::string Lowering::reshape(plugin::Instruction i) {
  const plugin::Value from = i.operand(0), to = i.result();
  if (from.shape().is_row_major() && to.shape().is_row_major()) {
    move_flat(view(from), view(to));
  } else {
    move_in_order(view(from), sizes_of(from.shape()), view(to), sizes_of(to.shape()));
  }
  return {};
}

std::string Lowering::reverse(plugin::Instruction i) {
  Window from(view(i.operand(0)));
  for (const std::int64_t dimension : i.integers(BP_ATTR_DIMENSIONS)) {
    const auto d = static_cast<std::size_t>(dimension);
    from.start[d] = static_cast<std::int32_t>(from.tensor.dimensions[d].size) - 1;
    from.step[d] = -1;
  }
  move(from, Window(view(i.result())), sizes_of(i.result().shape()));
  return {};
}

std::string Lowering::slice(plugin::Instruction i) {
  Window from(view(i.operand(0)));
  const auto bounds = i.integers(BP_ATTR_SLICE);
  for (std::size_t d = 0; d < from.tensor.rank; ++d) {
    from.start[d] = static_cast<std::int32_t>(bounds[3 * d]);
    from.step[d] = static_cast<std::int32_t>(std::min<std::int64_t>(bounds[3 * d + 2], INT32_MAX));
  }
  move(from, Window(view(i.result())), sizes_of(i.result().shape()));
  return {};
}

std::string Lowering::transpose(plugin::Instruction i) {
  const auto dimensions = i.integers(BP_ATTR_DIMENSIONS);
  const std::vector<std::uint32_t> order(dimensions.begin(), dimensions.end());
  move(Window(permuted(view(i.operand(0)), order)), Window(view(i.result())), sizes_of(i.result().shape()));
  return {};
}

}  // namespace bp::npu
