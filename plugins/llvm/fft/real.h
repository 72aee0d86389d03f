// Lines of reals as lines of complex numbers: one of an even number of reals is transformed as half as many complex
// numbers, from which its spectrum is untangled, and tangled again for the way back; of an odd number, as the real
// parts of as many, whose spectrum mirrors its first half.
#pragma once

#include "plugins/llvm/fft/memory.h"
#include "plugins/llvm/fft/shape.h"

namespace bp::emit {

class FftReal {
 public:
  FftReal(const FftMemory &memory, const FftShape &shape) : m_(memory), k_(memory.builder()), b_(k_.b), shape_(shape) {}

  // Parts of a line that can be worked on at the same time.
  std::int64_t items() const;
  // The spectrum of a line of reals from the transform z of its pairs, in planes; part `item` of `items`. With e and o
  // the transforms of its even and its odd places, z = e + i o and x[k] = e[k] + root(k / length) o[k]. Of a line that
  // is not halved, its first half.
  void untangle(const FftArray &z, const FftArray &to, llvm::Value *item, std::int64_t items) const;
  // The other way, twice as large; or the whole spectrum from its first half. Imaginary parts that a real line does not
  // have are not looked at.
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
