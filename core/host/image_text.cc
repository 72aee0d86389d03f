// One line for each item, in the order of the image. Values are v0, v1 ...; `a2+64` is byte 64 of allocation 2.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/host/image.h"

namespace bp::host {
namespace {

std::string_view stage_name(std::uint32_t stage) {
  switch (stage) {
    case BP_STAGE_LEGALIZE: return "legalize";
    case BP_STAGE_LAID_OUT: return "laid out";
    case BP_STAGE_FUSED: return "fused";
    default: return "final";
  }
}

std::string hex(std::span<const std::uint8_t> bytes) {
  return fmt::format("{:02x}", fmt::join(bytes, ""));
}

std::string shape_text(plugin::Shape shape) {
  const ir::Shape read = read_shape(shape);
  return read.is_array() ? to_string(read) : fmt::format("{}[]", to_string(read.element_type()));
}

std::string attribute_text(plugin::Instruction owner, const bp_attr_t &attribute) {
  auto key = to_string(static_cast<ir::AttributeKey>(attribute.key));
  switch (attribute.type) {
    case BP_ATTR_I64: return fmt::format("{}={{{}}}", key, fmt::join(owner.integers(attribute.key), ","));
    case BP_ATTR_F64: return fmt::format("{}={}", key, owner.real(attribute.key, 0));
    case BP_ATTR_STRING: return fmt::format("{}=\"{}\"", key, owner.text(attribute.key));
    default: return fmt::format("{}=x{}", key, hex(owner.bytes(attribute.key)));
  }
}

std::string value_list(plugin::Views<plugin::Value> values) {
  std::string text;
  for (plugin::Value value : values) {
    text += fmt::format("{}v{}", text.empty() ? "" : ", ", value.id());
  }
  return text;
}

void print(std::string &out, plugin::ModuleView image, const bp_allocation_t &allocation, std::size_t number) {
  constexpr std::string_view kinds[] = {"", "input", "output", "temporary", "constant"};
  out += fmt::format("a{}: {}", number, kinds[allocation.kind]);
  if (allocation.index != BP_NONE) {
    out += fmt::format(" {}", allocation.index);
  }
  out += fmt::format(", {} bytes", allocation.size);
  if (allocation.space != 0) {
    out += fmt::format(", space {}", allocation.space);
  }
  if (allocation.alias != BP_NONE) {
    out += fmt::format(", is a{}", allocation.alias);
  }
  if (allocation.content != BP_NONE) {
    out += fmt::format(", sha256 {}...", hex(image.content_hash(allocation).first(8)));
  }
  out += '\n';
}

void print(std::string &out, plugin::Instruction instruction) {
  std::string_view separator = "  ";
  for (plugin::Value value : instruction.results()) {
    out += fmt::format("{}v{} {}", separator, value.id(), shape_text(value.shape()));
    if (value.has_slice()) {
      out += fmt::format(" a{}+{}", value.allocation(), value.offset());
    }
    if (value.precision() != 0) {
      out += fmt::format(" within {} ulp", value.precision());
    }
    separator = ", ";
  }
  out += fmt::format("{}{}({})", instruction.result_count() == 0 ? "  " : " = ",
                     to_string(static_cast<ir::Opcode>(instruction.op())), value_list(instruction.operands()));
  for (plugin::Computation callee : instruction.calls()) {
    out += fmt::format(" %{}", callee.name());
  }
  for (const bp_attr_t &attribute : instruction.attributes()) {
    out += ' ' + attribute_text(instruction, attribute);
  }
  if (instruction.has_side_effect()) {
    out += " side-effect";
  }
  out += fmt::format("  // {}\n", instruction.name());
}

}  // namespace

std::string image_to_text(const bp_module_t *module) {
  plugin::ModuleView image(module);
  std::string out = fmt::format("module {}, stage {}, opset {}, entry %{}\n", image.name(), stage_name(image.stage()),
                                module->opset, image.entry().name());
  for (std::size_t a = 0; a < image.allocations().size(); ++a) {
    print(out, image, image.allocations()[a], a);
  }
  for (plugin::Computation computation : image.computations()) {
    out += fmt::format("{} %{}({}) -> ({}) {{\n", computation.is_embedded() ? "embedded" : "control",
                       computation.name(), value_list(computation.parameters()), value_list(computation.roots()));
    for (plugin::Instruction instruction : computation.instructions()) {
      print(out, instruction);
    }
    out += "}\n";
  }
  for (const bp_control_edge_t &edge : image.control_edges()) {
    out += fmt::format("{} before {}\n", image.instruction(edge.before).name(), image.instruction(edge.after).name());
  }
  return out;
}

}  // namespace bp::host
