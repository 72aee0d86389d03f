// Kernels as PTX, or as native code of the host.
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "plugin_api/cpp/host_services.h"
#include "plugins/nvptx/launch_plan.h"

namespace bp::nvptx {

struct GeneratedCode {
  std::string llvm;  // as optimized, if it is wanted: one module after the other
  std::vector<CodePart> parts;
};

struct CodeRequest {
  // Null and an error if there is none. From any thread.
  std::function<std::unique_ptr<llvm::TargetMachine>(std::string &error)> make_machine;
  bool is_ptx = true;  // or else an object file
  bool wants_llvm = false, wants_code = true;
};

// Optimizes the kernels, which stand in the module by their numbers, and writes their code; the module is then of no more
// use. PTX of many kernels is made in parts, by the host's threads; what comes out does not depend on their number. False
// and an error if LLVM cannot.
bool generate_code(llvm::Module &module, const CodeRequest &request, const plugin::HostServices &services,
                   GeneratedCode &generated, std::string &error);

// The code of all parts as one.
std::string whole_code(std::span<const CodePart> parts);

}  // namespace bp::nvptx
