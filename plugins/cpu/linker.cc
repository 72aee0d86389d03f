#include "plugins/cpu/linker.h"

#include <llvm/ExecutionEngine/JITLink/JITLinkMemoryManager.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Process.h>

#include <cstring>

namespace bp::cpu {
namespace {

// Counts what stays mapped once objects are linked.
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

// No frames are registered for unwinding: nothing throws through generated code.
class OrcProgram : public LinkedProgram {
 public:
  llvm::Error link(std::span<const std::string> objects, const char *entry) {
    auto jit = llvm::orc::LLJITBuilder()
                   .setLinkProcessSymbolsByDefault(false)
                   .setPlatformSetUp(llvm::orc::setUpInactivePlatform)
                   .setObjectLinkingLayerCreator([this](llvm::orc::ExecutionSession &session, const llvm::Triple &) {
                     auto memory =
                         std::make_unique<CountingMemory>(llvm::sys::Process::getPageSizeEstimate(), mapped_bytes_);
                     return std::make_unique<llvm::orc::ObjectLinkingLayer>(session, std::move(memory));
                   })
                   .create();
    if (!jit) {
      return jit.takeError();
    }
    jit_ = std::move(*jit);
    llvm::orc::JITDylib &library = jit_->getMainJITDylib();
    llvm::orc::SymbolMap symbols;
    const auto define = [&](const char *name, auto *function) {
      symbols[jit_->mangleAndIntern(name)] = {llvm::orc::ExecutorAddr::fromPtr(function),
                                              llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
    };
    define("memcpy", static_cast<void *(*)(void *, const void *, std::size_t)>(std::memcpy));
    define("memmove", static_cast<void *(*)(void *, const void *, std::size_t)>(std::memmove));
    define("memset", static_cast<void *(*)(void *, int, std::size_t)>(std::memset));
    if (llvm::Error error = library.define(llvm::orc::absoluteSymbols(std::move(symbols)))) {
      return error;
    }
    for (const std::string &object : objects) {
      if (llvm::Error error = jit_->addObjectFile(llvm::MemoryBuffer::getMemBufferCopy(object))) {
        return error;
      }
    }
    auto address = jit_->lookup(entry);
    if (!address) {
      return address.takeError();
    }
    entry_ = address->toPtr<Entry>();
    return llvm::Error::success();
  }

 private:
  std::unique_ptr<llvm::orc::LLJIT> jit_;
};

}  // namespace

std::unique_ptr<LinkedProgram> LinkedProgram::link(std::span<const std::string> objects, const char *entry,
                                                   std::string &error) {
  auto program = std::make_unique<OrcProgram>();
  if (llvm::Error failure = program->link(objects, entry)) {
    error = "cannot link: " + llvm::toString(std::move(failure));
    return nullptr;
  }
  return program;
}

}  // namespace bp::cpu
