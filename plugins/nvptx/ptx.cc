#include "plugins/nvptx/ptx.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace bp::nvptx {
namespace {

// Returns the text without the lines at its start that say version and target.
std::string_view without_header(std::string_view ptx) {
  constexpr std::string_view last = ".address_size 64\n";
  const std::size_t at = ptx.find(last);
  return at == std::string_view::npos ? ptx : ptx.substr(at + last.size());
}

}  // namespace

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
      // LLVM cannot turn words that were moved into a vector of bytes again.
      llvm::Value *word = b.CreateBitCast(b.CreateShuffleVector(bytes, places), b.getInt32Ty());
      words = b.CreateInsertElement(words, b.CreateIntrinsic(llvm::Intrinsic::nvvm_move_i32, {}, {word}), i);
    }
    store->setOperand(0, words);
  }
}

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

std::string whole_ptx(std::span<const gpu::CodePart> parts) {
  std::string code;
  for (const gpu::CodePart &part : parts) {
    code += code.empty() ? part.code : without_header(part.code);
  }
  return code;
}

}  // namespace bp::nvptx
