#include "core/runtime/host_calls.h"

#include <cstring>
#include <unordered_set>
#include <utility>

#include "core/interpreter/interpreter.h"
#include "core/ir/storage.h"
#include "core/runtime/memory.h"

namespace bp::runtime {
namespace {

// The innermost call that this thread executes. A pointer, because a thread that has an object with a destructor
// allocates memory when it first sees it.
thread_local const std::shared_ptr<const HostCall> *innermost = nullptr;

// Has this thread execute a call.
class Calling {
 public:
  Calling(const host::Device &device, std::shared_ptr<const HostCall> outer)
      : call_(std::make_shared<HostCall>(device, std::move(outer))), within_(call_) {}
  ~Calling() { call_->end(); }

 private:
  const std::shared_ptr<HostCall> call_;
  const WithinHostCall within_;
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

HostCall::HostCall(const host::Device &device, std::shared_ptr<const HostCall> outer)
    : device_(&device), outer_(std::move(outer)) {}

bool HostCall::is_for(const host::Device &device) const {
  for (const HostCall *call = this; call != nullptr; call = call->outer_.get()) {
    if (call->device_.load(std::memory_order_relaxed) == &device) {
      return true;
    }
  }
  return false;
}

WithinHostCall::WithinHostCall(std::shared_ptr<const HostCall> call) : call_(std::move(call)), before_(innermost) {
  innermost = call_ == nullptr ? nullptr : &call_;
}

WithinHostCall::~WithinHostCall() {
  innermost = before_;
}

std::shared_ptr<const HostCall> current_host_call() {
  return innermost == nullptr ? nullptr : *innermost;
}

Result<HostCallSites> HostCallSites::of(const bp_module_t *image, const CallLocations &locations) {
  const plugin::ModuleView view(image);
  BP_ASSIGN(auto modules, host::read_host_calls(image));
  HostCallSites calls;
  const auto slice_of = [](plugin::Value value) {
    return Slice{value.allocation(), value.offset(), value.size(), host::read_shape(value.shape())};
  };
  for (auto &[index, module] : modules) {
    const plugin::Instruction i = view.instruction(index);
    if (const auto found = locations.find(i.name()); found != locations.end()) {
      module.set_source_file(found->second.file);
      module.set_source(module.entry().root().id(), found->second.line, found->second.column);
    }
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
                          const std::shared_ptr<const HostCall> &outer, const interpreter::Options &host) const {
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
  const Calling calling(device, outer);
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

}  // namespace bp::runtime
