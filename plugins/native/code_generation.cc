// The pass pipeline is short: the emitters generate vector code themselves, so there is nothing to unroll or vectorize.
// The passes only eliminate common subexpressions, simplify, and move code out of loops.
#include "plugins/native/code_generation.h"

#include <llvm/Analysis/LoopAnalysisManager.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/LoopUnrollPass.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>

namespace bp::native {

using plugin::Error;
using plugin::Result;

namespace {

struct Analyses {
  llvm::LoopAnalysisManager of_loops;
  llvm::FunctionAnalysisManager of_functions;
  llvm::CGSCCAnalysisManager of_call_graph;
  llvm::ModuleAnalysisManager of_module;
};

void optimize(llvm::Module &module, llvm::TargetMachine &machine) {
  const auto analyses = emit::make_fragile<Analyses>();
  const auto builder = emit::make_fragile<llvm::PassBuilder>(&machine);
  builder->registerModuleAnalyses(analyses->of_module);
  builder->registerCGSCCAnalyses(analyses->of_call_graph);
  builder->registerFunctionAnalyses(analyses->of_functions);
  builder->registerLoopAnalyses(analyses->of_loops);
  builder->crossRegisterProxies(analyses->of_loops, analyses->of_functions, analyses->of_call_graph,
                                analyses->of_module);

  const auto inlining = emit::make_fragile<llvm::ModulePassManager>();
  inlining->addPass(llvm::AlwaysInlinerPass());
  inlining->run(module, analyses->of_module);
  // Only functions with variables have anything to be moved to registers.
  const auto moves = emit::make_fragile<llvm::FunctionPassManager>();
  moves->addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  moves->addPass(llvm::EarlyCSEPass(true));
  moves->addPass(llvm::InstCombinePass());
  moves->addPass(llvm::SimplifyCFGPass());
  moves->addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LoopFullUnrollPass()));
  moves->addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  const auto passes = emit::make_fragile<llvm::FunctionPassManager>();
  passes->addPass(llvm::EarlyCSEPass(true));
  passes->addPass(llvm::InstCombinePass());
  passes->addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()), true));
  passes->addPass(llvm::EarlyCSEPass(true));
  passes->addPass(llvm::SimplifyCFGPass());
  for (llvm::Function &function : module) {
    if (!function.isDeclaration()) {
      if (function.hasFnAttribute(emit::keeps_variables)) {
        moves->run(function, analyses->of_functions);
      }
      passes->run(function, analyses->of_functions);
      analyses->of_functions.clear(function, function.getName());
    }
  }
}

}  // namespace

Result<emit::Fragile<CodeGenerator>> CodeGenerators::make_code_generator(const Target &target) {
  auto generator = emit::make_fragile<CodeGenerator>();
  BP_ASSIGN(auto machine, make_target_machine(target));
  generator->machine.reset(machine.release());
  generator->passes = emit::make_fragile<llvm::legacy::PassManager>();
  if (generator->machine->addPassesToEmitFile(*generator->passes, generator->stream, nullptr,
                                              llvm::CodeGenFileType::ObjectFile)) {
    return Error(BP_INTERNAL, "LLVM cannot write object files for " + target.triple);
  }
  return generator;
}

Result<std::string> generate_object(emit::CodeUnit &unit, CodeGenerator &generator, const std::string &dump) {
  optimize(*unit.module, *generator.machine);
  const auto write = [&](const char *extension, const auto &print) -> plugin::Status {
    if (dump.empty()) {
      return {};
    }
    std::error_code code;
    llvm::raw_fd_ostream file(dump + extension, code);
    if (!code) {
      print(file);
      file.close();
      code = file.error();
      file.clear_error();  // otherwise its destructor would end the process
    }
    return code ? Error(BP_INTERNAL, "cannot write " + dump + extension + ": " + code.message()) : plugin::Status();
  };
  BP_TRY(write(".ll", [&](llvm::raw_ostream &file) { unit.module->print(file, nullptr); }));
  llvm::SmallVector<char, 0> &object = generator.object;
  object.clear();
  generator.passes->run(*unit.module);
  BP_TRY(write(".o", [&](llvm::raw_ostream &file) { file.write(object.data(), object.size()); }));
  return std::string(object.begin(), object.end());
}

Result<std::string> generate_text(emit::CodeUnit &unit, llvm::TargetMachine &machine, std::string_view kind) {
  optimize(*unit.module, machine);
  llvm::SmallVector<char, 0> text;
  llvm::raw_svector_ostream stream(text);
  if (kind == "llvm") {
    unit.module->print(stream, nullptr);
  } else {
    const auto passes = emit::make_fragile<llvm::legacy::PassManager>();
    if (machine.addPassesToEmitFile(*passes, stream, nullptr, llvm::CodeGenFileType::AssemblyFile)) {
      return Error(BP_INTERNAL, "LLVM cannot write assembly for " + machine.getTargetTriple().str());
    }
    passes->run(*unit.module);
  }
  return std::string(text.begin(), text.end());
}

}  // namespace bp::native
