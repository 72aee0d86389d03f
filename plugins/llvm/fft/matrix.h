// A line that is too long for a cache is treated as a matrix, in four steps: its columns are transformed, multiplied by
// roots of unity and transposed into memory of their own; then the columns of the result are transformed. One thread
// handles a block of columns.
#pragma once

#include "plugins/llvm/fft/passes.h"
#include "plugins/llvm/fft/shape.h"

namespace bp::emit {

class FftMatrix {
 public:
  // scratch: scratch_bytes() bytes per thread. memory: shared by all threads (FftShape::matrix_begin()).
  FftMatrix(FftPasses &passes, const FftShape &shape, llvm::Value *scratch, llvm::Value *memory)
      : p_(passes), k_(passes.builder()), b_(k_.b), shape_(shape), scratch_(scratch), memory_(memory) {}

  std::int64_t scratch_bytes() const;
  // columns_first() transforms block `item` of the line's columns. columns_again(), called when all are done,
  // transforms a block of the former rows.
  void columns_first(const FftArray &line, llvm::Value *item) const;
  void columns_again(const FftArray &line, llvm::Value *item, double scale) const;

 private:
  std::int64_t buffer_bytes() const;
  std::int64_t twiddle_step() const;
  std::int64_t twiddle_count() const;
  FftArray emit_twiddles(llvm::Value *first) const;
  llvm::Value *matrix_block(llvm::Value *item) const;

  FftPasses &p_;
  KernelBuilder &k_;
  llvm::IRBuilder<> &b_;
  const FftShape &shape_;
  llvm::Value *scratch_, *memory_;
};

}  // namespace bp::emit
