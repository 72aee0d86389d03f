#include "plugins/native/ahead_of_time.h"

#include <llvm/AsmParser/Parser.h>
#include <llvm/Object/ELFObjectFile.h>
#include <llvm/Support/MemoryBufferRef.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>

#include <set>

#include "plugins/llvm/routines.h"
#include "plugins/native/code_generation.h"

namespace bp::native {

using plugin::Error;
using plugin::Result;

namespace {

// Returns the names of the functions that the objects need and do not define.
Result<std::set<std::string>> missing_functions(const Artifact &artifact) {
  std::set<std::string> defined, used;
  for (const std::string &bytes : artifact.objects) {
    auto object = llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(bytes, "artifact"));
    if (!object) {
      return Error(BP_INVALID, "artifact: " + llvm::toString(object.takeError()));
    }
    for (const llvm::object::SymbolRef &symbol : (*object)->symbols()) {
      auto flags = symbol.getFlags();
      auto name = symbol.getName();
      if (!flags || !name) {
        llvm::consumeError(flags.takeError());
        llvm::consumeError(name.takeError());
        return Error(BP_INVALID, "artifact: the symbols of an object cannot be read");
      }
      ((*flags & llvm::object::SymbolRef::SF_Undefined) != 0 ? used : defined).insert(name->str());
    }
  }
  std::set<std::string> missing;
  std::ranges::set_difference(used, defined, std::inserter(missing, missing.end()));
  missing.erase("");  // the symbol of number 0
  return missing;
}

// Compiles a text in LLVM's language.
Result<std::string> compile_text(const std::string &text, const Target &target) {
  CodeGenerators generators(target);
  return generators.with([&](CodeGenerator &generator) -> Result<std::string> {
    emit::CodeUnit unit;
    unit.context = emit::make_fragile<llvm::LLVMContext>();
    unit.module = emit::make_fragile<llvm::Module>("support", *unit.context);
    unit.module->setTargetTriple(target.triple);
    unit.module->setDataLayout(generator.machine->createDataLayout());
    llvm::SMDiagnostic problem;
    if (llvm::parseAssemblyInto(llvm::MemoryBufferRef(text, "support"), unit.module.get(), nullptr, problem)) {
      std::string message;
      llvm::raw_string_ostream stream(message);
      problem.print("", stream, false);
      return Error(BP_INTERNAL, "the supporting code is malformed: " + message);
    }
    return generate_object(unit, generator, "");
  });
}

}  // namespace

bp_aot_code_t describe_code(const Artifact &artifact) {
  return {.shared_scratch_size = artifact.common_bytes,
          .thread_scratch_size = artifact.scratch_bytes,
          .object_count = static_cast<std::uint32_t>(artifact.objects.size()) + 1,
          .reserved = 0};
}

Result<std::string> write_code(const Artifact &artifact, std::uint32_t flags, std::uint32_t index,
                               const Target &baseline, const std::string &check) {
  if (index < artifact.objects.size()) {
    return artifact.objects[index];
  }
  if (index > artifact.objects.size()) {
    return Error(BP_INVALID, "there is no object " + std::to_string(index) + " among " +
                                 std::to_string(artifact.objects.size() + 1));
  }
  BP_ASSIGN(const std::set<std::string> missing, missing_functions(artifact));
  BP_ASSIGN(const std::string routines, emit::routines_text(missing, (flags & BP_AOT_FREESTANDING) != 0));
  return compile_text(check + routines, baseline);
}

}  // namespace bp::native
