// Threads of a GPU, as NVPTX's intrinsics.
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/Module.h>

#include "plugins/nvptx/threads.h"

namespace bp::nvptx {
namespace {

class GpuThreads final : public Threads {
 public:
  explicit GpuThreads(const Target &target) : target_(target) {}

  KernelFrame begin_kernel(llvm::Module &module, llvm::IRBuilderBase &b, std::uint32_t number, std::size_t arguments,
                           const emit::KernelCall *call, Cooperation) const override {
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
    frame.thread = read(llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x);
    frame.block = read(llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_x);
    frame.threads = read(llvm::Intrinsic::nvvm_read_ptx_sreg_ntid_x);
    return frame;
  }
  void end_kernel(llvm::IRBuilderBase &b, const KernelFrame &) const override { b.CreateRetVoid(); }
  void finish(llvm::Module &, std::uint32_t) const override {}

  void wait_for_warp(llvm::IRBuilderBase &b, const KernelFrame &) const override {
    b.CreateIntrinsic(llvm::Intrinsic::nvvm_bar_warp_sync, {}, {b.getInt32(~0u)});
  }
  void wait_for_block(llvm::IRBuilderBase &b, const KernelFrame &) const override {
    b.CreateIntrinsic(llvm::Intrinsic::nvvm_barrier0, {}, {});
  }
  llvm::Value *exchange(llvm::IRBuilderBase &b, const KernelFrame &, llvm::Value *word,
                        std::uint32_t mask) const override {
    return b.CreateIntrinsic(llvm::Intrinsic::nvvm_shfl_sync_bfly_i32, {},
                             {b.getInt32(~0u), word, b.getInt32(mask), b.getInt32(warp_size - 1)});
  }
  llvm::Value *shared_memory(llvm::IRBuilderBase &b, const KernelFrame &frame) const override {
    constexpr const char *name = "shared_memory";
    llvm::Module &module = *frame.function->getParent();
    llvm::GlobalVariable *memory = module.getNamedGlobal(name);
    if (memory == nullptr) {
      memory = new llvm::GlobalVariable(module, llvm::ArrayType::get(b.getInt8Ty(), 0), false,
                                        llvm::GlobalValue::ExternalLinkage, nullptr, name, nullptr,
                                        llvm::GlobalValue::NotThreadLocal, shared_space);
      memory->setAlignment(llvm::Align(64));
    }
    return b.CreateAddrSpaceCast(memory, b.getPtrTy());
  }

  bool has_matrix_unit(const llvm::Type *type) const override {
    return target_.version >= 80 && (type->isBFloatTy() || type->isHalfTy());
  }
  std::vector<llvm::Value *> multiply_matrices(llvm::IRBuilderBase &b, const KernelFrame &, llvm::Type *type,
                                               std::span<llvm::Value *const> rows,
                                               std::span<llvm::Value *const> columns,
                                               std::span<llvm::Value *const> sums) const override {
    std::vector<llvm::Value *> arguments(rows.begin(), rows.end());
    arguments.insert(arguments.end(), columns.begin(), columns.end());
    if (type->isHalfTy()) {
      for (llvm::Value *&word : arguments) {
        word = b.CreateBitCast(word, llvm::FixedVectorType::get(type, 2));
      }
    }
    arguments.insert(arguments.end(), sums.begin(), sums.end());
    llvm::Value *all = b.CreateIntrinsic(type->isHalfTy() ? llvm::Intrinsic::nvvm_mma_m16n8k16_row_col_f32_f32
                                                          : llvm::Intrinsic::nvvm_mma_m16n8k16_row_col_bf16,
                                         {}, arguments);
    std::vector<llvm::Value *> results;
    for (unsigned i = 0; i < sums.size(); ++i) {
      results.push_back(b.CreateExtractValue(all, i));
    }
    return results;
  }

 private:
  Target target_;
};

}  // namespace

std::string kernel_name(std::uint32_t number) {
  return "kernel_" + std::to_string(number);
}

std::unique_ptr<Threads> make_gpu_threads(const Target &target) {
  return std::make_unique<GpuThreads>(target);
}

}  // namespace bp::nvptx
