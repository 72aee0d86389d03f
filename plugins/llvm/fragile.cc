#include "plugins/llvm/fragile.h"

#include <llvm/Support/ErrorHandling.h>

#include <new>

namespace bp::emit {

void throw_when_out_of_memory() {
  llvm::remove_bad_alloc_error_handler();
  llvm::install_bad_alloc_error_handler([](void *, const char *, bool) { throw std::bad_alloc(); });
}

}  // namespace bp::emit
