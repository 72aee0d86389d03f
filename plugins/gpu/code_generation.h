// Code generation: kernels as assembly or object files.
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "plugin_api/cpp/host_services.h"
#include "plugin_api/cpp/result.h"
#include "plugins/gpu/artifact.h"

namespace bp::gpu {

struct GeneratedCode {
  std::string llvm;  // LLVM IR after all passes, if it is wanted: one module after the other
  std::vector<CodePart> parts;
};

// All functions are called from any thread.
struct CodeRequest {
  std::function<plugin::Result<std::unique_ptr<llvm::TargetMachine>>()> make_machine;
  bool is_assembly = false;  // else an object file
  bool may_divide = false;   // the code of many kernels may come in several parts
  bool wants_llvm = false, wants_code = true;
  std::function<void(llvm::Module &module)> prepare = {};          // the optimized module for code generation; or empty
  std::function<std::string(std::string_view code)> rewrite = {};  // what LLVM has written; or empty
};

// Optimizes the kernels, which are in the module by their numbers, and writes their code; the module cannot be used
// after that. Parts are made by the host's threads; the result does not depend on the number of these. Fails with
// BP_INTERNAL if LLVM does.
plugin::Result<GeneratedCode> generate_code(llvm::Module &module, const CodeRequest &request,
                                            const plugin::HostServices &services);

// LLVM's code generator for a target that was initialized. Products and sums are not fused. Fails with BP_INTERNAL if
// there is none.
plugin::Result<std::unique_ptr<llvm::TargetMachine>> make_machine(const std::string &triple, const std::string &cpu,
                                                                  const std::string &features);

}  // namespace bp::gpu
