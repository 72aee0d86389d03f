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

void Lowering::move_operand(plugin::Instruction i, std::uint32_t number) {
  taken_ = 0;
  const Tensor operand = view(i.operand(number));
  Window from(operand), to(view(i.result()));
  from.tensor.rank = to.tensor.rank;
  std::fill_n(from.tensor.dimensions, from.tensor.rank, Dimension{1, 1, 0, 0});
  Sizes sizes(to.tensor.rank, 1), spread = sizes_of(i.result().shape());
  const plugin::IndexMap map = i.index_map(number);
  for (std::uint32_t d = 0; d < map.dimensions.size(); ++d) {
    const plugin::IndexExpression &e = map.dimensions[d];
    const auto at = static_cast<std::size_t>(e.dimension);
    const plugin::IndexRun run = run_of(e);
    if (run.count == 0) {
      return;
    }
    // A step beyond the array is never made.
    const auto step = [](std::int64_t elements) {
      return static_cast<std::int32_t>(std::min<std::int64_t>(elements, INT32_MAX));
    };
    from.tensor.dimensions[at] = operand.dimensions[d];
    from.start[at] = static_cast<std::int32_t>(run.operand);
    from.step[at] = step(run.operand_step);
    to.start[at] = static_cast<std::int32_t>(run.result);
    to.step[at] = step(run.result_step);
    sizes[at] = static_cast<std::uint32_t>(run.count);
    spread[at] = 1;
    if (e.start_operand != plugin::IndexExpression::none) {
      (e.start_factor > 0 ? from : to).index_register[at] = d;
    }
  }
  move(from, to, sizes, spread);
}

std::string Lowering::concatenate(plugin::Instruction i) {
  for (std::uint32_t number = 0; number < i.operand_count(); ++number) {
    move_operand(i, number);
  }
  return {};
}

std::string Lowering::load_starts(plugin::Instruction i, std::uint32_t number) {
  const plugin::IndexMap map = i.index_map(number);
  if (!map.is_known()) {
    return "start indices in one operand";
  }
  const std::uint32_t address = take(sizeof(std::int32_t));
  for (std::uint32_t d = 0; d < map.dimensions.size(); ++d) {
    const plugin::Value start = i.operand(static_cast<std::uint32_t>(map.dimensions[d].start_operand));
    if (start.shape().dtype() != BP_DTYPE_S32) {
      return "start indices of " + name_of(start.shape().dtype()) + ", expected s32";
    }
    const Window window(view(start));
    load(window, add(window.tensor), {}, address);
    Instruction &set = emit(Opcode::Index);
    set.rows = d;
    set.from[0] = address;
    set.option = static_cast<std::uint32_t>(map.dimensions[d].start_limit);
  }
  return {};
}

std::string Lowering::dynamic_slice(plugin::Instruction i) {
  std::string reason = load_starts(i, 0);
  if (reason.empty()) {
    move_operand(i, 0);
  }
  return reason;
}

std::string Lowering::dynamic_update_slice(plugin::Instruction i) {
  const plugin::Value from = i.operand(0), result = i.result();
  // When an instruction is claimed, it is not known whether it will be done in place. Most are, so the claim assumes
  // it.
  if (is_planned_ && (from.allocation() != result.allocation() || from.offset() != result.offset())) {
    move_operand(i, 0);
    taken_ = 0;
  }
  std::string reason = load_starts(i, 1);
  if (reason.empty()) {
    move_operand(i, 1);
  }
  return reason;
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

// The padding value is stored everywhere first.
std::string Lowering::pad(plugin::Instruction i) {
  move_operand(i, 1);
  move_operand(i, 0);
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

}  // namespace bp::npu
