// Kernels go through LLVM's whole pipeline except for its vectorizers. The CPU's code goes through a few passes only; a
// kernel gains from the others (address arithmetic in 32 bits, sums that stay in registers), and the compiler of a
// GPU's driver takes longer than all of them, in proportion to the code that it gets.
#include "plugins/gpu/code_generation.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/CGSCCPassManager.h>
#include <llvm/Analysis/LoopAnalysisManager.h>
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/MemoryBufferRef.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <algorithm>
#include <vector>

#include "plugins/gpu/threads.h"
#include "plugins/llvm/fragile.h"

namespace bp::gpu {

using plugin::Error;
using plugin::Result;

namespace {

constexpr std::size_t max_in_part = 32;  // kernels, which take about 0.1 s

struct Analyses {
  llvm::LoopAnalysisManager of_loops;
  llvm::FunctionAnalysisManager of_functions;
  llvm::CGSCCAnalysisManager of_call_graph;
  llvm::ModuleAnalysisManager of_module;
};

void optimize(llvm::Module &module, llvm::TargetMachine &machine) {
  const auto analyses = emit::make_fragile<Analyses>();
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = tuning.SLPVectorization = false;  // threads are the vectors
  const auto builder = emit::make_fragile<llvm::PassBuilder>(&machine, tuning);
  builder->registerModuleAnalyses(analyses->of_module);
  builder->registerCGSCCAnalyses(analyses->of_call_graph);
  builder->registerFunctionAnalyses(analyses->of_functions);
  builder->registerLoopAnalyses(analyses->of_loops);
  builder->crossRegisterProxies(analyses->of_loops, analyses->of_functions, analyses->of_call_graph,
                                analyses->of_module);
  const auto passes =
      emit::make_fragile<llvm::ModulePassManager>(builder->buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2));
  passes->run(module, analyses->of_module);
}

struct GeneratedPart {
  std::string llvm, code;
};

Result<GeneratedPart> generate(llvm::Module &module, const CodeRequest &request) {
  BP_ASSIGN(auto made, request.make_machine());
  const emit::Fragile<llvm::TargetMachine> machine(made.release());
  GeneratedPart generated;
  optimize(module, *machine);
  if (request.prepare) {
    request.prepare(module);
  }
  if (request.wants_llvm) {
    llvm::raw_string_ostream stream(generated.llvm);
    module.print(stream, nullptr);
  }
  if (!request.wants_code) {
    return generated;
  }
  llvm::SmallVector<char, 0> code;
  llvm::raw_svector_ostream stream(code);
  const auto passes = emit::make_fragile<llvm::legacy::PassManager>();
  const auto type = request.is_assembly ? llvm::CodeGenFileType::AssemblyFile : llvm::CodeGenFileType::ObjectFile;
  if (machine->addPassesToEmitFile(*passes, stream, nullptr, type)) {
    return Error(BP_INTERNAL, "LLVM cannot write code for " + machine->getTargetTriple().str());
  }
  passes->run(module);
  const std::string_view written(code.data(), code.size());
  generated.code = request.rewrite ? request.rewrite(written) : std::string(written);
  return generated;
}

// Whether more than one function uses the same variable in the GPU's memory, of which there must be only one.
bool shares_state(const llvm::Module &module) {
  return std::any_of(module.global_begin(), module.global_end(), [](const llvm::GlobalVariable &variable) {
    if (variable.isConstant() || variable.getAddressSpace() == shared_space) {
      return false;
    }
    llvm::SmallPtrSet<const llvm::Function *, 2> functions;
    std::vector<const llvm::User *> users(variable.user_begin(), variable.user_end());
    while (!users.empty()) {
      const llvm::User *user = users.back();
      users.pop_back();
      if (const auto *instruction = llvm::dyn_cast<llvm::Instruction>(user)) {
        functions.insert(instruction->getFunction());
      } else {
        users.insert(users.end(), user->user_begin(), user->user_end());
      }
    }
    return functions.size() > 1 || (functions.size() == 1 && (*functions.begin())->hasLocalLinkage());
  });
}

// A part of a module, with some of the kernels and all that they may call. As bitcode it can be passed from one of
// LLVM's contexts to another; each thread has a context of its own.
struct ModulePart {
  std::uint32_t first_kernel = 0;
  std::string bitcode;
};

// Divides a module of many kernels. Returns nothing if it is to stay one.
std::vector<ModulePart> divide(llvm::Module &module) {
  std::vector<llvm::Function *> kernels;
  for (llvm::Function &function : module) {
    if (!function.isDeclaration() && !function.hasLocalLinkage()) {
      kernels.push_back(&function);
    }
  }
  const std::size_t count = (kernels.size() + max_in_part - 1) / max_in_part;
  if (count < 2 || shares_state(module)) {
    return {};
  }
  std::vector<ModulePart> parts;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t first = kernels.size() * i / count, next = kernels.size() * (i + 1) / count;
    const auto kernel = [&](std::size_t number) { return kernels.begin() + static_cast<std::ptrdiff_t>(number); };
    llvm::SmallPtrSet<const llvm::GlobalValue *, 16> others(kernels.begin(), kernel(first));
    others.insert(kernel(next), kernels.end());
    llvm::ValueToValueMapTy copies;
    const emit::Fragile<llvm::Module> part(llvm::CloneModule(module, copies, [&](const llvm::GlobalValue *value) {
                                             return !others.contains(value);
                                           }).release());
    for (const llvm::GlobalValue *other : others) {
      llvm::cast<llvm::Function>(copies[other])->eraseFromParent();
    }
    // So that the code of all parts can be joined to one module.
    for (llvm::GlobalValue &value : part->global_values()) {
      if (value.hasLocalLinkage()) {
        value.setName(value.getName() + "_part" + llvm::Twine(i));
      }
    }
    llvm::raw_string_ostream stream(parts.emplace_back(static_cast<std::uint32_t>(first), std::string()).bitcode);
    llvm::WriteBitcodeToFile(*part, stream);
  }
  return parts;
}

}  // namespace

Result<std::unique_ptr<llvm::TargetMachine>> make_machine(const std::string &triple, const std::string &cpu,
                                                          const std::string &features) {
  std::string error;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (target == nullptr) {
    return Error(BP_INTERNAL, error);
  }
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;  // products and sums are rounded one by one, except in fma
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, cpu, features, options, llvm::Reloc::PIC_, std::nullopt, llvm::CodeGenOptLevel::Default));
}

Result<GeneratedCode> generate_code(llvm::Module &module, const CodeRequest &request,
                                    const plugin::HostServices &services) {
  GeneratedCode generated;
  const auto add = [&](std::uint32_t first_kernel, GeneratedPart part) {
    generated.llvm += part.llvm;
    generated.parts.push_back({first_kernel, std::move(part.code)});
  };
  const std::vector<ModulePart> parts = request.may_divide ? divide(module) : std::vector<ModulePart>();
  if (parts.empty()) {
    BP_ASSIGN(GeneratedPart whole, generate(module, request));
    add(0, std::move(whole));
    return generated;
  }
  std::vector<Result<GeneratedPart>> generated_parts(parts.size(), GeneratedPart());
  services.parallel(static_cast<std::uint32_t>(parts.size()), [&](std::uint32_t i, std::uint32_t) {
    const auto context = emit::make_fragile<llvm::LLVMContext>();
    auto read = llvm::parseBitcodeFile(llvm::MemoryBufferRef(parts[i].bitcode, "kernels"), *context);
    if (!read) {
      generated_parts[i] =
          Error(BP_INTERNAL, "LLVM cannot read the code that it wrote: " + llvm::toString(read.takeError()));
      return;
    }
    const emit::Fragile<llvm::Module> part(read->release());
    generated_parts[i] = generate(*part, request);
  });
  for (std::size_t i = 0; i < parts.size(); ++i) {
    BP_ASSIGN(GeneratedPart part, std::move(generated_parts[i]));
    add(parts[i].first_kernel, std::move(part));
  }
  return generated;
}

}  // namespace bp::gpu
