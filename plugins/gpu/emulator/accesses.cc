#include "plugins/gpu/emulator/accesses.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include <cstddef>
#include <vector>

#include "plugins/gpu/emulator/thread.h"
#include "plugins/gpu/threads.h"

namespace bp::gpu {
namespace {

struct Access {
  llvm::Instruction *by;
  llvm::Value *pointer, *bytes;
  bool is_write;
};

std::vector<Access> accesses_of(llvm::Function &function) {
  std::vector<Access> accesses;
  const llvm::DataLayout &layout = function.getParent()->getDataLayout();
  llvm::Type *word = llvm::Type::getInt64Ty(function.getContext());
  const auto size_of = [&](llvm::Type *type) {
    return llvm::ConstantInt::get(word, layout.getTypeStoreSize(type).getFixedValue());
  };
  for (llvm::Instruction &instruction : llvm::instructions(function)) {
    if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction); load != nullptr && !load->isAtomic()) {
      accesses.push_back({load, load->getPointerOperand(), size_of(load->getType()), false});
    } else if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction); store != nullptr && !store->isAtomic()) {
      accesses.push_back({store, store->getPointerOperand(), size_of(store->getValueOperand()->getType()), true});
    } else if (auto *range = llvm::dyn_cast<llvm::MemIntrinsic>(&instruction)) {
      accesses.push_back({range, range->getDest(), range->getLength(), true});
      if (auto *transfer = llvm::dyn_cast<llvm::MemTransferInst>(range)) {
        accesses.push_back({range, transfer->getSource(), range->getLength(), false});
      }
    }
  }
  return accesses;
}

}  // namespace

void report_accesses(llvm::Module &module, std::uint32_t kernels) {
  llvm::LLVMContext &context = module.getContext();
  llvm::Type *pointer = llvm::PointerType::getUnqual(context), *word = llvm::Type::getInt64Ty(context);
  auto *type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), {pointer, word, word}, false);
  // Functions that a kernel calls do not get the thread, so each kernel first stores the emulator's function in a
  // variable.
  auto *access = new llvm::GlobalVariable(module, pointer, false, llvm::GlobalValue::InternalLinkage,
                                          llvm::Constant::getNullValue(pointer), "access");
  llvm::SmallPtrSet<const llvm::Function *, 16> of_kernels;
  for (std::uint32_t i = 0; i < kernels; ++i) {
    of_kernels.insert(module.getFunction(kernel_name(i)));
  }
  for (llvm::Function &function : module) {
    const bool is_kernel = of_kernels.contains(&function);
    for (const Access &one : accesses_of(function)) {
      const llvm::Value *memory = llvm::getUnderlyingObject(one.pointer, 0);
      // The arguments of a kernel itself point to the emulator's data.
      if (llvm::isa<llvm::AllocaInst, llvm::GlobalVariable>(memory) ||
          (is_kernel && llvm::isa<llvm::Argument>(memory))) {
        continue;
      }
      llvm::IRBuilder<> b(one.by);
      b.CreateCall(type, b.CreateLoad(pointer, access),
                   {one.pointer, b.CreateZExtOrTrunc(one.bytes, word), b.getInt64(one.is_write)});
    }
    if (is_kernel) {
      llvm::IRBuilder<> b(&*function.getEntryBlock().getFirstInsertionPt());
      b.CreateStore(b.CreateLoad(pointer, b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), function.getArg(1),
                                                                       offsetof(EmulatedThread, access))),
                    access);
    }
  }
}

}  // namespace bp::gpu
