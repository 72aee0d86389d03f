#include "plugins/nvptx/threads.h"

#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/Module.h>

#include <cstddef>

namespace bp::nvptx {
namespace {

class GpuThreads final : public Threads {
 public:
  KernelFrame begin_kernel(llvm::Module &module, llvm::IRBuilderBase &b, std::uint32_t number, std::size_t arguments,
                           const emit::KernelCall *call) const override {
    llvm::LLVMContext &context = module.getContext();
    const std::vector<llvm::Type *> types(arguments, b.getPtrTy());
    KernelFrame frame;
    frame.function = llvm::Function::Create(llvm::FunctionType::get(b.getVoidTy(), types, false),
                                            llvm::GlobalValue::ExternalLinkage, kernel_name(number), module);
    frame.function->setCallingConv(llvm::CallingConv::PTX_Kernel);
    if (call != nullptr) {
      emit::describe_arguments(*frame.function, *call);
    }
    llvm::Metadata *kernel[] = {llvm::ValueAsMetadata::get(frame.function), llvm::MDString::get(context, "kernel"),
                                llvm::ConstantAsMetadata::get(b.getInt32(1))};
    module.getOrInsertNamedMetadata("nvvm.annotations")->addOperand(llvm::MDNode::get(context, kernel));
    b.SetInsertPoint(llvm::BasicBlock::Create(context, "entry", frame.function));
    for (llvm::Argument &argument : frame.function->args()) {
      frame.pointers.push_back(&argument);
    }
    const auto read = [&](llvm::Intrinsic::ID id) {
      return b.CreateZExt(b.CreateIntrinsic(id, {}, {}), b.getInt64Ty());
    };
    frame.thread = b.CreateAdd(b.CreateMul(read(llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_x),
                                           read(llvm::Intrinsic::nvvm_read_ptx_sreg_ntid_x), "", true, true),
                               read(llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x), "", true, true);
    return frame;
  }
  void finish(llvm::Module &, std::uint32_t) const override {}
};

class EmulatedThreads final : public Threads {
 public:
  KernelFrame begin_kernel(llvm::Module &module, llvm::IRBuilderBase &b, std::uint32_t number, std::size_t arguments,
                           const emit::KernelCall *) const override {
    KernelFrame frame;
    frame.function = llvm::Function::Create(llvm::FunctionType::get(b.getVoidTy(), {b.getPtrTy(), b.getPtrTy()}, false),
                                            llvm::GlobalValue::InternalLinkage, kernel_name(number), module);
    b.SetInsertPoint(llvm::BasicBlock::Create(module.getContext(), "entry", frame.function));
    for (std::size_t i = 0; i < arguments; ++i) {
      frame.pointers.push_back(
          b.CreateLoad(b.getPtrTy(), b.CreateConstInBoundsGEP1_64(b.getPtrTy(), frame.function->getArg(0), i)));
    }
    const auto read = [&](std::size_t offset) {
      llvm::Value *at = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), frame.function->getArg(1), offset);
      return b.CreateZExt(b.CreateLoad(b.getInt32Ty(), at), b.getInt64Ty());
    };
    frame.thread = b.CreateAdd(
        b.CreateMul(read(offsetof(EmulatedThread, block)), read(offsetof(EmulatedThread, threads)), "", true, true),
        read(offsetof(EmulatedThread, thread)), "", true, true);
    return frame;
  }

  void finish(llvm::Module &module, std::uint32_t kernels) const override {
    llvm::Type *pointer = llvm::PointerType::getUnqual(module.getContext());
    std::vector<llvm::Constant *> functions;
    for (std::uint32_t i = 0; i < kernels; ++i) {
      functions.push_back(module.getFunction(kernel_name(i)));
    }
    auto *type = llvm::ArrayType::get(pointer, functions.size());
    new llvm::GlobalVariable(module, type, true, llvm::GlobalValue::ExternalLinkage,
                             llvm::ConstantArray::get(type, functions), kernel_table_name);
  }
};

}  // namespace

std::string kernel_name(std::uint32_t number) {
  return "kernel_" + std::to_string(number);
}

std::unique_ptr<Threads> make_gpu_threads() {
  return std::make_unique<GpuThreads>();
}
std::unique_ptr<Threads> make_emulated_threads() {
  return std::make_unique<EmulatedThreads>();
}

}  // namespace bp::nvptx
