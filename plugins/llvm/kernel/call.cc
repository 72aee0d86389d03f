#include "plugins/llvm/kernel/call.h"

#include <algorithm>

#include "plugins/llvm/kernel/kernel.h"
#include "plugins/llvm/kernel/signature.h"
#include "plugins/llvm/scalar/element_type.h"

namespace bp::emit {

Location location_of(const ModuleView &module, std::uint32_t value_id) {
  const bp_value_t &value = module.value(value_id);
  if (value.allocation == BP_NONE) {
    return {};
  }
  const bp_allocation_t &allocation = module.allocations()[value.allocation];
  const bool donated = allocation.kind == BP_ALLOC_OUTPUT && allocation.alias != BP_NONE;
  return {value.allocation, donated ? allocation.alias : value.allocation, value.offset, value.size};
}

std::uint64_t alignment_of(const ModuleView &module, const Location &location) {
  const std::uint64_t own = std::max<std::uint64_t>(module.allocations()[location.allocation].alignment, 1);
  const std::uint64_t of_offset = location.offset & (~location.offset + 1);
  const std::uint64_t both = location.offset == 0 ? own : std::min(own, of_offset);
  return std::min<std::uint64_t>(both, 64);
}

KernelCall kernel_call(InstructionView instruction) {
  const ModuleView &module = instruction.module();
  KernelCall call;
  Signature signature;
  signature.add(instruction);
  const bool needs_memory = has_memory_kernel(instruction);
  std::vector<std::uint32_t> values;
  for (const std::uint32_t operand : instruction.operands()) {
    const InstructionView definition = module.definition(operand);
    const Shape &shape = module.shape_of(operand);
    const auto bytes =
        definition.op() == BP_OP_CONSTANT ? definition.bytes(BP_ATTR_VALUE) : std::span<const unsigned char>();
    if (!needs_memory && shape.elements == 1 && bytes.size() == storage_bytes(shape.dtype)) {
      signature.add(bytes);
      call.operands.push_back(-1);
      continue;
    }
    const auto known = std::ranges::find(values, operand);
    call.operands.push_back(static_cast<int>(known - values.begin()));
    if (known == values.end()) {
      values.push_back(operand);
      call.arguments.push_back({.location = location_of(module, operand)});
    }
  }
  for (std::size_t i = 0; i < instruction.result_count(); ++i) {
    const Location place = location_of(module, instruction.result(i));
    int coincides = -1;
    for (std::size_t k = 0; k < instruction.operand_count() && coincides < 0; ++k) {
      if (call.operands[k] >= 0 && call.arguments[static_cast<std::size_t>(call.operands[k])].location.same(place)) {
        coincides = static_cast<int>(k);
      }
    }
    call.in_place.push_back(coincides);
    call.results.push_back(static_cast<int>(call.arguments.size()));
    call.arguments.push_back({.location = place, .is_written = true});
  }
  for (KernelArgument &argument : call.arguments) {
    for (const KernelArgument &other : call.arguments) {
      if (&argument != &other && (argument.is_written || other.is_written) &&
          argument.location.overlaps(other.location)) {
        argument.is_shared = true;
      }
    }
    argument.alignment = alignment_of(module, argument.location);
    signature.add(argument.alignment);
    signature.add(argument.is_shared);
  }
  for (const int argument : call.operands) {
    signature.add(argument);
  }
  for (const int operand : call.in_place) {
    signature.add(operand);
  }
  call.signature = signature.take();
  return call;
}

void describe_arguments(llvm::Function &kernel, const KernelCall &call) {
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    const auto n = static_cast<unsigned>(i);
    if (!call.arguments[i].is_shared) {
      kernel.addParamAttr(n, llvm::Attribute::NoAlias);
    }
    if (!call.arguments[i].is_written) {
      kernel.addParamAttr(n, llvm::Attribute::ReadOnly);
    }
    kernel.addParamAttr(n, llvm::Attribute::NoUndef);
    kernel.addParamAttr(
        n, llvm::Attribute::getWithAlignment(kernel.getContext(), llvm::Align(call.arguments[i].alignment)));
  }
}

KernelSite kernel_site(InstructionView instruction, const KernelCall &call, std::span<llvm::Value *const> pointers) {
  KernelSite site{.instruction = instruction,
                  .operands = {},
                  .results = {},
                  .in_place = call.in_place,
                  .scratch = nullptr,
                  .begin = nullptr,
                  .end = nullptr};
  for (const int argument : call.operands) {
    site.operands.push_back(argument < 0 ? nullptr : pointers[static_cast<std::size_t>(argument)]);
  }
  for (const int argument : call.results) {
    site.results.push_back(pointers[static_cast<std::size_t>(argument)]);
  }
  return site;
}

bool same_storage(const Shape &a, const Shape &b) {
  return a.dtype == b.dtype && a.element_bits == b.element_bits && a.minor_to_major == b.minor_to_major;
}

std::string memory_problem(InstructionView instruction) {
  const ModuleView &module = instruction.module();
  for (std::size_t i = 0; i < instruction.operand_count() + instruction.result_count(); ++i) {
    const std::uint32_t value =
        i < instruction.operand_count() ? instruction.operand(i) : instruction.result(i - instruction.operand_count());
    const Location place = location_of(module, value);
    if (!place.exists() || place.size < static_cast<std::uint64_t>(module.shape_of(value).bytes())) {
      return "has an operand or result without memory of its size";
    }
  }
  return {};
}

bool has_no_elements(InstructionView instruction) {
  for (std::size_t i = 0; i < instruction.result_count(); ++i) {
    if (instruction.shape(i).elements != 0) {
      return false;
    }
  }
  return true;
}

}  // namespace bp::emit
