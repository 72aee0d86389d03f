// The common form of dot and convolution: out[i, j] = sum over k of lhs[i, k] * rhs[k, j], where i, j and k are groups
// of axes and every operand is addressed by one stride per axis. A convolution adds windows: coordinates of lhs that
// axes move (an output position and a filter tap move the same input coordinate) and that may fall into the padding.
// All sizes and strides are known when the code is generated.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plugins/llvm/contraction/gpu/gpu_facts.h"

namespace bp::emit {

class Team;

// What the code may assume of the machine. Vectors are of `vector_bits` bits (128, 256 or 512).
struct VectorTarget {
  unsigned vector_bits = 512;
  unsigned vector_registers = 32;
  bool has_fma = true;
  bool is_threaded = false;  // a GPU: items are as small as can be, and each call does one
  GpuFacts gpu = {};         // then
};

// One axis of a contraction. Strides are in elements, may be zero or negative; those of operands that do not have the
// axis are zero.
struct Axis {
  int64_t size = 1;
  int64_t lhs = 0;
  int64_t rhs = 0;
  int64_t out = 0;
  int window = -1;   // index into Contraction::windows of the coordinate this axis moves, or -1
  int64_t step = 0;  // by how much
};

// A coordinate of lhs: origin + the sum of index * step over the axes that name it. Elements whose coordinate is not
// in [0, size) are zero and are not read. (The axes' lhs strides and lhs_offset already contain the coordinate.)
struct Window {
  static constexpr int64_t unbounded = INT64_MAX;
  int64_t origin = 0;
  int64_t size = 1;
};

// Element types: float, double, bfloat, half or iN. Inputs are converted to `accumulate` when they are read (integers
// by sign or zero extension) and the sum to `out` when it is stored.
struct ContractionTypes {
  llvm::Type *lhs = nullptr;
  llvm::Type *rhs = nullptr;
  llvm::Type *accumulate = nullptr;
  llvm::Type *out = nullptr;
  bool is_signed = true;
  bool may_round = false;  // factors, to fewer digits, if the target gains from it: the program asks for no more
};

// What an epilogue sees: a vector (or scalar) of finished sums and the element offsets in out it is stored to. Lanes
// whose mask bit is false are not stored.
struct EpilogueSite {
  llvm::Value *sums;     // of type `accumulate`
  llvm::Value *offsets;  // i64, as many lanes as sums
  llvm::Value *mask;     // i1, as many lanes as sums
  llvm::Value *first;    // i64: the offset of the first lane, which the others follow at `stride`
  int64_t stride;        // in elements; 0: there is no such order, and `first` is null
  std::span<llvm::Value *const> pointers;
};
// Work on finished sums. `emit` returns the value to store, of type `accumulate` or `out`, or a wider float; the builder
// stands at the end of its block before and after.
struct Epilogue {
  std::function<llvm::Value *(llvm::IRBuilderBase &, const EpilogueSite &)> emit;
  unsigned pointers = 0;   // to what it reads: the kernel function has as many more parameters, at the end
  bool reads_out = false;  // one of them may be out, of which it reads what it is about to write
  explicit operator bool() const { return emit != nullptr; }
};

// What a prologue reads for: so many neighbours of the operand, in its own layout.
struct PrologueSite {
  llvm::Value *first;  // i64: the offset, in elements, of the first of them
  int64_t lanes;
  int64_t multiple;  // a divisor of first
  std::span<llvm::Value *const> pointers;
};
// Work on an operand, which lies nowhere: elements are computed where they are wanted, in two steps, so that other work
// can be done while what they need is on its way. `read` gives what `compute` makes them of, a vector (or scalar, of one
// lane) as the operand would be stored. The builder stands at the end of its block before and after.
struct Prologue {
  std::function<std::vector<llvm::Value *>(llvm::IRBuilderBase &, const PrologueSite &)> read;
  std::function<llvm::Value *(llvm::IRBuilderBase &, std::span<llvm::Value *const> values, int64_t lanes)> compute;
  int64_t read_bits = 0;   // of an element of the widest array that has as many
  int64_t operations = 0;  // for an element
  explicit operator bool() const { return compute != nullptr; }
};

struct Contraction {
  std::vector<Axis> batch;       // in lhs, rhs and out
  std::vector<Axis> lhs_free;    // in lhs and out
  std::vector<Axis> rhs_free;    // in rhs and out
  std::vector<Axis> contracted;  // in lhs and rhs
  std::vector<Window> windows;
  int64_t lhs_offset = 0;  // elements, added to the operand's pointer
  int64_t rhs_offset = 0;
  int64_t out_offset = 0;
  ContractionTypes types;
  Epilogue epilogue;                    // may be empty
  std::array<Prologue, 2> prologues{};  // of lhs and rhs, likewise; on threaded targets only. The epilogue's pointers
                                        // are theirs too
};

// A generated function `void name(ptr lhs, ptr rhs, ptr out, ptr scratch, i64 begin, i64 end, ptr...)`. It computes the items
// [begin, end) of [0, items); disjoint ranges write disjoint elements of out and may run at once, each on a scratch of
// its own. All of [0, items) writes every element of out. out must not overlap the inputs. Pointers need the alignment
// of their element only; scratch needs 64 bytes.
struct Kernel {
  llvm::Function *function = nullptr;
  int64_t scratch_bytes = 0;
  int64_t items = 0;
};

// Emits the contractions one after the other into one kernel; they share pointers and types (the phases of a convolution
// with lhs dilation are one each).
Kernel emit_contractions(llvm::Module &module, const std::string &name, const VectorTarget &target,
                         const std::vector<Contraction> &contractions);

// What a team does well: items, and the vectors that one of them reads, which members share. A tile of the output is for
// tile_members; its length is 0.
struct TeamWork {
  int64_t items = 0;
  int64_t length = 0;
  bool is_for_warpgroups = false;
  bool leaves_registers = false;  // for another team beside it: of a tile, the slices come by themselves
  int64_t sum_bits = 0;           // that a member keeps, where they depend on the problem
};
// Nothing if these are better left to threads.
std::optional<TeamWork> team_work(const VectorTarget &target, const std::vector<Contraction> &contractions);
// The same work for a team, which does one item: code at the builder's place, in no function of its own. pointers: lhs,
// rhs and out. scratch_bytes is the team's memory.
Kernel emit_contractions_for_team(llvm::IRBuilder<> &builder, const VectorTarget &target,
                                  const std::vector<Contraction> &contractions, Team &team, llvm::Value *item,
                                  const std::array<llvm::Value *, 3> &pointers,
                                  std::span<llvm::Value *const> fused_pointers);

}  // namespace bp::emit
