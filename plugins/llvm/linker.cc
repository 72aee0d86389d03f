#include "plugins/llvm/linker.h"

#include <llvm/ADT/ScopeExit.h>
#include <llvm/ExecutionEngine/JITLink/JITLinkMemoryManager.h>
#include <llvm/ExecutionEngine/Orc/Core.h>
#include <llvm/ExecutionEngine/Orc/ExecutorProcessControl.h>
#include <llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Process.h>

#include <cmath>
#include <cstring>

#include "plugins/llvm/perf_map.h"
#include "plugins/llvm/tile_registers.h"

// Functions of libgcc that LLVM calls where a CPU has no instructions for these types. Declared for their addresses
// only; LLVM and libgcc agree on the calling conventions.
extern "C" {
void __extendhfsf2();
void __truncsfhf2();
void __truncdfhf2();
}

namespace bp::emit {
namespace {

// Counts the bytes that stay mapped after objects are linked.
class CountingMemory : public llvm::jitlink::InProcessMemoryManager {
 public:
  CountingMemory(std::uint64_t page_size, std::uint64_t &bytes)
      : InProcessMemoryManager(page_size), page_size_(page_size), bytes_(bytes) {}
  using InProcessMemoryManager::allocate;
  void allocate(const llvm::jitlink::JITLinkDylib *library, llvm::jitlink::LinkGraph &graph,
                OnAllocatedFunction on_allocated) override {
    auto sizes = llvm::jitlink::BasicLayout(graph).getContiguousPageBasedLayoutSizes(page_size_);
    if (!sizes) {
      on_allocated(sizes.takeError());
      return;
    }
    bytes_ += sizes->StandardSegs;
    InProcessMemoryManager::allocate(library, graph, std::move(on_allocated));
  }

 private:
  std::uint64_t page_size_;
  std::uint64_t &bytes_;
};

// A session of the linker alone, without LLJIT, which also makes two code generators. It registers no frames for
// unwinding, because nothing throws through generated code.
class OrcObjects : public LinkedObjects {
 public:
  ~OrcObjects() override {
    if (session_ != nullptr) {
      llvm::consumeError(session_->endSession());
    }
  }

  llvm::Error link(std::span<const std::string> objects, const char *symbol, bool names_functions) {
    auto process = llvm::orc::SelfExecutorProcessControl::Create();
    if (!process) {
      return process.takeError();
    }
    session_ = std::make_unique<llvm::orc::ExecutionSession>(std::move(*process));
    linker_ = std::make_unique<llvm::orc::ObjectLinkingLayer>(
        *session_, std::make_unique<CountingMemory>(llvm::sys::Process::getPageSizeEstimate(), mapped_bytes_));
    if (names_functions) {
      linker_->addPlugin(std::make_shared<PerfMap>());
    }
    // An object that does not link is reported here; lookup() fails only if that object contains the symbol.
    std::string problems;
    session_->setErrorReporter(
        [&](llvm::Error error) { problems += (problems.empty() ? "" : "; ") + llvm::toString(std::move(error)); });
    // Later errors, from the end of the session, add no information.
    const auto end = llvm::make_scope_exit([&] { session_->setErrorReporter(llvm::consumeError); });
    llvm::orc::JITDylib &library = session_->createBareJITDylib("program");
    llvm::orc::SymbolMap symbols;
    const auto define = [&](const char *name, auto *function) {
      symbols[session_->intern(name)] = {llvm::orc::ExecutorAddr::fromPtr(function),
                                         llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
    };
    define("memcpy", static_cast<void *(*)(void *, const void *, std::size_t)>(std::memcpy));
    define("memmove", static_cast<void *(*)(void *, const void *, std::size_t)>(std::memmove));
    define("memset", static_cast<void *(*)(void *, int, std::size_t)>(std::memset));
    // All of these are exact, so the results equal those of the instructions.
    define("fma", static_cast<double (*)(double, double, double)>(::fma));
    define("fmaf", ::fmaf);
    define("fmod", static_cast<double (*)(double, double)>(::fmod));
    define("fmodf", ::fmodf);
    define("ceil", static_cast<double (*)(double)>(::ceil));
    define("ceilf", ::ceilf);
    define("floor", static_cast<double (*)(double)>(::floor));
    define("floorf", ::floorf);
    define("trunc", static_cast<double (*)(double)>(::trunc));
    define("truncf", ::truncf);
    define("round", static_cast<double (*)(double)>(::round));
    define("roundf", ::roundf);
    define("roundeven", ::roundeven);
    define("roundevenf", ::roundevenf);
    define("__extendhfsf2", __extendhfsf2);
    define("__truncsfhf2", __truncsfhf2);
    define("__truncdfhf2", __truncdfhf2);
    define("bp_use_tiles", +[] { use_tiles(); });
    if (llvm::Error error = library.define(llvm::orc::absoluteSymbols(std::move(symbols)))) {
      return error;
    }
    for (const std::string &object : objects) {
      if (llvm::Error error = linker_->add(library, llvm::MemoryBuffer::getMemBufferCopy(object))) {
        return error;
      }
    }
    auto address = session_->lookup({&library}, symbol);
    if (!problems.empty()) {  // more specific than the error of the lookup
      llvm::consumeError(address.takeError());
      return llvm::createStringError(problems);
    }
    if (!address) {
      return address.takeError();
    }
    symbol_ = address->getAddress().toPtr<void *>();
    return llvm::Error::success();
  }

 private:
  std::unique_ptr<llvm::orc::ExecutionSession> session_;
  std::unique_ptr<llvm::orc::ObjectLinkingLayer> linker_;
};

}  // namespace

plugin::Result<std::unique_ptr<LinkedObjects>> LinkedObjects::link(std::span<const std::string> objects,
                                                                   const char *symbol, bool names_functions) {
  auto program = std::make_unique<OrcObjects>();
  if (llvm::Error failure = program->link(objects, symbol, names_functions)) {
    return plugin::Error(BP_INVALID, "cannot link: " + llvm::toString(std::move(failure)));
  }
  return program;
}

}  // namespace bp::emit
