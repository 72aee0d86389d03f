// Memory of Fourier transforms: arrays of complex numbers in their storage formats, constant tables, and loops whose
// vectors run over rows or columns.
#pragma once

#include <complex>
#include <functional>
#include <string>

#include "plugins/llvm/fft/plan.h"
#include "plugins/llvm/generator/index.h"
#include "plugins/llvm/scalar/element_type.h"
#include "plugins/llvm/vector_target.h"

namespace bp::emit {

// Rows of complex numbers in memory.
struct FftArray {
  enum class Kind : std::uint8_t { Planes, Pairs, Reals };
  Kind kind = Kind::Planes;
  llvm::Value *base = nullptr;     // address of the first number
  std::int64_t row_stride = 1;     // in numbers
  std::int64_t plane_stride = 0;   // for Planes: distance from a real part to its imaginary part, in reals
  bool is_swapped = false;         // real and imaginary parts exchanged: turns a forward transform into a backward one
  llvm::Value *columns = nullptr;  // i64: the number of columns that exist; null: all
  FftArray swapped() const {
    FftArray other = *this;
    other.is_swapped = !is_swapped;
    return other;
  }
};

FftMachine fft_machine(const VectorTarget &target, std::uint16_t dtype);
// Returns the number of columns that fill vectors and cache lines.
std::int64_t fft_block(const VectorTarget &target, std::uint16_t dtype);

class FftMemory {
 public:
  // dtype: type of the real parts, f32 or f64.
  FftMemory(KernelBuilder &builder, const VectorTarget &target, std::uint16_t dtype);

  KernelBuilder &builder() const { return k_; }
  const FftMachine &machine() const { return machine_; }
  std::int64_t lanes() const { return machine_.lanes; }
  llvm::Type *real_type() const { return real_; }
  std::int64_t real_bytes() const { return bytes_; }

  llvm::Value *integer(std::int64_t value) const { return k_.b.getInt64(static_cast<std::uint64_t>(value)); }
  llvm::Value *times(llvm::Value *x, std::int64_t factor) const;
  llvm::Value *plus(llvm::Value *x, llvm::Value *y) const { return k_.b.CreateAdd(x, y); }
  // Returns the address `reals` reals after `base`.
  llvm::Value *behind(llvm::Value *base, llvm::Value *reals) const { return k_.b.CreateGEP(real_, base, reals); }
  llvm::Value *behind(llvm::Value *base, std::int64_t reals) const { return behind(base, integer(reals)); }

  // Loads `lanes` numbers of a row from `column` on.
  ComplexParts load(const FftArray &array, llvm::Value *row, llvm::Value *column, std::int64_t lanes) const;
  void store(const FftArray &array, llvm::Value *row, llvm::Value *column, ComplexParts value) const;
  ComplexParts scaled(ComplexParts value, double scale) const;
  ComplexParts spread(ComplexParts number, std::int64_t lanes) const;

  // Returns a constant array of numbers, created once per unit for each name and size.
  using Numbers = std::function<std::complex<double>(std::int64_t)>;
  FftArray table(const std::string &name, std::int64_t size, const Numbers &value) const;
  // Returns one number of a table in all lanes.
  ComplexParts broadcast(const FftArray &table, llvm::Value *place, std::int64_t lanes) const;

  // Returns root(k) of the n-th roots of unity, for an n too large for a table, as a product of two numbers in f64.
  ComplexParts root_at(llvm::Value *k, std::int64_t n) const;
  // Returns value(place), value(place + 1), ... from a table in f64, times a number in f64.
  ComplexParts load_twiddles(const std::string &name, std::int64_t size, const Numbers &value, llvm::Value *place,
                             ComplexParts number) const;

  // Calls body(row, column, lanes) for all numbers of `rows` rows, one vector at a time; some numbers may be visited
  // twice.
  using Body = std::function<void(llvm::Value *, llvm::Value *, std::int64_t)>;
  void for_each(std::int64_t rows, std::int64_t columns, const Body &body) const;
  // Calls body for vectors over `count` neighbours: at 0, lanes, ..., where the last vector ends at count.
  void over(std::int64_t count, const std::function<void(llvm::Value *, std::int64_t)> &body) const;

 private:
  FftArray table_of(const std::string &name, std::int64_t size, const Numbers &value, std::uint16_t dtype) const;
  ComplexParts load_wide(const FftArray &table, llvm::Value *place, std::int64_t lanes) const;
  llvm::Value *address(const FftArray &array, llvm::Value *row, llvm::Value *column) const;

  KernelBuilder &k_;
  const std::uint16_t dtype_;
  llvm::Type *real_;
  const std::int64_t bytes_;
  const FftMachine machine_;
};

}  // namespace bp::emit
