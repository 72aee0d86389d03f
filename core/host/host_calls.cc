#include "core/host/host_calls.h"

#include <fmt/format.h>

#include <algorithm>

#include "backplane/ext/draft/host_call.h"

namespace bp::host {
namespace {

bool is_value(const ir::Shape &shape) {
  return shape.is_array() || shape.is_token();
}

// Whether the leaves say what the shape is.
bool is_flat(const ir::Shape &shape) {
  return is_value(shape) ||
         (shape.is_tuple() && shape.elements().size() > 1 && std::ranges::all_of(shape.elements(), is_value));
}

}  // namespace

bool HostCallMarks::has(const ir::Instruction &instruction) const {
  return serves(instruction) && refusal(instruction).empty();
}

bool HostCallMarks::serves(const ir::Instruction &instruction) const {
  const auto calls_for = [&](std::uint32_t kind, std::string_view name) {
    return (kinds & kind) != 0 && std::ranges::find(functions, name) != functions.end();
  };
  switch (instruction.opcode()) {
    case ir::Opcode::Infeed: return calls_for(BP_CALLS_INFEED, "infeed");
    case ir::Opcode::Outfeed: return calls_for(BP_CALLS_OUTFEED, "outfeed");
    case ir::Opcode::CustomCall:
      return calls_for(BP_CALLS_FUNCTIONS, instruction.text(ir::AttributeKey::CustomCallTarget));
    default: return false;
  }
}

std::string HostCallMarks::refusal(const ir::Instruction &instruction) const {
  if (!serves(instruction)) {
    return {};
  }
  const auto expect_flat = [](std::string_view what, const ir::Shape &shape) {
    return is_flat(shape) ? std::string()
                          : fmt::format(
                                "the device calls the application for it, and {} is {}, expected an array, a "
                                "token, or a tuple of several of them",
                                what, ir::to_string(shape));
  };
  if (instruction.opcode() == ir::Opcode::Infeed) {
    return expect_flat("its value", instruction.shape().elements()[0]);
  }
  if (instruction.opcode() == ir::Opcode::Outfeed) {
    return expect_flat("its value", instruction.operand(0).shape());
  }
  if (!instruction.calls().empty()) {
    return "the device calls the application for it, expected no called computations";
  }
  for (std::size_t i = 0; i < instruction.operand_count(); ++i) {
    if (const ir::Shape &shape = instruction.operand(i).shape(); !is_value(shape)) {
      return fmt::format(
          "the device calls the application for it, and operand {} is {}, expected an array or a token: pass the "
          "elements of the tuple",
          i, ir::to_string(shape));
    }
  }
  return expect_flat("its result", instruction.shape());
}

}  // namespace bp::host
