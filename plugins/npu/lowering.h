// Lowering: an instruction of the module becomes instructions of the machine. Arrays stream through the scratchpad in
// pieces that fit it. What cannot be done is refused with a reason; claims and compilation ask the same functions, so
// what was claimed compiles.
#pragma once

#include <cstdint>
#include <string>

#include "plugin_api/cpp/module_view.h"
#include "plugins/npu/tensor_view.h"

namespace bp::npu {

class Lowering {
 public:
  // `is_planned`: values have places; without, the program is only good for counting its cycles. `is_laid_out`: the
  // layouts are final, which dots insist on.
  Lowering(Program &program, bool is_planned, bool is_laid_out)
      : program_(program), is_planned_(is_planned), is_laid_out_(is_laid_out) {}

  // Appends what does the same as the instruction. Otherwise a reason, and what was appended is of no use.
  std::string lower(plugin::Instruction instruction);

  // For control flow, which is not lowered here: loads a scalar to address 0.
  void load_scalar(plugin::Value value, std::uint32_t origin);
  Instruction &emit(Opcode opcode);

 private:
  std::string lower_op(plugin::Instruction instruction);
  std::string elementwise(plugin::Instruction instruction);
  std::string copy(plugin::Instruction instruction);
  std::string forward(plugin::Instruction instruction);
  std::string broadcast(plugin::Instruction instruction);
  std::string concatenate(plugin::Instruction instruction);
  std::string dynamic_slice(plugin::Instruction instruction);
  std::string dynamic_update_slice(plugin::Instruction instruction);
  std::string iota(plugin::Instruction instruction);
  std::string pad(plugin::Instruction instruction);
  std::string reshape(plugin::Instruction instruction);
  std::string reverse(plugin::Instruction instruction);
  std::string slice(plugin::Instruction instruction);
  std::string transpose(plugin::Instruction instruction);
  std::string reduce(plugin::Instruction instruction);
  std::string dot(plugin::Instruction instruction);

  // Reserves scratchpad for one instruction of the module.
  std::uint32_t take(std::uint64_t bytes);
  std::uint32_t add(const Tensor &tensor);
  // The box of the window, of the tensor with this number, goes to or from the scratchpad, its last dimension densest.
  void transfer(Opcode opcode, const Window &window, std::uint32_t tensor, const Box &box, std::uint32_t address);
  void load(const Window &window, std::uint32_t tensor, const Box &box, std::uint32_t address) {
    transfer(Opcode::Load, window, tensor, box, address);
  }
  void store(const Window &window, std::uint32_t tensor, const Box &box, std::uint32_t address) {
    transfer(Opcode::Store, window, tensor, box, address);
  }
  // The first elements of every row of a flat view.
  void transfer_row(Opcode opcode, std::uint32_t tensor, std::uint32_t start, std::uint32_t count,
                    std::uint32_t address);
  // Each dimension that is 1 in `sizes` and not in `spread` is stored as often as `spread` says.
  void move(const Window &from, const Window &to, const Sizes &sizes, const Sizes &spread = {});
  void move_flat(const Tensor &from, const Tensor &to);
  // Element for element in row-major order, whatever the sizes.
  void move_in_order(const Tensor &from, const Sizes &from_sizes, const Tensor &to, const Sizes &to_sizes);
  // Puts start indices, in operands from this one on, into index registers.
  std::string load_indices(plugin::Instruction instruction, std::uint32_t first, const Sizes &limits);

  Tensor view(plugin::Value value) const { return view_of(value, value.shape(), is_planned_); }

  Program &program_;
  bool is_planned_, is_laid_out_;
  std::uint32_t origin_ = 0;
  std::size_t limit_ = 0;  // of the number of instructions
  std::uint32_t taken_ = 0;
  bool is_full_ = false;
};

// The layouts in which a dot is done, as in bp_shape.layout: its operands' and its result's.
struct DotLayouts {
  std::vector<std::int64_t> words[3];
};
// Why the matrix unit does not do this dot in any layout; empty if it does it in these.
std::string find_dot_layouts(plugin::Instruction dot, DotLayouts &layouts);

// "bf16" of the types that the machine computes in, "type 11" of others.
std::string name_of(std::uint32_t dtype);

}  // namespace bp::npu
