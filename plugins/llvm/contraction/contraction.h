// The common form of dot and convolution: out[i, j] = sum over k of lhs[i, k] * rhs[k, j], where i, j and k are groups
// of axes and every operand is addressed by one stride per axis. A convolution adds windows: coordinates of lhs that
// axes move (an output position and a filter tap move the same input coordinate) and that may fall into the padding.
// All sizes and strides are known when the code is generated.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace bp::emit {

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
  // Whether factors may be rounded to fewer digits, and subnormal ones to zero, if the target gains from it.
  bool may_round = false;
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
  // Number of pointers to arrays that it reads; the kernel function has the same number of additional parameters.
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
  // Prologues of lhs and rhs, which may be empty; on other than threaded targets only where may_be_computed(). They get
  // the epilogue's pointers, too.
  std::array<Prologue, 2> prologues{};
  // The widths of the panels in which lhs and rhs lie (packed/panels.h), 0 if they lie as their strides say. The
  // strides of an operand in panels then only order the contracted axes: as they follow each other in a panel.
  std::array<int64_t, 2> panels{};
};

}  // namespace bp::emit
