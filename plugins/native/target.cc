#include "plugins/native/target.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>

#include <algorithm>
#include <array>

namespace bp::native {

using plugin::Error;
using plugin::Status;

namespace {

Status check_vectors(const emit::VectorTarget &vectors) {
  constexpr std::array widths = {128u, 256u, 512u};
  constexpr unsigned min_registers = 8;
  if (std::ranges::find(widths, vectors.vector_bits) == widths.end()) {
    return Error(BP_INTERNAL, "the target has vectors of " + std::to_string(vectors.vector_bits) +
                                  " bits, expected 128, 256 or 512");
  }
  if (vectors.vector_registers < min_registers) {
    return Error(BP_INTERNAL, "the target has " + std::to_string(vectors.vector_registers) +
                                  " registers for vectors, expected " + std::to_string(min_registers) + " or more");
  }
  return {};
}

// LLVM prints names that it does not know, and goes on without them.
Status check_names(const Target &target, const llvm::Target &found) {
  const std::unique_ptr<llvm::MCSubtargetInfo> known(found.createMCSubtargetInfo(target.triple, "", ""));
  if (!target.cpu.empty() && !known->isCPUStringValid(target.cpu)) {
    return Error(BP_INTERNAL, "LLVM has no CPU \"" + target.cpu + "\" for " + target.triple);
  }
  llvm::SmallVector<llvm::StringRef> features;
  llvm::StringRef(target.features).split(features, ',', -1, false);
  for (const llvm::StringRef feature : features) {
    const bool has_sign = feature.front() == '+' || feature.front() == '-';
    const bool is_known = std::ranges::any_of(known->getAllProcessorFeatures(),
                                              [&](const auto &row) { return feature.drop_front() == row.Key; });
    if (!has_sign || !is_known) {
      return Error(BP_INTERNAL, "LLVM has no feature \"" + feature.str() + "\" for " + target.triple +
                                    ", expected names with + or - before them, and commas between");
    }
  }
  return {};
}

}  // namespace

plugin::Result<std::unique_ptr<llvm::TargetMachine>> make_target_machine(const Target &target) {
  std::string problem;
  const llvm::Target *const found = llvm::TargetRegistry::lookupTarget(target.triple, problem);
  if (found == nullptr) {
    return Error(BP_INTERNAL, "LLVM has no target " + target.triple + ": " + problem);
  }
  BP_TRY(check_vectors(target.vectors));
  BP_TRY(check_names(target, *found));
  std::unique_ptr<llvm::TargetMachine> machine(
      found->createTargetMachine(target.triple, target.cpu, target.features, llvm::TargetOptions(), llvm::Reloc::PIC_,
                                 llvm::CodeModel::Small, llvm::CodeGenOptLevel::Default));
  if (machine == nullptr) {
    return Error(BP_INTERNAL, "LLVM has no code generator for " + target.triple);
  }
  return machine;
}

}  // namespace bp::native
