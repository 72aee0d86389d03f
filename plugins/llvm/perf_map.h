// The file /tmp/perf-PID.map, in which `perf report` looks up functions that no library has: a line for each function,
// "address size name". It is for people who measure; a file that cannot be written is no error.
#pragma once

#include <llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h>

namespace bp::emit {

// Appends the functions of each object that is linked. Threads: objects may be linked concurrently.
class PerfMap : public llvm::orc::ObjectLinkingLayer::Plugin {
 public:
  void modifyPassConfig(llvm::orc::MaterializationResponsibility &responsibility, llvm::jitlink::LinkGraph &graph,
                        llvm::jitlink::PassConfiguration &passes) override;

  llvm::Error notifyFailed(llvm::orc::MaterializationResponsibility &) override { return llvm::Error::success(); }
  llvm::Error notifyRemovingResources(llvm::orc::JITDylib &, llvm::orc::ResourceKey) override {
    return llvm::Error::success();
  }
  void notifyTransferringResources(llvm::orc::JITDylib &, llvm::orc::ResourceKey, llvm::orc::ResourceKey) override {}
};

}  // namespace bp::emit
