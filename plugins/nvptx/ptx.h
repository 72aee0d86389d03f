// PTX as LLVM 19 writes it: what is changed before and after.
#pragma once

#include <llvm/IR/Module.h>

#include <span>
#include <string>
#include <string_view>

#include "plugins/gpu/artifact.h"

namespace bp::nvptx {

// Makes long vectors of bytes that are stored vectors of words: LLVM would store them four bytes at a time.
void store_bytes_as_words(llvm::Module &module);

// Returns the PTX without the numbers that LLVM gives to all calls of a process, from any thread, in comments ("{ //
// callseq 7, 0"), so that equal kernels are equal text.
std::string without_call_numbers(std::string_view ptx);

// Joins the PTX of all parts to one module.
std::string whole_ptx(std::span<const gpu::CodePart> parts);

}  // namespace bp::nvptx
