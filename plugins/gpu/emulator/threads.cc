// Emulated threads: each kernel is a function of the host. If its threads wait for others, it is a coroutine, which
// returns where they wait; LLVM's passes split it.
#include <llvm/IR/Module.h>

#include <cstddef>
#include <type_traits>

#include "plugins/gpu/emulator/accesses.h"
#include "plugins/gpu/emulator/emulator.h"
#include "plugins/gpu/emulator/thread.h"
#include "plugins/gpu/slice_layout.h"
#include "plugins/gpu/threads.h"

namespace bp::gpu {
namespace {

using llvm::Intrinsic::ID;

class EmulatedThreads final : public Threads {
 public:
  EmulatedThreads(const Target &target, bool finds_races) : Threads(target), finds_races_(finds_races) {}

  KernelFrame begin_kernel(llvm::Module &module, llvm::IRBuilderBase &b, std::uint32_t number, std::size_t arguments,
                           std::size_t maps, const emit::KernelCall *call, Cooperation cooperation) const override {
    KernelFrame frame;
    frame.function = llvm::Function::Create(llvm::FunctionType::get(b.getPtrTy(), {b.getPtrTy(), b.getPtrTy()}, false),
                                            llvm::GlobalValue::InternalLinkage, kernel_name(number), module);
    b.SetInsertPoint(llvm::BasicBlock::Create(module.getContext(), "entry", frame.function));
    if (cooperation == Cooperation::Block) {
      begin_coroutine(b, frame);
    }
    for (std::size_t i = 0; i < arguments + maps; ++i) {
      llvm::Value *at = b.CreateConstInBoundsGEP1_64(b.getPtrTy(), frame.function->getArg(0), i);
      llvm::LoadInst *pointer = b.CreateLoad(b.getPtrTy(), at);
      if (call != nullptr && i < call->arguments.size()) {
        llvm::Metadata *alignment = llvm::ConstantAsMetadata::get(b.getInt64(call->arguments[i].alignment));
        pointer->setMetadata(llvm::LLVMContext::MD_align, llvm::MDNode::get(module.getContext(), alignment));
      }
      (i < arguments ? frame.pointers : frame.maps).push_back(pointer);
    }
    const auto read = [&](std::size_t offset) {
      return b.CreateZExt(b.CreateLoad(b.getInt32Ty(), member(b, state(frame), offset)), b.getInt64Ty());
    };
    frame.thread = read(offsetof(EmulatedThread, thread));
    frame.block = read(offsetof(EmulatedThread, block));
    frame.threads = read(offsetof(EmulatedThread, threads));
    return frame;
  }

  void end_thread(llvm::IRBuilderBase &b, const KernelFrame &frame) const override {
    if (frame.ended == nullptr) {
      b.CreateRet(llvm::ConstantPointerNull::get(b.getPtrTy()));
      return;
    }
    set_wait(b, frame, EmulatedWait::None);
    b.CreateBr(frame.ended);
  }
  void end_kernel(llvm::IRBuilderBase &b, const KernelFrame &frame, std::uint32_t, std::uint32_t) const override {
    end_thread(b, frame);
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
    if (finds_races_) {
      report_accesses(module, kernels);
    }
  }

  void wait_for_warp(llvm::IRBuilderBase &b, const KernelFrame &frame) const override {
    wait(b, frame, EmulatedWait::Warp);
  }
  void wait_for_block(llvm::IRBuilderBase &b, const KernelFrame &frame) const override {
    wait(b, frame, EmulatedWait::Block);
  }

  llvm::Value *shuffle_xor(llvm::IRBuilderBase &b, const KernelFrame &frame, llvm::Value *word,
                           std::uint32_t mask) const override {
    llvm::Value *turn = show(b, frame, {&word, 1});
    llvm::Value *away = b.CreateSub(b.CreateXor(frame.thread, mask), frame.thread);
    llvm::Value *bytes = b.CreateMul(away, b.getInt64(sizeof(EmulatedThread)));
    return b.CreateLoad(b.getInt32Ty(), words_of(b, b.CreateInBoundsGEP(b.getInt8Ty(), state(frame), bytes), turn));
  }

  std::vector<llvm::Value *> mma(llvm::IRBuilderBase &b, const KernelFrame &frame, emit::MatrixElement element,
                                 std::span<llvm::Value *const> rows, std::span<llvm::Value *const> columns,
                                 std::span<llvm::Value *const> sums) const override {
    std::vector<llvm::Value *> words(rows.begin(), rows.end());
    words.insert(words.end(), columns.begin(), columns.end());
    llvm::Value *turn = show(b, frame, words), *memory = in_memory(b, frame, sums);
    const MatrixPart part = *matrix_part(element);
    call(b, frame, offsetof(EmulatedThread, mma),
         {turn, b.getInt32(static_cast<std::uint32_t>(element)), b.getInt32(part.rows),
          b.getInt32(part.contracted_bytes), memory});
    return read_all(b, sums[0]->getType(), memory, sums.size());
  }

  std::vector<llvm::Value *> wgmma(llvm::IRBuilderBase &b, const KernelFrame &frame, emit::MatrixElement element,
                                   const emit::WarpgroupSlice &rows, const emit::WarpgroupSlice &columns,
                                   std::span<llvm::Value *const> sums) const override {
    llvm::Value *memory = in_memory(b, frame, sums);
    call(b, frame, offsetof(EmulatedThread, wgmma_wait), {memory});
    llvm::Value *product = local_memory(frame, b.getInt8Ty(), sizeof(EmulatedProduct));
    const auto set = [&](std::size_t offset, llvm::Value *value) {
      b.CreateStore(value, b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), product, offset));
    };
    const auto start_of = [&](const emit::WarpgroupSlice &slice) {
      return b.CreatePtrDiff(b.getInt8Ty(), slice.memory, shared_memory(b, frame));
    };
    llvm::Value *rows_start = start_of(rows), *columns_start = start_of(columns);
    const auto set_slice = [&](std::size_t offset, const emit::WarpgroupSlice &slice, llvm::Value *start,
                               std::size_t step) {
      const SliceLayout layout = slice_layout(step, slice.has_contracted_lines);
      set(offset + offsetof(EmulatedSlice, start), b.CreateAdd(start, b.getInt64(layout.start)));
      set(offset + offsetof(EmulatedSlice, leading), b.getInt64(layout.leading));
      set(offset + offsetof(EmulatedSlice, stride), b.getInt64(layout.stride));
      set(offset + offsetof(EmulatedSlice, has_contracted_lines), b.getInt64(slice.has_contracted_lines));
    };
    set(offsetof(EmulatedProduct, element), b.getInt32(static_cast<std::uint32_t>(element)));
    set(offsetof(EmulatedProduct, sums), b.getInt32(static_cast<std::uint32_t>(sums.size())));
    for (std::size_t step = 0; step < steps_of_slice; ++step) {
      set_slice(offsetof(EmulatedProduct, rows), rows, rows_start, step);
      set_slice(offsetof(EmulatedProduct, columns), columns, columns_start, step);
      call(b, frame, offsetof(EmulatedThread, wgmma), {product, memory});
    }
    return read_all(b, sums[0]->getType(), memory, sums.size());
  }
  std::vector<llvm::Value *> wgmma_wait(llvm::IRBuilderBase &b, const KernelFrame &frame,
                                        std::span<llvm::Value *const> sums) const override {
    llvm::Value *memory = in_memory(b, frame, sums);
    call(b, frame, offsetof(EmulatedThread, wgmma_wait), {memory});
    return read_all(b, sums[0]->getType(), memory, sums.size());
  }
  void proxy_fence(llvm::IRBuilderBase &b, const KernelFrame &frame) const override {
    call(b, frame, offsetof(EmulatedThread, proxy_fence), {});
  }

  std::vector<llvm::Value *> ldmatrix(llvm::IRBuilderBase &b, const KernelFrame &frame, llvm::Value *line,
                                      bool transposed) const override {
    constexpr std::size_t matrices = 4;
    llvm::Value *address = b.CreatePtrToInt(line, b.getInt64Ty());
    llvm::Value *words[] = {b.CreateTrunc(address, b.getInt32Ty()),
                            b.CreateTrunc(b.CreateLShr(address, 32), b.getInt32Ty())};
    llvm::Value *turn = show(b, frame, words), *memory = local_memory(frame, b.getInt32Ty(), matrices);
    call(b, frame, offsetof(EmulatedThread, ldmatrix), {turn, b.getInt32(transposed), memory});
    return read_all(b, b.getInt32Ty(), memory, matrices);
  }

  void init_mbarrier(llvm::IRBuilderBase &b, const KernelFrame &frame, llvm::Value *barrier) const override {
    call(b, frame, offsetof(EmulatedThread, init_mbarrier), {barrier});
  }
  void mbarrier_expect_bytes(llvm::IRBuilderBase &b, const KernelFrame &frame, llvm::Value *barrier,
                             std::uint32_t bytes) const override {
    call(b, frame, offsetof(EmulatedThread, mbarrier_expect_bytes), {barrier, b.getInt32(bytes)});
  }
  void tma_load(llvm::IRBuilderBase &b, const KernelFrame &frame, llvm::Value *map,
                std::span<llvm::Value *const> coordinates, llvm::Value *to, llvm::Value *barrier) const override {
    llvm::Value *all = in_memory(b, frame, coordinates);
    call(b, frame, offsetof(EmulatedThread, tma_load), {map, all, to, barrier});
  }
  void mbarrier_wait(llvm::IRBuilderBase &b, const KernelFrame &frame, llvm::Value *barrier,
                     llvm::Value *is_odd) const override {
    call(b, frame, offsetof(EmulatedThread, mbarrier_wait), {barrier, b.CreateZExt(is_odd, b.getInt32Ty())});
  }

  void cp_async(llvm::IRBuilderBase &b, const KernelFrame &frame, llvm::Value *to, llvm::Value *from,
                llvm::Value *is_there) const override {
    llvm::Value *is_read = is_there == nullptr ? b.getTrue() : is_there;
    call(b, frame, offsetof(EmulatedThread, cp_async), {to, from, b.CreateZExt(is_read, b.getInt32Ty())});
  }
  void cp_async_commit(llvm::IRBuilderBase &b, const KernelFrame &frame) const override {
    call(b, frame, offsetof(EmulatedThread, cp_async_commit), {});
  }
  void cp_async_wait(llvm::IRBuilderBase &b, const KernelFrame &frame, std::uint32_t last) const override {
    call(b, frame, offsetof(EmulatedThread, cp_async_wait), {b.getInt32(last)});
  }

  void note_work(llvm::IRBuilderBase &b, const KernelFrame &frame, llvm::Value *has_work) const override {
    b.CreateStore(b.CreateZExt(has_work, b.getInt32Ty()), member(b, state(frame), offsetof(EmulatedThread, has_work)));
  }
  llvm::Value *shared_memory(llvm::IRBuilderBase &b, const KernelFrame &frame) const override {
    return b.CreateLoad(b.getPtrTy(), member(b, state(frame), offsetof(EmulatedThread, shared)));
  }

 private:
  static llvm::Value *state(const KernelFrame &frame) { return frame.function->getArg(1); }
  static llvm::Value *member(llvm::IRBuilderBase &b, llvm::Value *thread, std::size_t offset) {
    return b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), thread, offset);
  }
  // Calls a function of the emulator with the thread and these arguments.
  static void call(llvm::IRBuilderBase &b, const KernelFrame &frame, std::size_t function,
                   std::initializer_list<llvm::Value *> arguments) {
    std::vector<llvm::Value *> all = {state(frame)};
    all.insert(all.end(), arguments);
    std::vector<llvm::Type *> types;
    for (const llvm::Value *argument : all) {
      types.push_back(argument->getType());
    }
    b.CreateCall(llvm::FunctionType::get(b.getVoidTy(), types, false),
                 b.CreateLoad(b.getPtrTy(), member(b, state(frame), function)), all);
  }
  static llvm::Value *local_memory(const KernelFrame &frame, llvm::Type *type, std::size_t count) {
    llvm::BasicBlock &entry = frame.function->getEntryBlock();
    llvm::IRBuilder<> start(&entry, entry.begin());
    llvm::AllocaInst *memory = start.CreateAlloca(type, start.getInt32(static_cast<std::uint32_t>(count)));
    memory->setAlignment(llvm::Align(8));  // bytes may be a struct, too
    return memory;
  }
  static llvm::Value *in_memory(llvm::IRBuilderBase &b, const KernelFrame &frame,
                                std::span<llvm::Value *const> values) {
    llvm::Type *type = values[0]->getType();
    llvm::Value *memory = local_memory(frame, type, values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      b.CreateStore(values[i], b.CreateConstInBoundsGEP1_64(type, memory, i));
    }
    return memory;
  }
  static std::vector<llvm::Value *> read_all(llvm::IRBuilderBase &b, llvm::Type *type, llvm::Value *memory,
                                             std::size_t count) {
    std::vector<llvm::Value *> values;
    for (std::size_t i = 0; i < count; ++i) {
      values.push_back(b.CreateLoad(type, b.CreateConstInBoundsGEP1_64(type, memory, i)));
    }
    return values;
  }
  static llvm::Value *words_of(llvm::IRBuilderBase &b, llvm::Value *thread, llvm::Value *turn) {
    auto *words = llvm::ArrayType::get(b.getInt32Ty(), std::extent_v<decltype(EmulatedThread::words), 1>);
    return b.CreateInBoundsGEP(words, member(b, thread, offsetof(EmulatedThread, words)), turn);
  }
  // Shows words to the other threads of the warp, and waits until they have done so, too. Returns the turn.
  static llvm::Value *show(llvm::IRBuilderBase &b, const KernelFrame &frame, std::span<llvm::Value *const> words) {
    llvm::Value *turn_at = member(b, state(frame), offsetof(EmulatedThread, turn));
    llvm::Value *turn = b.CreateLoad(b.getInt32Ty(), turn_at);
    b.CreateStore(b.CreateXor(turn, 1), turn_at);
    llvm::Value *to = words_of(b, state(frame), turn);
    for (std::size_t i = 0; i < words.size(); ++i) {
      b.CreateStore(words[i], b.CreateConstInBoundsGEP1_64(b.getInt32Ty(), to, i));
    }
    wait(b, frame, EmulatedWait::Warp);
    return turn;
  }
  static void set_wait(llvm::IRBuilderBase &b, const KernelFrame &frame, EmulatedWait what) {
    b.CreateStore(b.getInt32(static_cast<std::uint32_t>(what)),
                  member(b, state(frame), offsetof(EmulatedThread, waits_for)));
  }

  static void begin_coroutine(llvm::IRBuilderBase &b, KernelFrame &frame) {
    llvm::LLVMContext &context = b.getContext();
    frame.function->setPresplitCoroutine();
    frame.suspended = llvm::BasicBlock::Create(context, "suspended", frame.function);
    frame.ended = llvm::BasicBlock::Create(context, "ended", frame.function);
    llvm::Constant *null = llvm::ConstantPointerNull::get(b.getPtrTy());
    llvm::Value *id = b.CreateIntrinsic(ID(llvm::Intrinsic::coro_id), {}, {b.getInt32(64), null, null, null});
    llvm::Value *size = b.CreateIntrinsic(ID(llvm::Intrinsic::coro_size), {b.getInt64Ty()}, {});
    llvm::Value *allocate =
        b.CreateLoad(b.getPtrTy(), member(b, state(frame), offsetof(EmulatedThread, allocate)), "allocate");
    llvm::Value *memory = b.CreateCall(llvm::FunctionType::get(b.getPtrTy(), {b.getPtrTy(), b.getInt64Ty()}, false),
                                       allocate, {state(frame), size});
    llvm::BasicBlock *begin = llvm::BasicBlock::Create(context, "begin", frame.function);
    llvm::BasicBlock *no_memory = llvm::BasicBlock::Create(context, "no_memory", frame.function);
    b.CreateCondBr(b.CreateIsNull(memory), no_memory, begin);
    b.SetInsertPoint(no_memory);
    b.CreateRet(null);
    b.SetInsertPoint(begin);
    llvm::Value *handle = b.CreateIntrinsic(ID(llvm::Intrinsic::coro_begin), {}, {id, memory});
    llvm::IRBuilderBase::InsertPointGuard guard(b);
    b.SetInsertPoint(frame.ended);
    b.CreateIntrinsic(ID(llvm::Intrinsic::coro_free), {}, {id, handle});
    b.CreateBr(frame.suspended);
    b.SetInsertPoint(frame.suspended);
    b.CreateIntrinsic(ID(llvm::Intrinsic::coro_end), {}, {handle, b.getFalse(), llvm::ConstantTokenNone::get(context)});
    b.CreateRet(handle);
  }

  static void wait(llvm::IRBuilderBase &b, const KernelFrame &frame, EmulatedWait what) {
    set_wait(b, frame, what);
    llvm::Value *outcome = b.CreateIntrinsic(ID(llvm::Intrinsic::coro_suspend), {},
                                             {llvm::ConstantTokenNone::get(b.getContext()), b.getFalse()});
    llvm::BasicBlock *resumed = llvm::BasicBlock::Create(b.getContext(), "resumed", frame.function);
    llvm::SwitchInst *choice = b.CreateSwitch(outcome, frame.suspended, 2);
    choice->addCase(b.getInt8(0), resumed);
    choice->addCase(b.getInt8(1), frame.ended);
    b.SetInsertPoint(resumed);
  }

  const bool finds_races_;
};

}  // namespace

std::unique_ptr<Threads> make_emulated_threads(const Target &target, bool finds_races) {
  return std::make_unique<EmulatedThreads>(target, finds_races);
}

}  // namespace bp::gpu
