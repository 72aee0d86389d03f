#include "core/runtime/host_calls.h"

#include <cstring>
#include <unordered_set>
#include <utility>

#include "core/interpreter/interpreter.h"
#include "core/ir/storage.h"
#include "core/runtime/memory.h"

namespace bp::runtime {
namespace {

thread_local const host::Device *calling_for = nullptr;  // the device whose run this thread calls the application for

// Sets the device that this thread calls the application for.
class Calling {
 public:
  explicit Calling(const host::Device &device) : before_(std::exchange(calling_for, &device)) {}
  ~Calling() { calling_for = before_; }
  Calling(const Calling &) = delete;
  Calling &operator=(const Calling &) = delete;

 private:
  const host::Device *before_;
};

// Makes the operand of a call from its parameters: one of them, or a tuple of several.
ir::Literal operand_of(ir::Instruction operand, const std::vector<ir::Literal> &parameters) {
  if (operand.opcode() == ir::Opcode::Parameter) {
    return parameters[static_cast<std::size_t>(operand.parameter_number())];
  }
  std::vector<ir::Literal> elements;
  for (const ir::InstructionId element : operand.operands()) {
    elements.push_back(operand_of(operand.module().instruction(element), parameters));
  }
  return ir::Literal::tuple(std::move(elements));
}

// Appends the arrays and tokens of a result, in order.
void append_values(ir::Literal literal, std::vector<ir::Literal> &values) {
  if (!literal.shape().is_tuple()) {
    values.push_back(std::move(literal));
    return;
  }
  for (std::size_t i = 0; i < literal.tuple_elements().size(); ++i) {
    append_values(literal.take_element(i), values);
  }
}

bp_loc_t location_in(const bp_loc_t &allocation, std::uint64_t offset) {
  return {allocation.memory, allocation.offset + offset};
}

// Copies to or from memory that is the device's or, if it has none of its own, the host's.
Status transfer(const host::Device &device, bp_loc_t to, bp_loc_t from, std::uint64_t size) {
  if (to.memory != 0 || from.memory != 0) {
    return copy(device, to, from, size);
  }
  if (size != 0) {
    std::memcpy(reinterpret_cast<void *>(to.offset), reinterpret_cast<const void *>(from.offset), size);
  }
  return {};
}

}  // namespace

Result<HostCallSites> HostCallSites::of(const bp_module_t *image) {
  const plugin::ModuleView view(image);
  BP_ASSIGN(auto modules, host::read_host_calls(image));
  HostCallSites calls;
  const auto slice_of = [](plugin::Value value) {
    return Slice{value.allocation(), value.offset(), value.size(), host::read_shape(value.shape())};
  };
  for (auto &[index, module] : modules) {
    const plugin::Instruction i = view.instruction(index);
    Site site{std::move(module), {}, {}};
    std::unordered_set<std::uint32_t> seen;
    for (const std::uint32_t id : i.operand_ids()) {
      if (seen.insert(id).second) {
        site.parameters.push_back(slice_of(view.value(id)));
      }
    }
    for (std::uint32_t r = 0; r < i.result_count(); ++r) {
      site.results.push_back(slice_of(i.result(r)));
    }
    calls.sites_.emplace(index, std::move(site));
  }
  return calls;
}

Status HostCallSites::run(std::uint32_t instruction, const host::Device &device, const bp_loc_t *allocations,
                          const interpreter::Options &host) const {
  const auto found = sites_.find(instruction);
  if (found == sites_.end()) {
    return make_error(ErrorCode::PluginFailure,
                      "backend {}: a run calls the application for instruction {}, expected one with "
                      "BP_INSTR_HOST_CALL",
                      device.id(), instruction);
  }
  const Site &site = found->second;
  std::vector<ir::Literal> parameters;
  for (const Slice &slice : site.parameters) {
    if (slice.allocation == BP_NONE) {
      parameters.push_back(ir::Literal::token());
      continue;
    }
    BP_ASSIGN(ir::Literal literal, ir::Literal::zeros(slice.shape));
    BP_ASSIGN(Block bytes, Block::allocate(slice.size));
    BP_TRY(transfer(device, host_location(bytes.bytes().data()),
                    location_in(allocations[slice.allocation], slice.offset), slice.size));
    ir::load(bytes.bytes(), slice.shape, literal);
    parameters.push_back(std::move(literal));
  }
  const ir::Instruction call = site.module.entry().root();
  std::vector<ir::Literal> operands;
  for (const ir::InstructionId operand : call.operands()) {
    operands.push_back(operand_of(site.module.instruction(operand), parameters));
  }
  const Calling calling(device);
  BP_ASSIGN(ir::Literal result, interpreter::evaluate_instruction(call, operands, host));
  std::vector<ir::Literal> results;
  append_values(std::move(result), results);
  for (std::size_t r = 0; r < results.size(); ++r) {
    const Slice &slice = site.results[r];
    if (slice.allocation == BP_NONE) {
      continue;
    }
    BP_ASSIGN(Block bytes, Block::allocate(slice.size));
    ir::store(results[r], slice.shape, bytes.bytes());
    BP_TRY(transfer(device, location_in(allocations[slice.allocation], slice.offset),
                    host_location(bytes.bytes().data()), slice.size));
  }
  return {};
}

bool is_in_host_call(const host::Device &device) {
  return calling_for == &device;
}

}  // namespace bp::runtime
