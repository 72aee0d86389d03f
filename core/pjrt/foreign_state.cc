#include "core/pjrt/foreign_state.h"

namespace bp::pjrt {
namespace {

std::string key_of(const ir::Instruction &call) {
  return fmt::format("{}\n{}", call.text(ir::AttributeKey::CustomCallTarget),
                     call.text(ir::AttributeKey::BackendConfig));
}

}  // namespace

ForeignState *ForeignStates::find(const ir::Instruction &call) const {
  const auto found = states_.empty() ? states_.end() : states_.find(key_of(call));
  return found == states_.end() ? nullptr : found->second.get();
}

void ForeignStates::add(const ir::Instruction &call, std::unique_ptr<ForeignState> state) {
  states_.emplace(key_of(call), std::move(state));
}

}  // namespace bp::pjrt
