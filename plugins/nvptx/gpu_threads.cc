#include "plugins/nvptx/gpu_threads.h"

#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/Module.h>

#include "plugins/nvptx/driver.h"
#include "plugins/nvptx/warpgroup_unit.h"

namespace bp::nvptx {
namespace {

using gpu::global_space, gpu::KernelFrame, gpu::shared_space;

constexpr std::uint32_t warp_size = 32, all_lanes = ~0u;

class GpuThreads final : public gpu::Threads {
 public:
  using gpu::Threads::Threads;

  KernelFrame begin_kernel(llvm::Module &module, llvm::IRBuilderBase &b, std::uint32_t number, std::size_t arguments,
                           std::size_t maps, const emit::KernelCall *call, gpu::Cooperation) const override {
    llvm::LLVMContext &context = module.getContext();
    const std::vector<llvm::Type *> types(arguments + maps, b.getPtrTy());
    KernelFrame frame;
    frame.function = llvm::Function::Create(llvm::FunctionType::get(b.getVoidTy(), types, false),
                                            llvm::GlobalValue::ExternalLinkage, gpu::kernel_name(number), module);
    frame.function->setCallingConv(llvm::CallingConv::PTX_Kernel);
    if (call != nullptr) {
      emit::describe_arguments(*frame.function, *call);
    }
    annotate(frame, "kernel", number_of(context, 1));
    b.SetInsertPoint(llvm::BasicBlock::Create(context, "entry", frame.function));
    for (llvm::Argument &argument : frame.function->args()) {
      (argument.getArgNo() < arguments ? frame.pointers : frame.maps).push_back(&argument);
    }
    keep_as_arguments(frame);
    const auto read = [&](llvm::Intrinsic::ID id) {
      return b.CreateZExt(b.CreateIntrinsic(id, {}, {}), b.getInt64Ty());
    };
    frame.thread = read(llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x);
    frame.block = read(llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_x);
    frame.threads = read(llvm::Intrinsic::nvvm_read_ptx_sreg_ntid_x);
    return frame;
  }
  void end_thread(llvm::IRBuilderBase &b, const KernelFrame &) const override { b.CreateRetVoid(); }
  void end_kernel(llvm::IRBuilderBase &b, const KernelFrame &frame, std::uint32_t threads,
                  std::uint32_t blocks) const override {
    end_thread(b, frame);
    // Up to 256 threads can have the max number of registers each. If ptxas is told that one block of so few threads is
    // enough, it takes all registers, for little gain, and leaves none for another block: it does better without.
    constexpr std::uint32_t min_limited = 257;
    if (threads < min_limited && blocks == 1) {
      return;
    }
    annotate(frame, "maxntidx", number_of(b.getContext(), threads));
    annotate(frame, "minctasm", number_of(b.getContext(), blocks));
  }
  void finish(llvm::Module &, std::uint32_t) const override {}

  void wait_for_warp(llvm::IRBuilderBase &b, const KernelFrame &) const override {
    b.CreateIntrinsic(llvm::Intrinsic::nvvm_bar_warp_sync, {}, {b.getInt32(all_lanes)});
  }
  void wait_for_block(llvm::IRBuilderBase &b, const KernelFrame &) const override {
    b.CreateIntrinsic(llvm::Intrinsic::nvvm_barrier0, {}, {});
  }
  llvm::Value *shuffle_xor(llvm::IRBuilderBase &b, const KernelFrame &, llvm::Value *word,
                           std::uint32_t mask) const override {
    return b.CreateIntrinsic(llvm::Intrinsic::nvvm_shfl_sync_bfly_i32, {},
                             {b.getInt32(all_lanes), word, b.getInt32(mask), b.getInt32(warp_size - 1)});
  }
  llvm::Value *shared_memory(llvm::IRBuilderBase &b, const KernelFrame &frame) const override {
    constexpr const char *name = "shared_memory";
    llvm::Module &module = *frame.function->getParent();
    llvm::GlobalVariable *memory = module.getNamedGlobal(name);
    if (memory == nullptr) {
      memory = new llvm::GlobalVariable(module, llvm::ArrayType::get(b.getInt8Ty(), 0), false,
                                        llvm::GlobalValue::ExternalLinkage, nullptr, name, nullptr,
                                        llvm::GlobalValue::NotThreadLocal, shared_space);
      memory->setAlignment(llvm::Align(gpu::shared_alignment));
    }
    return b.CreateAddrSpaceCast(memory, b.getPtrTy());
  }

  std::vector<llvm::Value *> mma(llvm::IRBuilderBase &b, const KernelFrame &, emit::MatrixElement element,
                                 std::span<llvm::Value *const> rows, std::span<llvm::Value *const> columns,
                                 std::span<llvm::Value *const> sums) const override {
    std::vector<llvm::Value *> arguments(rows.begin(), rows.end());
    arguments.insert(arguments.end(), columns.begin(), columns.end());
    for (llvm::Value *&word : arguments) {
      if (element == emit::MatrixElement::F16) {
        word = b.CreateBitCast(word, llvm::FixedVectorType::get(b.getHalfTy(), 2));
      } else if (element == emit::MatrixElement::TF32) {
        word = b.CreateIntrinsic(llvm::Intrinsic::nvvm_f2tf32_rna, {}, {b.CreateBitCast(word, b.getFloatTy())});
      }
    }
    arguments.insert(arguments.end(), sums.begin(), sums.end());
    return parts_of(b, b.CreateIntrinsic(multiplication(element, *matrix_part(element)), {}, arguments));
  }

  // The sums belong to the unit until it is done. Nothing is computed with them in between, so the compiler of PTX
  // leaves them in their registers; otherwise it would make the unit wait.
  std::vector<llvm::Value *> wgmma(llvm::IRBuilderBase &b, const KernelFrame &, emit::MatrixElement element,
                                   const emit::WarpgroupSlice &rows, const emit::WarpgroupSlice &columns,
                                   std::span<llvm::Value *const> sums) const override {
    const auto descriptors = [&](const emit::WarpgroupSlice &slice) {
      llvm::Value *shared = b.CreateAddrSpaceCast(slice.memory, b.getPtrTy(shared_space));
      return slice_descriptors(b, b.CreatePtrToInt(shared, b.getInt64Ty()), slice.has_contracted_lines);
    };
    const SliceDescriptors of_rows = descriptors(rows), of_columns = descriptors(columns);
    const std::size_t count = sums.size();
    const bool sums_integers = is_integer(element);
    std::string list, inputs;
    for (std::size_t i = 0; i < count; ++i) {
      list += (i == 0 ? "{$" : ", $") + std::to_string(i);
    }
    const std::string turned =
        std::string(rows.has_contracted_lines ? ", 0" : ", 1") + (columns.has_contracted_lines ? ", 0" : ", 1");
    // Products are added to the sums (p), no factor is negated (1, 1), and `turned` says which factors are transposed.
    const std::string last = sums_integers ? ", p;\n" : ", p, 1, 1" + turned + ";\n";
    const std::string name = "wgmma.mma_async.sync.aligned.m64n" + std::to_string(count * 2) + warpgroup_types(element);
    std::string code = "{\n.reg .pred p;\nsetp.eq.u32 p, 0, 0;\nwgmma.fence.sync.aligned;\n";
    std::vector<llvm::Value *> arguments;
    for (std::size_t i = 0; i < gpu::steps_of_slice; ++i) {
      const std::size_t at = 2 * count + 2 * i;  // sums come twice, as results and as arguments
      code += name + " " + list + "}, $" + std::to_string(at) + ", $" + std::to_string(at + 1) + last;
      arguments.insert(arguments.end(), {of_rows[i], of_columns[i]});
      inputs += "l,l,";
    }
    return with_sums(b, code + "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 1;\n}", sums, inputs,
                     arguments);
  }
  std::vector<llvm::Value *> wgmma_wait(llvm::IRBuilderBase &b, const KernelFrame &,
                                        std::span<llvm::Value *const> sums) const override {
    return with_sums(b, "wgmma.wait_group.sync.aligned 0;", sums, "", {});
  }
  void proxy_fence(llvm::IRBuilderBase &b, const KernelFrame &) const override {
    assembly(b, "fence.proxy.async.shared::cta;", "~{memory}", {});
  }

  std::vector<llvm::Value *> ldmatrix(llvm::IRBuilderBase &b, const KernelFrame &, llvm::Value *line,
                                      bool transposed) const override {
    const llvm::Intrinsic::ID id = transposed ? llvm::Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x4_trans_b16
                                              : llvm::Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x4_b16;
    llvm::Value *shared = b.CreateAddrSpaceCast(line, b.getPtrTy(shared_space));
    return parts_of(b, b.CreateIntrinsic(id, {shared->getType()}, {shared}));
  }

  void init_mbarrier(llvm::IRBuilderBase &b, const KernelFrame &, llvm::Value *barrier) const override {
    assembly(b, "mbarrier.init.shared::cta.b64 [$0], 1;\nfence.proxy.async.shared::cta;", "r,~{memory}",
             {shared_address(b, barrier)});
  }
  void mbarrier_expect_bytes(llvm::IRBuilderBase &b, const KernelFrame &, llvm::Value *barrier,
                             std::uint32_t bytes) const override {
    assembly(b, "mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], $1;", "r,r,~{memory}",
             {shared_address(b, barrier), b.getInt32(bytes)});
  }
  void tma_load(llvm::IRBuilderBase &b, const KernelFrame &, llvm::Value *map,
                std::span<llvm::Value *const> coordinates, llvm::Value *to, llvm::Value *barrier) const override {
    std::string code = "cp.async.bulk.tensor." + std::to_string(coordinates.size()) +
                       "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [$0], [$1, {";
    std::string constraints = "r,l,r,";
    std::vector<llvm::Value *> arguments = {shared_address(b, to), b.CreatePtrToInt(map, b.getInt64Ty()),
                                            shared_address(b, barrier)};
    for (std::size_t i = 0; i < coordinates.size(); ++i) {
      code += (i == 0 ? "$" : ", $") + std::to_string(3 + i);
      constraints += "r,";
      arguments.push_back(coordinates[i]);
    }
    assembly(b, code + "}], [$2];", constraints + "~{memory}", arguments);
  }
  void mbarrier_wait(llvm::IRBuilderBase &b, const KernelFrame &, llvm::Value *barrier,
                     llvm::Value *is_odd) const override {
    assembly(b, "{\n.reg .pred p;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 p, [$0], $1;\n@!p bra again;\n}",
             "r,r,~{memory}", {shared_address(b, barrier), b.CreateZExt(is_odd, b.getInt32Ty())});
  }

  void cp_async(llvm::IRBuilderBase &b, const KernelFrame &, llvm::Value *to, llvm::Value *from,
                llvm::Value *is_there) const override {
    llvm::Value *shared = b.CreateAddrSpaceCast(to, b.getPtrTy(shared_space));
    llvm::Value *global = b.CreateAddrSpaceCast(from, b.getPtrTy(global_space));
    if (is_there == nullptr) {
      b.CreateIntrinsic(llvm::Intrinsic::nvvm_cp_async_cg_shared_global_16, {}, {shared, global});
    } else {
      llvm::Value *bytes =
          b.CreateSelect(is_there, b.getInt32(16), b.getInt32(0));  // the rest of the 16 bytes becomes zeros
      b.CreateIntrinsic(llvm::Intrinsic::nvvm_cp_async_cg_shared_global_16_s, {}, {shared, global, bytes});
    }
  }
  void cp_async_commit(llvm::IRBuilderBase &b, const KernelFrame &) const override {
    b.CreateIntrinsic(llvm::Intrinsic::nvvm_cp_async_commit_group, {}, {});
  }
  void cp_async_wait(llvm::IRBuilderBase &b, const KernelFrame &, std::uint32_t last) const override {
    b.CreateIntrinsic(llvm::Intrinsic::nvvm_cp_async_wait_group, {}, {b.getInt32(last)});
  }

 private:
  static llvm::Metadata *number_of(llvm::LLVMContext &context, std::uint32_t value) {
    return llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), value));
  }
  static void annotate(const KernelFrame &frame, const char *what, llvm::Metadata *value) {
    llvm::LLVMContext &context = frame.function->getContext();
    llvm::Metadata *row[] = {llvm::ValueAsMetadata::get(frame.function), llvm::MDString::get(context, what), value};
    frame.function->getParent()
        ->getOrInsertNamedMetadata("nvvm.annotations")
        ->addOperand(llvm::MDNode::get(context, row));
  }

  // Inline PTX. result: the type of its result, or null if there is none.
  static llvm::CallInst *assembly(llvm::IRBuilderBase &b, const std::string &code, const std::string &constraints,
                                  llvm::ArrayRef<llvm::Value *> arguments, llvm::Type *result = nullptr) {
    std::vector<llvm::Type *> types;
    for (const llvm::Value *argument : arguments) {
      types.push_back(argument->getType());
    }
    auto *type = llvm::FunctionType::get(result == nullptr ? b.getVoidTy() : result, types, false);
    llvm::CallInst *call = b.CreateCall(llvm::InlineAsm::get(type, code, constraints, true), arguments);
    call->setConvergent();
    return call;
  }
  // PTX for the warpgroup's unit: the first operands are the sums, once as results and once as arguments, in the same
  // registers; then come the inputs.
  static std::vector<llvm::Value *> with_sums(llvm::IRBuilderBase &b, const std::string &code,
                                              std::span<llvm::Value *const> sums, const std::string &inputs,
                                              std::span<llvm::Value *const> arguments) {
    std::string outputs, tied;
    for (std::size_t i = 0; i < sums.size(); ++i) {
      outputs += sums[i]->getType()->isFloatTy() ? "=f," : "=r,";
      tied += std::to_string(i) + ",";
    }
    std::vector<llvm::Value *> all(sums.begin(), sums.end());
    all.insert(all.end(), arguments.begin(), arguments.end());
    const std::vector<llvm::Type *> types(sums.size(), sums[0]->getType());
    return parts_of(
        b, assembly(b, code, outputs + tied + inputs + "~{memory}", all, llvm::StructType::get(b.getContext(), types)));
  }
  static llvm::Value *shared_address(llvm::IRBuilderBase &b, llvm::Value *pointer) {
    return b.CreatePtrToInt(b.CreateAddrSpaceCast(pointer, b.getPtrTy(shared_space)), b.getInt32Ty());
  }
  // Marks tensor maps as constants of the grid: the copy engine reads them where the launch has put them.
  static void keep_as_arguments(const KernelFrame &frame) {
    if (frame.maps.empty()) {
      return;
    }
    llvm::LLVMContext &context = frame.function->getContext();
    std::vector<llvm::Metadata *> numbers;  // of arguments, from 1 on
    for (llvm::Value *map : frame.maps) {
      const unsigned number = llvm::cast<llvm::Argument>(map)->getArgNo();
      auto *bytes = llvm::ArrayType::get(llvm::Type::getInt8Ty(context), sizeof(cuda::TensorMap));
      frame.function->addParamAttr(number, llvm::Attribute::getWithByValType(context, bytes));
      frame.function->addParamAttr(number, llvm::Attribute::getWithAlignment(context, llvm::Align(64)));
      numbers.push_back(number_of(context, number + 1));
    }
    annotate(frame, "grid_constant", llvm::MDNode::get(context, numbers));
  }
  static const char *warpgroup_types(emit::MatrixElement element) {
    switch (element) {
      case emit::MatrixElement::F16: return "k16.f32.f16.f16";
      case emit::MatrixElement::BF16: return "k16.f32.bf16.bf16";
      case emit::MatrixElement::S8: return "k32.s32.s8.s8";
      default: return "k32.s32.u8.u8";
    }
  }
  static llvm::Intrinsic::ID multiplication(emit::MatrixElement element, const gpu::MatrixPart &part) {
    const bool is_whole = part.contracted_bytes == emit::MatrixUnit::contracted_bytes;
    switch (element) {
      case emit::MatrixElement::F16:
        return is_whole ? llvm::Intrinsic::nvvm_mma_m16n8k16_row_col_f32_f32
                        : llvm::Intrinsic::nvvm_mma_m16n8k8_row_col_f32_f32;
      case emit::MatrixElement::BF16: return llvm::Intrinsic::nvvm_mma_m16n8k16_row_col_bf16;
      case emit::MatrixElement::TF32: return llvm::Intrinsic::nvvm_mma_m16n8k8_row_col_tf32;
      case emit::MatrixElement::S8:
        return is_whole ? llvm::Intrinsic::nvvm_mma_m16n8k32_row_col_s8 : llvm::Intrinsic::nvvm_mma_m8n8k16_row_col_s8;
      default:
        return is_whole ? llvm::Intrinsic::nvvm_mma_m16n8k32_row_col_u8 : llvm::Intrinsic::nvvm_mma_m8n8k16_row_col_u8;
    }
  }
  static std::vector<llvm::Value *> parts_of(llvm::IRBuilderBase &b, llvm::Value *all) {
    std::vector<llvm::Value *> parts;
    for (unsigned i = 0; i < all->getType()->getStructNumElements(); ++i) {
      parts.push_back(b.CreateExtractValue(all, i));
    }
    return parts;
  }
};

}  // namespace

std::unique_ptr<gpu::Threads> make_gpu_threads(const gpu::Target &target) {
  return std::make_unique<GpuThreads>(target);
}

}  // namespace bp::nvptx
