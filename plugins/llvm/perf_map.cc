#include "plugins/llvm/perf_map.h"

#include <fcntl.h>
#include <unistd.h>

#include <cinttypes>
#include <cstdio>
#include <string>

namespace bp::emit {
namespace {

// Keeps the symbols of functions that only their own object calls.
llvm::Error keep_functions(llvm::jitlink::LinkGraph &graph) {
  for (llvm::jitlink::Symbol *symbol : graph.defined_symbols()) {
    symbol->setLive(symbol->isLive() || (symbol->isCallable() && symbol->hasName()));
  }
  return llvm::Error::success();
}

// One write per object, at the end of the file: lines of other threads stay whole.
llvm::Error append_functions(llvm::jitlink::LinkGraph &graph) {
  std::string lines;
  for (const llvm::jitlink::Symbol *symbol : graph.defined_symbols()) {
    if (symbol->isCallable() && symbol->hasName()) {
      char place[40];
      std::snprintf(place, sizeof place, "%" PRIx64 " %" PRIx64 " ", symbol->getAddress().getValue(),
                    symbol->getSize());
      lines += place + symbol->getName().str() + "\n";
    }
  }
  const std::string path = "/tmp/perf-" + std::to_string(getpid()) + ".map";
  // Others may write to the folder, so no link is followed.
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (file >= 0) {
    static_cast<void>(!write(file, lines.data(), lines.size()));
    close(file);
  }
  return llvm::Error::success();
}

}  // namespace

void PerfMap::modifyPassConfig(llvm::orc::MaterializationResponsibility &, llvm::jitlink::LinkGraph &,
                               llvm::jitlink::PassConfiguration &passes) {
  passes.PrePrunePasses.push_back(keep_functions);
  passes.PostFixupPasses.push_back(append_functions);
}

}  // namespace bp::emit
