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

// Properties of the machine that the code may rely on. Vectors have `vector_bits` bits (128, 256 or 512).
struct VectorTarget {
  unsigned vector_bits = 512;
  unsigned vector_registers = 32;
  bool has_fma = true;
  bool is_threaded = false;  // a GPU: items are as small as possible, and each call does one
  GpuFacts gpu = {};         // if is_threaded
};

// One axis of a contraction. Strides are in elements and may be zero or negative; the strides of operands that do not
// have the axis are zero.
struct Axis {
  int64_t size = 1;
  int64_t lhs = 0;
  int64_t rhs = 0;
  int64_t out = 0;
  int window = -1;   // index into Contraction::windows of the coordinate that this axis moves, or -1
  int64_t step = 0;  // distance by which the axis moves that coordinate
};

// A coordinate of lhs: origin + the sum of index * step over the axes that refer to it. Elements whose coordinate is
// not in [0, size) are zero and are not read. (The axes' lhs strides and lhs_offset already include the coordinate.)
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
  bool may_round = false;  // whether factors may be rounded to fewer digits if the target gains from it
};

// Input of an epilogue: a vector (or scalar) of finished sums and the offsets, in elements of out, to which they are
// stored. Lanes whose mask bit is false are not stored.
struct EpilogueSite {
  llvm::Value *sums;     // of type `accumulate`
  llvm::Value *offsets;  // i64, same number of lanes as sums
  llvm::Value *mask;     // i1, same number of lanes as sums
  llvm::Value *first;    // i64: the offset of the first lane; the others follow at `stride`
  int64_t stride;        // in elements; 0: the offsets are irregular, and `first` is null
  std::span<llvm::Value *const> pointers;
};
// Work on finished sums. `emit` returns the value to store, of type `accumulate` or `out`, or a wider float. The
// builder is at the end of its block before and after.
struct Epilogue {
  std::function<llvm::Value *(llvm::IRBuilderBase &, const EpilogueSite &)> emit;
  // Number of pointers to what it reads; the kernel function has as many more parameters, at the end.
  unsigned pointers = 0;
  bool reads_out = false;  // one of them may be out, read at the elements about to be written
  explicit operator bool() const { return emit != nullptr; }
};

// Request to a prologue: `lanes` neighbouring elements of the operand, in the operand's own layout.
struct PrologueSite {
  llvm::Value *first;  // i64: the offset of the first of them, in elements
  int64_t lanes;
  int64_t multiple;  // a number that divides first
  std::span<llvm::Value *const> pointers;
};
// Work on an operand that is not in memory. Its elements are computed where they are needed, in two steps, so that
// other work can be done while memory is being read. `read` returns the values from which `compute` makes the elements:
// a vector (or scalar, for one lane) of the type in which the operand would be stored. The builder is at the end of its
// block before and after.
struct Prologue {
  std::function<std::vector<llvm::Value *>(llvm::IRBuilderBase &, const PrologueSite &)> read;
  std::function<llvm::Value *(llvm::IRBuilderBase &, std::span<llvm::Value *const> values, int64_t lanes)> compute;
  int64_t read_bits = 0;   // bits per element of the widest array with the operand's dimensions that is read
  int64_t operations = 0;  // ops per element
  explicit operator bool() const { return compute != nullptr; }
};

struct Contraction {
  std::vector<Axis> batch;       // axes of lhs, rhs and out
  std::vector<Axis> lhs_free;    // axes of lhs and out
  std::vector<Axis> rhs_free;    // axes of rhs and out
  std::vector<Axis> contracted;  // axes of lhs and rhs
  std::vector<Window> windows;
  int64_t lhs_offset = 0;  // in elements, added to the operand's pointer
  int64_t rhs_offset = 0;
  int64_t out_offset = 0;
  ContractionTypes types;
  Epilogue epilogue;  // may be empty
  // Prologues of lhs and rhs, which may be empty; on threaded targets only. They get the epilogue's pointers, too.
  std::array<Prologue, 2> prologues{};
};

// A generated function `void name(ptr lhs, ptr rhs, ptr out, ptr scratch, i64 begin, i64 end, ptr...)`. It computes the
// items [begin, end) of [0, items). Disjoint ranges write disjoint elements of out and may run at the same time, each
// on a scratch of its own. All items together write every element of out. out must not overlap the inputs. Pointers
// must be aligned to their elements; scratch must be aligned to 64 bytes.
struct Kernel {
  llvm::Function *function = nullptr;
  int64_t scratch_bytes = 0;
  int64_t items = 0;
};

// Emits the contractions one after the other into one kernel. They share pointers and types (the phases of a
// convolution with lhs dilation are one contraction each).
Kernel emit_contractions(llvm::Module &module, const std::string &name, const VectorTarget &target,
                         const std::vector<Contraction> &contractions);

// Work that is divided among teams: the number of items, and the number of vectors that one item reads, which members
// share. A tile of the output is for tile_members, and its length is 0.
struct TeamWork {
  int64_t items = 0;
  int64_t length = 0;
  bool is_for_warpgroups = false;
  // Whether registers are left for another team on the same multiprocessor, because the slices of a tile are copied
  // asynchronously.
  bool leaves_registers = false;
  int64_t sum_bits = 0;  // bits of the sums that a member keeps, if they depend on the problem
};
// Returns nullopt if threads by themselves are better.
std::optional<TeamWork> team_work(const VectorTarget &target, const std::vector<Contraction> &contractions);
// Emits the contractions for a team that does one item, at the builder's insertion point instead of in a function of
// its own. pointers: lhs, rhs and out. Kernel::scratch_bytes is the size of the team's memory.
Kernel emit_contractions_for_team(llvm::IRBuilder<> &builder, const VectorTarget &target,
                                  const std::vector<Contraction> &contractions, Team &team, llvm::Value *item,
                                  const std::array<llvm::Value *, 3> &pointers,
                                  std::span<llvm::Value *const> fused_pointers);

}  // namespace bp::emit
