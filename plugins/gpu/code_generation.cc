// LLVM's whole pipeline, but for its vectorizers: unlike the CPU's code, which has a few passes only, a kernel gains
// from it (address arithmetic in 32 bits, sums that stay in registers), and the driver's compiler takes longer than all
// of it, in proportion to the PTX that it gets.
#include "plugins/nvptx/code_generation.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/CGSCCPassManager.h>
#include <llvm/Analysis/LoopAnalysisManager.h>
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/MemoryBufferRef.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "plugins/llvm/fragile.h"
#include "plugins/nvptx/threads.h"

namespace bp::nvptx {
namespace {

constexpr std::size_t max_in_part = 32;  // kernels: about 0.1 s of work

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

// What LLVM 19 stores four bytes at a time: longer vectors of bytes, as vectors of words. What is moved, LLVM cannot
// make one of bytes again.
void store_bytes_as_words(llvm::Module &module) {
  std::vector<llvm::StoreInst *> stores;
  for (llvm::Function &function : module) {
    for (llvm::Instruction &instruction : llvm::instructions(function)) {
      auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
      const auto *type =
          store == nullptr ? nullptr : llvm::dyn_cast<llvm::FixedVectorType>(store->getValueOperand()->getType());
      if (type != nullptr && store->isSimple() && type->getElementType()->isIntegerTy(8) &&
          (type->getNumElements() == 8 || type->getNumElements() == 16) &&
          store->getAlign() >= type->getNumElements()) {
        stores.push_back(store);
      }
    }
  }
  constexpr unsigned bytes_of_word = 4;
  for (llvm::StoreInst *store : stores) {
    llvm::IRBuilder<> b(store);
    llvm::Value *bytes = b.CreateFreeze(store->getValueOperand());
    const unsigned count = llvm::cast<llvm::FixedVectorType>(bytes->getType())->getNumElements() / bytes_of_word;
    llvm::Value *words = llvm::PoisonValue::get(llvm::FixedVectorType::get(b.getInt32Ty(), count));
    for (unsigned i = 0; i < count; ++i) {
      llvm::SmallVector<int> places(bytes_of_word);
      std::iota(places.begin(), places.end(), static_cast<int>(i * bytes_of_word));
      llvm::Value *word = b.CreateBitCast(b.CreateShuffleVector(bytes, places), b.getInt32Ty());
      words = b.CreateInsertElement(words, b.CreateIntrinsic(llvm::Intrinsic::nvvm_move_i32, {}, {word}), i);
    }
    store->setOperand(0, words);
  }
}

// LLVM numbers all calls of a process, from any thread, in comments: "{ // callseq 7, 0". Equal kernels are equal text.
std::string without_call_numbers(std::string_view ptx) {
  constexpr std::string_view comment = " // callseq ";
  std::string text;
  text.reserve(ptx.size());
  for (std::size_t at = 0; at < ptx.size();) {
    const std::size_t next = std::min(ptx.find(comment, at), ptx.size());
    text += ptx.substr(at, next - at);
    at = std::min(ptx.find('\n', next), ptx.size());
  }
  return text;
}

struct GeneratedPart {
  std::string llvm, code;
};

void generate(llvm::Module &module, const CodeRequest &request, GeneratedPart &generated, std::string &error) {
  const emit::Fragile<llvm::TargetMachine> machine(request.make_machine(error).release());
  if (machine == nullptr) {
    return;
  }
  optimize(module, *machine);
  if (request.is_ptx) {
    store_bytes_as_words(module);
  }
  if (request.wants_llvm) {
    llvm::raw_string_ostream stream(generated.llvm);
    module.print(stream, nullptr);
  }
  if (!request.wants_code) {
    return;
  }
  llvm::SmallVector<char, 0> code;
  llvm::raw_svector_ostream stream(code);
  const auto passes = emit::make_fragile<llvm::legacy::PassManager>();
  const auto type = request.is_ptx ? llvm::CodeGenFileType::AssemblyFile : llvm::CodeGenFileType::ObjectFile;
  if (machine->addPassesToEmitFile(*passes, stream, nullptr, type)) {
    error = "LLVM cannot write code for " + machine->getTargetTriple().str();
    return;
  }
  passes->run(module);
  const std::string_view text(code.data(), code.size());
  generated.code = request.is_ptx ? without_call_numbers(text) : std::string(text);
}

// Memory of the GPU that more than one function uses: it must stay one.
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

// Part of a module as bitcode, which is how it gets from one of LLVM's contexts, which a thread has for itself, to
// another: it has some of the kernels and all that they may call.
struct ModulePart {
  std::uint32_t first_kernel = 0;
  std::string bitcode;
};

// Empty if the module is best left as one.
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
    // So that the text of all parts is one module too (whole_code).
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

// Text without the lines that say version and target, which PTX begins with.
std::string_view without_header(std::string_view ptx) {
  constexpr std::string_view last = ".address_size 64\n";
  const std::size_t at = ptx.find(last);
  return at == std::string_view::npos ? ptx : ptx.substr(at + last.size());
}

}  // namespace

bool generate_code(llvm::Module &module, const CodeRequest &request, const plugin::HostServices &services,
                   GeneratedCode &generated, std::string &error) {
  const std::vector<ModulePart> parts = request.is_ptx ? divide(module) : std::vector<ModulePart>();
  if (parts.empty()) {
    GeneratedPart whole;
    generate(module, request, whole, error);
    generated.llvm = std::move(whole.llvm);
    generated.parts.push_back({0, std::move(whole.code)});
    return error.empty();
  }
  std::vector<GeneratedPart> generated_parts(parts.size());
  std::vector<std::string> errors(parts.size());
  services.parallel(static_cast<std::uint32_t>(parts.size()), [&](std::uint32_t i, std::uint32_t) {
    const auto context = emit::make_fragile<llvm::LLVMContext>();
    auto read = llvm::parseBitcodeFile(llvm::MemoryBufferRef(parts[i].bitcode, "kernels"), *context);
    if (!read) {
      errors[i] = "LLVM does not read what it wrote: " + llvm::toString(read.takeError());
      return;
    }
    const emit::Fragile<llvm::Module> part(read->release());
    generate(*part, request, generated_parts[i], errors[i]);
  });
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!errors[i].empty()) {
      error = std::move(errors[i]);
      return false;
    }
    generated.llvm += generated_parts[i].llvm;
    generated.parts.push_back({parts[i].first_kernel, std::move(generated_parts[i].code)});
  }
  return true;
}

std::string whole_code(std::span<const CodePart> parts) {
  std::string code;
  for (const CodePart &part : parts) {
    code += code.empty() ? part.code : without_header(part.code);
  }
  return code;
}

}  // namespace bp::nvptx
