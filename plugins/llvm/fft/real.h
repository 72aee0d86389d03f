// Lines of reals as lines of complex numbers. A line of an even number of reals is transformed as half as many complex
// numbers, and its spectrum is separated from theirs (untangled), or combined (tangled) for the inverse. A line of an
// odd number of reals is transformed as the real parts of as many complex numbers; the second half of its spectrum
// mirrors the first.
#pragma once

#include "plugins/llvm/fft/memory.h"
#include "plugins/llvm/fft/shape.h"

namespace bp::emit {

class FftReal {
 public:
  FftReal(const FftMemory &memory, const FftShape &shape) : m_(memory), k_(memory.builder()), b_(k_.b), shape_(shape) {}

  // Returns the number of parts of a line that can be processed at the same time.
  std::int64_t items() const;
  // Computes the spectrum of a line of reals from the transform z of its pairs, in planes; part `item` of `items`. With
  // e and o the transforms of its even and odd elements, z = e + i o and x[k] = e[k] + root(k / length) o[k]. For a
  // line that is not halved, copies the first half of its spectrum.
  void untangle(const FftArray &z, const FftArray &to, llvm::Value *item, std::int64_t items) const;
  // Computes the inverse, multiplied by two; or the whole spectrum from its first half. Imaginary parts that are zero
  // for a line of reals are ignored.
  void tangle(const FftArray &x, const FftArray &to, llvm::Value *item, std::int64_t items) const;

 private:
  std::int64_t pair_count() const;
  void over_part(llvm::Value *item, std::int64_t items, std::int64_t count,
                 const std::function<void(llvm::Value *, std::int64_t)> &body) const;
  void at_first(llvm::Value *item, std::int64_t items, const std::function<void()> &body) const;
  ComplexParts roots_from(llvm::Value *k, std::int64_t lanes) const;
  ComplexParts backwards(ComplexParts value) const;
  ComplexParts sum_with_conjugate(ComplexParts x, ComplexParts y) const;
  ComplexParts difference_with_conjugate(ComplexParts x, ComplexParts y) const;

  const FftMemory &m_;
  KernelBuilder &k_;
  llvm::IRBuilder<> &b_;
  const FftShape &shape_;
};

}  // namespace bp::emit
