#include "plugins/nvptx/code_generation.h"

#include <llvm/Analysis/CGSCCPassManager.h>
#include <llvm/Analysis/LoopAnalysisManager.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/raw_ostream.h>

namespace bp::nvptx {

void optimize(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::LoopAnalysisManager loop_analyses;
  llvm::FunctionAnalysisManager function_analyses;
  llvm::CGSCCAnalysisManager call_graph_analyses;
  llvm::ModuleAnalysisManager module_analyses;
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = tuning.SLPVectorization = false;  // threads are the vectors
  llvm::PassBuilder builder(&machine, tuning);
  builder.registerModuleAnalyses(module_analyses);
  builder.registerCGSCCAnalyses(call_graph_analyses);
  builder.registerFunctionAnalyses(function_analyses);
  builder.registerLoopAnalyses(loop_analyses);
  builder.crossRegisterProxies(loop_analyses, function_analyses, call_graph_analyses, module_analyses);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2).run(module, module_analyses);
}

std::string write_code(llvm::Module &module, llvm::TargetMachine &machine, bool as_text, std::string &error) {
  llvm::SmallVector<char, 0> code;
  llvm::raw_svector_ostream stream(code);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr,
                                  as_text ? llvm::CodeGenFileType::AssemblyFile : llvm::CodeGenFileType::ObjectFile)) {
    error = "LLVM cannot write code for " + machine.getTargetTriple().str();
    return {};
  }
  passes.run(module);
  return {code.begin(), code.end()};
}

}  // namespace bp::nvptx
