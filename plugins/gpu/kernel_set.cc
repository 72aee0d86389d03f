#include "plugins/gpu/kernel_set.h"

#include <algorithm>
#include <bit>

#include "plugins/llvm/contraction/gpu/shape.h"
#include "plugins/llvm/generator/loops.h"
#include "plugins/llvm/kernel/crossing.h"
#include "plugins/llvm/kernel/kernel.h"
#include "plugins/llvm/kernel/scan.h"
#include "plugins/llvm/kernel/topk.h"

namespace bp::gpu {

using emit::InstructionView;

namespace {

constexpr std::uint32_t threads_per_block = 256;
constexpr std::int64_t enough_lines = 1024;

llvm::Value *thread_of_grid(llvm::IRBuilderBase &b, const KernelFrame &frame) {
  return b.CreateAdd(b.CreateMul(frame.block, frame.threads, "", true, true), frame.thread, "", true, true);
}

}  // namespace

std::optional<TeamSort> sort_for_team(InstructionView i, const Target &target) {
  const emit::SortTiles tiles = emit::sort_tiles(i, threads_per_block, target.usual_shared_bytes);
  const TeamSize size = block_of_teams(tiles.members, tiles.items(), tiles.bytes_of_team, target);
  return shared_bytes_of(size, tiles.bytes_of_team) <= target.usual_shared_bytes ? std::optional(TeamSort{tiles, size})
                                                                                 : std::nullopt;
}

std::pair<Kernel &, bool> KernelSet::find(const std::string &signature, bool is_guarded) {
  const auto [found, is_new] = kernels_.try_emplace(signature + (is_guarded ? "guarded" : ""));
  if (is_new) {
    found->second.number = count() - 1;
    found->second.is_guarded = is_guarded;
  }
  return {found->second, is_new};
}

KernelFrame KernelSet::begin(llvm::IRBuilderBase &b, const Kernel &kernel, std::size_t arguments, std::size_t maps,
                             const emit::KernelCall *call, Cooperation cooperation) const {
  KernelFrame frame =
      threads_.begin_kernel(code_, b, kernel.number, arguments + (kernel.is_guarded ? 1 : 0), maps, call, cooperation);
  if (kernel.is_guarded) {
    const auto block = [&](const char *name) {
      return llvm::BasicBlock::Create(code_.getContext(), name, frame.function);
    };
    llvm::BasicBlock *wanted = block("wanted"), *unwanted = block("unwanted");
    b.CreateCondBr(b.CreateIsNotNull(b.CreateLoad(b.getInt8Ty(), frame.pointers.back())), wanted, unwanted);
    frame.pointers.pop_back();
    b.SetInsertPoint(unwanted);
    threads_.end_thread(b, frame);
    b.SetInsertPoint(wanted);
  }
  return frame;
}

const Kernel &KernelSet::of_call(InstructionView i, const emit::KernelCall &call, bool is_guarded) {
  const auto [kernel, is_new] = find(call.signature, is_guarded);
  if (!is_new) {
    return kernel;
  }
  const RegisterNeed need = target_.registers->of(i);
  if (const auto rows = emit::rows_for_team(i)) {
    const std::int64_t count = rows->count(i.module());
    const TeamSize size = team_size(count, rows->length(i.module()), need.max_threads, target_);
    emit_for_teams(i, call, size, count, blocks_at_once(size, need), kernel);
  } else if (const auto scan = emit::find_scan(i)) {
    // If there are many lines across memory, neighbouring threads take one line each.
    const bool is_line_per_thread = !scan->is_along_memory && scan->lines >= enough_lines;
    const TeamSize size = is_line_per_thread ? block_of_teams(1, scan->lines, 0, target_)
                                             : team_size(scan->lines, scan->length, need.max_threads, target_);
    emit_for_teams(i, call, size, scan->lines, blocks_at_once(size, need), kernel);
  } else if (const auto topk = emit::topk_for_team(i)) {
    const std::int64_t threads = team_size(topk->lines, topk->length, need.max_threads, target_).threads;
    const TeamSize size = block_of_teams(threads, topk->lines, topk->bytes_of_team, target_);
    emit_for_teams(i, call, size, topk->lines, blocks_at_once(size, need), kernel);
  } else if (const auto work = emit::contraction_for_team(code_.getContext(), i, target_.threads)) {
    const RegisterNeed of_sums = target_.registers->of_sums(work->sum_bits);
    const std::int64_t max_threads = std::min(need.max_threads, of_sums.max_threads);
    const TeamSize size = work->length == 0 ? TeamSize{emit::tile_members, 1}
                                            : team_size(work->items, work->length, max_threads, target_);
    const std::size_t maps = work->is_for_warpgroups && target_.has_copy_engine ? 2 : 0;  // of lhs and rhs
    const std::uint32_t blocks = work->length != 0 ? blocks_at_once(size, of_sums) : work->leaves_registers ? 2 : 1;
    emit_for_teams(i, call, size, std::max<std::int64_t>(work->items, 1), blocks, kernel, maps);
  } else if (emit::find_crossing(i)) {
    emit_for_teams(i, call, {threads_per_block, 1}, 1, 1, kernel);
  } else if (!emit_for_columns(i, call, need, kernel)) {
    emit_for_threads(i, call, kernel);
  }
  return kernel;
}

const Kernel &KernelSet::of_sort(InstructionView i, const emit::KernelCall &call, const TeamSort &sort, bool merges,
                                 bool is_guarded) {
  const auto [kernel, is_new] = find(call.signature + (merges ? "merge" : "sort"), is_guarded);
  if (!is_new) {
    return kernel;
  }
  const auto &[tiles, size] = sort;
  llvm::IRBuilder<> b(code_.getContext());
  const std::size_t count = i.operand_count();
  const KernelFrame frame = begin(b, kernel, 2 * count + (merges ? 2 : 0), 0, nullptr, Cooperation::Block);
  emit::KernelBuilder builder(b.GetInsertBlock());
  BlockTeam team(builder.b, threads_, frame, size, tiles.items());
  const auto middle = frame.pointers.begin() + static_cast<std::ptrdiff_t>(count);
  emit::KernelSite site{.instruction = i,
                        .operands = {frame.pointers.begin(), middle},
                        .results = {middle, middle + static_cast<std::ptrdiff_t>(count)},
                        .in_place = {},
                        .scratch = nullptr,
                        .begin = team.item(),
                        .end = nullptr};
  llvm::Value *width = nullptr;
  if (merges) {
    const auto address = [&](std::size_t at) {
      return builder.b.CreatePtrToInt(frame.pointers[at], builder.b.getInt64Ty());
    };
    width = builder.b.CreateSub(address(2 * count + 1), address(2 * count));
  }
  emit::emit_sort_tile(builder, site, target_.threads, tiles, team, width);
  kernel.blocks = (tiles.items() + size.per_block - 1) / size.per_block;
  kernel.threads = static_cast<std::uint32_t>(size.threads * size.per_block);
  kernel.shared_bytes = shared_bytes_of(size, tiles.bytes_of_team);
  threads_.end_kernel(builder.b, frame, kernel.threads, 1);
  return kernel;
}

// The kernel gives the state before the update: XLA:CPU's first state, plus `delta` for each time that the instruction
// has run since the program was loaded. Runs at the same time get different states.
const Kernel &KernelSet::of_random_state(InstructionView i, bool is_guarded) {
  constexpr std::uint64_t first_state = 0x7012395;
  const auto [kernel, is_new] = find("state " + std::to_string(i.id()), is_guarded);
  if (!is_new) {
    return kernel;
  }
  llvm::IRBuilder<> b(code_.getContext());
  const KernelFrame frame = begin(b, kernel, 1, 0, nullptr, Cooperation::None);
  llvm::Type *word = b.getInt64Ty(), *state = b.getInt128Ty();
  const std::string name = "runs_" + std::to_string(i.id());
  llvm::GlobalVariable *runs = code_.getNamedGlobal(name);
  if (runs == nullptr) {
    runs = new llvm::GlobalVariable(code_, word, false, llvm::GlobalValue::InternalLinkage, b.getInt64(0), name);
  }
  llvm::Value *before = b.CreateAtomicRMW(llvm::AtomicRMWInst::Add, runs, b.getInt64(1), llvm::MaybeAlign(8),
                                          llvm::AtomicOrdering::Monotonic);
  llvm::Value *delta = llvm::ConstantInt::getSigned(state, i.number(BP_ATTR_DELTA));
  llvm::Value *sum =
      b.CreateAdd(b.CreateMul(b.CreateZExt(before, state), delta), llvm::ConstantInt::get(state, first_state));
  b.CreateAlignedStore(b.CreateTrunc(sum, word), frame.pointers[0], llvm::Align(8));
  b.CreateAlignedStore(b.CreateTrunc(b.CreateLShr(sum, 64), word),
                       b.CreateConstInBoundsGEP1_64(word, frame.pointers[0], 1), llvm::Align(8));
  threads_.end_kernel(b, frame, kernel.threads, 1);
  return kernel;
}

// Each thread moves one word, which is as long as possible.
Kernel KernelSet::of_move(std::uint64_t bytes, std::uint64_t alignment) {
  constexpr std::uint64_t longest_word = 16;
  const std::uint64_t of_word = std::min(std::uint64_t{1} << std::countr_zero(bytes | alignment), longest_word);
  const auto [kernel, is_new] = find("move " + std::to_string(of_word), true);
  if (is_new) {
    llvm::IRBuilder<> b(code_.getContext());
    const KernelFrame frame = begin(b, kernel, 3, 0, nullptr, Cooperation::None);
    const auto in_word = [&](llvm::Value *pointer) {
      return b.CreateInBoundsGEP(b.getInt8Ty(), pointer, b.CreateMul(thread_of_grid(b, frame), b.getInt64(of_word)));
    };
    llvm::Value *to = in_word(frame.pointers[0]), *from = in_word(frame.pointers[1]);
    emit::emit_when(b, b.CreateICmpULE(to, frame.pointers[2]), [&] {
      auto *word = llvm::FixedVectorType::get(b.getInt8Ty(), static_cast<unsigned>(of_word));
      b.CreateAlignedStore(b.CreateAlignedLoad(word, from, llvm::Align(of_word)), to, llvm::Align(of_word));
    });
    threads_.end_kernel(b, frame, threads_per_block, 1);
  }
  Kernel move = kernel;
  const std::uint64_t words = bytes / of_word;
  move.blocks = static_cast<std::int64_t>((words + threads_per_block - 1) / threads_per_block);
  move.threads = static_cast<std::uint32_t>(std::min<std::uint64_t>(words, threads_per_block));
  return move;
}

// There is a thread for each branch.
Kernel KernelSet::of_choice(std::uint32_t branches, bool is_pred, bool has_guard) {
  const auto [kernel, is_new] =
      find(std::string("choice ") + (is_pred ? "pred" : "s32") + (has_guard ? " of what is guarded" : ""), false);
  if (is_new) {
    llvm::IRBuilder<> b(code_.getContext());
    const KernelFrame frame = begin(b, kernel, has_guard ? 3 : 2, 0, nullptr, Cooperation::None);
    llvm::Type *type = is_pred ? b.getInt8Ty() : b.getInt32Ty();
    llvm::Value *selector = b.CreateZExt(b.CreateLoad(type, frame.pointers[0]), b.getInt64Ty());
    llvm::Value *last = b.CreateSub(frame.threads, b.getInt64(1));
    llvm::Value *branch = is_pred ? b.CreateZExt(b.CreateIsNull(selector), b.getInt64Ty())  // branch 0 is for true
                                  : b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, selector, last);
    llvm::Value *is_chosen = b.CreateZExt(b.CreateICmpEQ(branch, frame.thread), b.getInt8Ty());
    if (has_guard) {
      is_chosen = b.CreateAnd(is_chosen, b.CreateLoad(b.getInt8Ty(), frame.pointers[2]));
    }
    b.CreateStore(is_chosen, b.CreateInBoundsGEP(b.getInt8Ty(), frame.pointers[1], frame.thread));
    threads_.end_kernel(b, frame, max_choices, 1);
  }
  Kernel choice = kernel;
  choice.threads = branches;
  return choice;
}

// There is a thread for each item of work.
void KernelSet::emit_for_threads(InstructionView i, const emit::KernelCall &call, Kernel &kernel) {
  llvm::IRBuilder<> b(code_.getContext());
  const KernelFrame frame = begin(b, kernel, call.arguments.size() + 1, 0, &call, Cooperation::None);
  emit::KernelBuilder builder(b.GetInsertBlock());
  emit::KernelSite site = emit::kernel_site(i, call, frame.pointers);
  site.scratch = frame.pointers.back();
  site.begin = thread_of_grid(builder.b, frame);
  site.end = builder.b.CreateAdd(site.begin, builder.b.getInt64(1));
  const emit::KernelWork work = emit_kernel(builder, site, target_.threads);
  kernel.scratch_bytes = static_cast<std::uint64_t>(work.scratch_bytes + 63) / 64 * 64;
  kernel.blocks = (work.items + threads_per_block - 1) / threads_per_block;
  kernel.threads = static_cast<std::uint32_t>(std::min<std::int64_t>(work.items, threads_per_block));
  threads_.end_kernel(builder.b, frame, kernel.threads, 1);
}

// Returns the minimum occupancy, in blocks per multiprocessor, for which the registers of a thread are limited: as many
// blocks as there are threads for, fewer if the code needs more registers. 1: one block may take all registers. Blocks
// of up to 256 threads need no limit, because several of them fit in any case.
std::uint32_t KernelSet::blocks_at_once(const TeamSize &size, const RegisterNeed &need) const {
  const std::int64_t threads = size.threads * size.per_block;
  const std::int64_t at_once = need.lowers_occupancy ? max_threads_per_block : target_.threads.gpu.threads;
  const bool is_unlimited = threads <= threads_per_block || need.fills_multiprocessor;
  return is_unlimited ? 1 : static_cast<std::uint32_t>(std::max<std::int64_t>(at_once / threads, 1));
}

bool KernelSet::emit_for_columns(InstructionView i, const emit::KernelCall &call, const RegisterNeed &need,
                                 Kernel &kernel) {
  const auto columns = emit::columns_for_team(i);
  if (!columns) {
    return false;
  }
  const emit::ColumnWork work = emit::column_work(code_.getContext(), i, *columns, target_.threads);
  const RegisterNeed with_sums = target_.registers->with_sums(need, work.sum_bits);
  const TeamSize size = team_size(work, with_sums.max_threads, target_);
  if (size.threads == 1) {
    return false;
  }
  emit_for_teams(i, call, size, work.items, blocks_at_once(size, with_sums), kernel);
  return true;
}

// There is a team of threads for each item of work. items: the number of items, if teams share blocks. maps: the number
// of tensor maps, of which the kernel may use fewer.
void KernelSet::emit_for_teams(InstructionView i, const emit::KernelCall &call, const TeamSize &size,
                               std::int64_t items, std::uint32_t blocks, Kernel &kernel, std::size_t maps) {
  llvm::IRBuilder<> b(code_.getContext());
  const KernelFrame frame = begin(b, kernel, call.arguments.size() + 1, maps, &call, Cooperation::Block);
  emit::KernelBuilder builder(b.GetInsertBlock());
  BlockTeam team(builder.b, threads_, frame, size, items);
  emit::KernelSite site = emit::kernel_site(i, call, frame.pointers);
  site.begin = team.item();
  const emit::KernelWork work = emit_kernel(builder, site, target_.threads, &team);
  kernel.blocks = (work.items + size.per_block - 1) / size.per_block;
  kernel.threads = static_cast<std::uint32_t>(size.threads * size.per_block);
  kernel.shared_bytes = shared_bytes_of(size, work.scratch_bytes);
  for (const emit::TensorView &view : team.views()) {
    const auto argument = std::ranges::find(frame.pointers, view.pointer);
    kernel.maps.push_back(tensor_map(view, static_cast<std::uint32_t>(argument - frame.pointers.begin())));
  }
  kernel.maps.resize(maps);
  threads_.end_kernel(builder.b, frame, kernel.threads, blocks);
}

}  // namespace bp::gpu
