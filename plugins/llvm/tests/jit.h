// Compiles one LLVM module for this machine and looks up functions in it, for tests and benchmarks of emitters.
#pragma once

#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/TargetParser/Host.h>

#include <functional>
#include <memory>
#include <string>

#include "plugins/llvm/tile_registers.h"

namespace bp::emit::test {

class Jit {
 public:
  // `build` fills the module. CPU features are those of the host, or of an older CPU ("x86-64", "x86-64-v3").
  explicit Jit(const std::function<void(llvm::Module &)> &build, const std::string &cpu = "") {
    [[maybe_unused]] static bool is_ready =
        (llvm::InitializeNativeTarget(), llvm::InitializeNativeTargetAsmPrinter(), true);
    auto machine = llvm::cantFail(llvm::orc::JITTargetMachineBuilder::detectHost());
    if (!cpu.empty()) {
      machine = llvm::orc::JITTargetMachineBuilder(machine.getTargetTriple());
      machine.setCPU(cpu);
    }
    machine.setCodeGenOptLevel(llvm::CodeGenOptLevel::Default);
    jit_ = llvm::cantFail(llvm::orc::LLJITBuilder().setJITTargetMachineBuilder(machine).create());
    llvm::cantFail(jit_->getMainJITDylib().define(llvm::orc::absoluteSymbols(
        {{jit_->mangleAndIntern("bp_use_tiles"),
          {llvm::orc::ExecutorAddr::fromPtr(+[] { use_tiles(); }), llvm::JITSymbolFlags::Exported}}})));
    auto context = std::make_unique<llvm::LLVMContext>();
    auto module = std::make_unique<llvm::Module>("kernels", *context);
    module->setDataLayout(jit_->getDataLayout());
    module->setTargetTriple(jit_->getTargetTriple().str());
    build(*module);
    for (llvm::Function &function : *module) {
      function.addFnAttr("prefer-vector-width", "512");
      function.addFnAttr("min-legal-vector-width", "512");
    }
    std::string message;
    llvm::raw_string_ostream stream(message);
    if (llvm::verifyModule(*module, &stream)) {
      llvm::report_fatal_error(llvm::StringRef(message));
    }
    llvm::cantFail(jit_->addIRModule(llvm::orc::ThreadSafeModule(std::move(module), std::move(context))));
  }

  template <typename Signature>
  Signature *find(const std::string &name) {
    return llvm::cantFail(jit_->lookup(name)).toPtr<Signature *>();
  }

 private:
  std::unique_ptr<llvm::orc::LLJIT> jit_;
};

}  // namespace bp::emit::test
