// Passes of a Fourier transform over cache-resident memory, by Stockham's algorithm. With n = r m, output c + r d of a
// transform is output d of a transform of length m over b, whose inputs are root(bc / n) times the sum over a of
// root(ac / r) x[a m + b]. A pass computes the inner sums, one codelet for each b, and stores index c after b, before
// the indices of earlier passes, so that no bit reversal is needed. The elements that are transformed are rows of one
// or of `columns` numbers; vectors run over columns or, if there is only one column, over row indices.
#pragma once

#include <optional>

#include "plugins/llvm/fft/codelet.h"
#include "plugins/llvm/fft/memory.h"

namespace bp::emit {

class FftPasses : public FftMemory {
 public:
  FftPasses(KernelBuilder &builder, const VectorTarget &target, std::uint16_t dtype)
      : FftMemory(builder, target, dtype), k_(builder), block_(fft_block(target, dtype)) {}

  // Two arrays of n rows in scratch, alternately the source and the destination of a pass. buffer_bytes() is the size
  // of both.
  std::int64_t buffer_bytes(std::int64_t n, std::int64_t columns) const;
  FftArray buffer(llvm::Value *scratch, std::size_t which, std::int64_t n, std::int64_t columns) const;

  // Transforms n rows forwards, where n has radices. scratch: buffer_bytes() bytes. Returns the sink or, if there is
  // none, the buffer in scratch that holds the result. A source in scratch is overwritten.
  FftArray transform(FftArray source, std::optional<FftArray> sink, std::int64_t n, std::int64_t columns,
                     llvm::Value *scratch, double scale = 1);
  // Transforms n rows for any n, by convolution if that is faster. scratch: buffer_bytes(rows_for(n, columns), columns)
  // bytes.
  FftArray transform_any(FftArray source, std::optional<FftArray> sink, std::int64_t n, std::int64_t columns,
                         llvm::Value *scratch, double scale = 1);
  std::int64_t rows_for(std::int64_t n, std::int64_t columns) const;

 private:
  struct Pass {
    std::int64_t radix, rest, done;
    double scale;
    const FftArray &from, &to;
  };
  std::optional<FftArray> pass_roots(const Pass &pass);
  void with_broadcasts(const Pass &pass, std::int64_t columns);
  void in_memory(const Pass &pass, std::int64_t columns, llvm::Value *memory);
  void with_shuffles(const Pass &pass);
  FftArray by_convolution(FftArray source, std::optional<FftArray> sink, std::int64_t n, std::int64_t columns,
                          llvm::Value *scratch, double scale);

  KernelBuilder &k_;
  const std::int64_t block_;
};

}  // namespace bp::emit
