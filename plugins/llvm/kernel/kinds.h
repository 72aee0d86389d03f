// The kinds of kernels among which emit_kernel() chooses. Scans and topk have headers of their own.
#pragma once

#include <cstdint>

#include "plugins/llvm/generator/generator.h"
#include "plugins/llvm/generator/kernel_site.h"
#include "plugins/llvm/generator/team.h"
#include "plugins/llvm/kernel/crossing.h"
#include "plugins/llvm/kernel/row_fusion.h"
#include "plugins/llvm/vector_target.h"

namespace bp::emit {

// The functions have the same contract as emit_kernel(), and the operands are bound in `generator`. Those that return
// one number return the number of items.
std::int64_t emit_scatter(Generator &generator, KernelBuilder &builder, const KernelSite &site,
                          const VectorTarget &target);
std::int64_t emit_select_and_scatter(Generator &generator, KernelBuilder &builder, const KernelSite &site,
                                     const VectorTarget &target);
KernelWork emit_sort(Generator &generator, KernelBuilder &builder, const KernelSite &site, const VectorTarget &target);
// Bytes of memory that all calls for one transform share.
std::int64_t fft_common_bytes(InstructionView fft, const VectorTarget &target);
KernelWork emit_fft(KernelBuilder &builder, const KernelSite &site, const VectorTarget &target);
KernelWork emit_rows(Generator &generator, KernelBuilder &builder, const KernelSite &site, const VectorTarget &target,
                     const RowFusion &rows, Team *team = nullptr);
// Some of the rows in a larger kernel, counted as they lie in memory. The values that they are computed from are bound,
// and the site's results lie with these strides, by dimension.
struct RowRange {
  llvm::Value *begin, *end;  // i64
  std::vector<std::int64_t> strides;
};
// Returns the bytes of scratch.
std::int64_t emit_row_range(Generator &generator, KernelBuilder &builder, const KernelSite &site,
                            const VectorTarget &target, const RowFusion &rows, const RowRange &range);
KernelWork emit_crossing(Generator &generator, KernelBuilder &builder, const KernelSite &site, const Crossing &crossing,
                         Team &team);
// large: coordinates need 64 bits.
KernelWork emit_contraction(KernelBuilder &builder, const KernelSite &site, const VectorTarget &target, bool large,
                            Team *team);

}  // namespace bp::emit
