// Index: one coordinate of an element, for all lanes of a vector at once; and KernelBuilder, which computes with
// indices, emits loops, and reads and writes memory.
//
// Most coordinates are affine in the lane number, so a row of elements becomes one vector load. A coordinate may also
// be a part (whole / divisor % modulus) of another one. Reshapes and merged loops make parts, and linear() joins the
// parts of a whole again, so that no division is left in the common cases.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "plugins/llvm/module_view.h"

namespace bp::emit {

struct Index {
  llvm::Value *base = nullptr;   // i64, of lane 0; null for a part that is not computed yet
  std::int64_t lane_stride = 0;  // lane l is base + l * lane_stride
  llvm::Value *lanes = nullptr;  // any other dependence on the lane: one integer per lane
  std::int64_t multiple = 1;     // known divisor of base
  int whole = -1;                // number of the coordinate of which this is a part, or -1
  std::int64_t divisor = 1;
  std::int64_t modulus = 0;  // 0: no remainder
};

class KernelBuilder {
 public:
  using Body = std::function<void(llvm::Value *)>;
  using CarryingBody = std::function<std::vector<llvm::Value *>(llvm::Value *, std::span<llvm::Value *const>)>;

  // Appends code to the block.
  explicit KernelBuilder(llvm::BasicBlock *block) : b(block) {}
  // Sets whether coordinates in lanes need 64 bits.
  void set_large(bool large) { large_ = large; }
  llvm::IRBuilder<> b;

  unsigned lanes() const { return lanes_; }
  llvm::Value *mask() const { return mask_; }  // null: all lanes are on
  // Code that `body` emits works on this many lanes, of which only those in `mask` may access memory.
  void with_lanes(unsigned lanes, llvm::Value *mask, const std::function<void()> &body);
  // Further restricts the lanes that may access memory; condition is a scalar or a vector of i1.
  void with_mask(llvm::Value *condition, const std::function<void()> &body);

  // Emits for (i = begin; i < end; i += step). Values remembered in the body are forgotten after it.
  void loop(std::int64_t begin, std::int64_t end, std::int64_t step, const Body &body);
  std::vector<llvm::Value *> loop(std::int64_t begin, std::int64_t end, std::int64_t step,
                                  std::vector<llvm::Value *> initial, const CarryingBody &body);
  // Emits such a loop with bounds that are known only at run time; it may run zero times.
  std::vector<llvm::Value *> dynamic_loop(llvm::Value *begin, llvm::Value *end, llvm::Value *step,
                                          std::vector<llvm::Value *> initial, const CarryingBody &body);
  // Emits condition ? then() : otherwise() as a branch; the condition is a scalar.
  std::vector<llvm::Value *> branch(llvm::Value *condition, const std::function<std::vector<llvm::Value *>()> &then,
                                    const std::function<std::vector<llvm::Value *>()> &otherwise);
  void if_then(llvm::Value *condition, const std::function<void()> &then);

  Index constant(std::int64_t value);
  Index of(llvm::Value *scalar) const { return {.base = scalar}; }
  Index of_lanes(llvm::Value *value);  // a scalar or a vector of integers
  Index add(Index x, Index y);
  Index add(const Index &x, std::int64_t y) { return y == 0 ? x : add(x, constant(y)); }
  Index multiply(Index x, std::int64_t factor);
  // Returns x / divisor % modulus (modulus 0: no remainder), computed when it is needed.
  Index part(const Index &x, std::int64_t divisor, std::int64_t modulus);
  bool uniform(Index &x);
  llvm::Value *scalar(Index x);                         // lane 0 of a uniform index, i64
  llvm::Value *vector(Index x);                         // all lanes
  llvm::Value *value(Index x);                          // scalar if uniform, else vector
  llvm::Value *less_than(Index x, std::int64_t limit);  // i1 or a vector of it; signed
  llvm::Value *not_less_than(Index x, std::int64_t limit);
  // Returns the sum of indices[i] * strides[i] over the dimensions larger than 1.
  Index linear(std::span<const Index> indices, std::span<const std::int64_t> dims,
               std::span<const std::int64_t> strides);
  // Converts coordinates in dimensions `from` to those of the same row-major position in dimensions `to`, as a reshape
  // does.
  std::vector<Index> reshape(std::span<const Index> indices, std::span<const std::int64_t> from,
                             std::span<const std::int64_t> to);
  llvm::Type *lane_type();

  llvm::Value *load(llvm::Value *pointer, Index offset, std::uint16_t dtype);
  void store(llvm::Value *pointer, Index offset, llvm::Value *value, std::uint16_t dtype);
  // Loads an element of 1, 2 or 4 bits, which shares its byte with others. Returns an i8 with the element in its lowest
  // bits; the bits above are undefined.
  llvm::Value *load_packed(llvm::Value *pointer, Index offset, unsigned bits);
  llvm::Value *splat(llvm::Value *value);  // to a vector of lanes(), unless it is one already or lanes() is 1
  // Makes all values vectors if one of them is a vector.
  void same_lanes(std::span<llvm::Value *> values);

  // Values that are already computed, by key; forgotten at the end of the block of code in which they were remembered.
  using Key = std::vector<std::uint64_t>;
  llvm::Value *find(const Key &key) const;
  void remember(Key key, llvm::Value *value);
  static void append(Key &key, const Index &index);

 private:
  class Scope;
  void compute(Index &part);
  llvm::Value *load_complex(llvm::Value *pointer, Index offset, std::uint16_t dtype);
  void store_complex(llvm::Value *pointer, Index offset, llvm::Value *value, std::uint16_t dtype);
  llvm::Value *arithmetic(llvm::Instruction::BinaryOps op, llvm::Value *x, llvm::Value *y);
  llvm::Value *pointer_vector(llvm::Value *pointer, Index offset, llvm::Type *type);

  unsigned lanes_ = 1;
  llvm::Value *mask_ = nullptr;
  bool large_ = false;
  std::vector<Index> wholes_;
  std::map<Key, llvm::Value *> known_;
  std::vector<Key> log_;  // keys of known_ in the order of insertion
};

}  // namespace bp::emit
