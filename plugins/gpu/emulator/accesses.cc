#include "plugins/nvptx/emulated_touches.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include <cstddef>
#include <vector>

#include "plugins/nvptx/emulated_thread.h"
#include "plugins/nvptx/threads.h"

namespace bp::nvptx {
namespace {

struct Touch {
  llvm::Instruction *by;
  llvm::Value *pointer, *bytes;
  bool is_write;
};

std::vector<Touch> touches_of(llvm::Function &function) {
  std::vector<Touch> touches;
  const llvm::DataLayout &layout = function.getParent()->getDataLayout();
  llvm::Type *word = llvm::Type::getInt64Ty(function.getContext());
  const auto size_of = [&](llvm::Type *type) {
    return llvm::ConstantInt::get(word, layout.getTypeStoreSize(type).getFixedValue());
  };
  for (llvm::Instruction &instruction : llvm::instructions(function)) {
    if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction); load != nullptr && !load->isAtomic()) {
      touches.push_back({load, load->getPointerOperand(), size_of(load->getType()), false});
    } else if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction); store != nullptr && !store->isAtomic()) {
      touches.push_back({store, store->getPointerOperand(), size_of(store->getValueOperand()->getType()), true});
    } else if (auto *range = llvm::dyn_cast<llvm::MemIntrinsic>(&instruction)) {
      touches.push_back({range, range->getDest(), range->getLength(), true});
      if (auto *transfer = llvm::dyn_cast<llvm::MemTransferInst>(range)) {
        touches.push_back({range, transfer->getSource(), range->getLength(), false});
      }
    }
  }
  return touches;
}

}  // namespace

void tell_touches(llvm::Module &module, std::uint32_t kernels) {
  llvm::LLVMContext &context = module.getContext();
  llvm::Type *pointer = llvm::PointerType::getUnqual(context), *word = llvm::Type::getInt64Ty(context);
  auto *type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), {pointer, word, word}, false);
  // What a kernel calls does not get the thread, so the function is told by each kernel before anything else.
  auto *touch = new llvm::GlobalVariable(module, pointer, false, llvm::GlobalValue::InternalLinkage,
                                         llvm::Constant::getNullValue(pointer), "touch");
  llvm::SmallPtrSet<const llvm::Function *, 16> of_kernels;
  for (std::uint32_t i = 0; i < kernels; ++i) {
    of_kernels.insert(module.getFunction(kernel_name(i)));
  }
  for (llvm::Function &function : module) {
    const bool is_kernel = of_kernels.contains(&function);
    for (const Touch &one : touches_of(function)) {
      const llvm::Value *memory = llvm::getUnderlyingObject(one.pointer, 0);
      // A kernel's own arguments are what the emulator tells it.
      if (llvm::isa<llvm::AllocaInst, llvm::GlobalVariable>(memory) ||
          (is_kernel && llvm::isa<llvm::Argument>(memory))) {
        continue;
      }
      llvm::IRBuilder<> b(one.by);
      b.CreateCall(type, b.CreateLoad(pointer, touch),
                   {one.pointer, b.CreateZExtOrTrunc(one.bytes, word), b.getInt64(one.is_write)});
    }
    if (is_kernel) {
      llvm::IRBuilder<> b(&*function.getEntryBlock().getFirstInsertionPt());
      b.CreateStore(b.CreateLoad(pointer, b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), function.getArg(1),
                                                                       offsetof(EmulatedThread, touch))),
                    touch);
    }
  }
}

}  // namespace bp::nvptx
