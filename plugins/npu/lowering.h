// Lowering: translates an instruction of the module to instructions of the machine. Arrays stream through the
// scratchpad in pieces that fit into it. An instruction that cannot be lowered is refused with a reason. Claims and
// compilation call the same functions, so every claimed instruction can be compiled.
#pragma once

#include <cstdint>
#include <string>

#include "plugin_api/cpp/host_services.h"
#include "plugin_api/cpp/module_view.h"
#include "plugins/npu/tensor_view.h"

namespace bp::npu {

class Lowering {
 public:
  // `is_planned`: whether values have memory; if not, the program only serves for counting cycles. `is_laid_out`:
  // whether the layouts are final, so that dots must have the layouts that they require. `constants`: the contents of
  // constants, with which a dot may become shorter; nullptr: they are not known.
  Lowering(Program &program, bool is_planned, bool is_laid_out, const plugin::Constants *constants = nullptr)
      : program_(program), is_planned_(is_planned), is_laid_out_(is_laid_out), constants_(constants) {}

  // Appends instructions of the machine that compute the instruction, and returns an empty string. If that is not
  // possible, returns the reason, and what was appended must be discarded.
  std::string lower(plugin::Instruction instruction);

  // For control flow, which is not lowered here: loads a scalar to address 0. emit() appends an instruction.
  void load_scalar(plugin::Value value, std::uint32_t origin);
  Instruction &emit(Opcode opcode);

 private:
  class Dot;

  std::string lower_op(plugin::Instruction instruction);
  std::string elementwise(plugin::Instruction instruction);
  std::string copy(plugin::Instruction instruction);
  std::string forward(plugin::Instruction instruction);
  std::string concatenate(plugin::Instruction instruction);
  std::string dynamic_slice(plugin::Instruction instruction);
  std::string dynamic_update_slice(plugin::Instruction instruction);
  std::string iota(plugin::Instruction instruction);
  std::string pad(plugin::Instruction instruction);
  std::string reshape(plugin::Instruction instruction);
  std::string reduce(plugin::Instruction instruction);
  std::string dot(plugin::Instruction instruction);

  // Reserves bytes of the scratchpad for one instruction of the module, and returns their address.
  std::uint32_t take(std::uint64_t bytes);
  std::uint32_t add(const Tensor &tensor);
  // Emits a Load or Store of a box of the window, whose tensor has this index in the table. In the scratchpad the box
  // is in row-major order.
  void transfer(Opcode opcode, const Window &window, std::uint32_t tensor, const Box &box, std::uint32_t address);
  void load(const Window &window, std::uint32_t tensor, const Box &box, std::uint32_t address) {
    transfer(Opcode::Load, window, tensor, box, address);
  }
  void store(const Window &window, std::uint32_t tensor, const Box &box, std::uint32_t address) {
    transfer(Opcode::Store, window, tensor, box, address);
  }
  // Emits a Load or Store of `count` elements from `start` of a tensor with one dimension.
  void transfer_row(Opcode opcode, std::uint32_t tensor, std::uint32_t start, std::uint32_t count,
                    std::uint32_t address);
  // Moves elements from one window to the other. A dimension d with spread[d] > 1, in which sizes[d] is 1, is stored
  // spread[d] times.
  void move(const Window &from, const Window &to, const Sizes &sizes, const Sizes &spread = {});
  // Moves an operand's elements to where the result has them, as its index map says. Starts must be in the index
  // registers.
  void move_operand(plugin::Instruction instruction, std::uint32_t number);
  void move_flat(const Tensor &from, const Tensor &to);
  // Moves elements in row-major order; the sizes may differ.
  void move_in_order(const Tensor &from, const Sizes &from_sizes, const Tensor &to, const Sizes &to_sizes);
  // Loads the starts of an operand's index map into index registers. Returns a reason if it cannot.
  std::string load_starts(plugin::Instruction instruction, std::uint32_t number);

  Tensor view(plugin::Value value) const { return view_of(value, value.shape(), is_planned_); }

  Program &program_;
  bool is_planned_, is_laid_out_;
  const plugin::Constants *constants_;
  std::uint32_t origin_ = 0;
  std::size_t limit_ = 0;  // maximum number of instructions in the program
  std::uint32_t taken_ = 0;
  bool is_full_ = false;
};

// The layouts that a dot requires of its two operands and its result, encoded as bp_shape.layout is.
struct DotLayouts {
  std::vector<std::int64_t> words[3];
};
// Returns why the matrix unit cannot compute this dot in any layout. If it can, returns an empty string and sets
// `layouts`.
std::string find_dot_layouts(plugin::Instruction dot, DotLayouts &layouts);

// Returns a name such as "bf16" for types that the machine computes with, and one such as "type 12" for others.
std::string name_of(std::uint32_t dtype);

}  // namespace bp::npu
