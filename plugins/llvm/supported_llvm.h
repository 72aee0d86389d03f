// LLVM's classes change from version to version, so what is linked together is compiled with the same headers of it.
#pragma once

#include <llvm/Config/llvm-config.h>

#if LLVM_VERSION_MAJOR != 19
#error "Backplane's emitters are built for LLVM 19: compile with its headers (pkg-config --cflags backplane-emit)"
#endif
