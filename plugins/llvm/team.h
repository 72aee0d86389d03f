// Team: the threads that do one item of a kernel together, such as a row. They run the same code and come to the same
// places of it together.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "plugins/llvm/loops.h"

namespace bp::emit {

// A unit that multiplies a matrix of 16 x 16 elements by one of 16 x 8, into sums of f32. With g = lane / 4 and
// p = lane % 4, of those that exchange values a member has, two neighbours along the contracted axis in each i32:
// | a    | rows g, g + 8, g, g + 8, at 2p of the first 8 contracted ones, twice, and of the last 8, twice |
// | b    | column g, at 2p of the first 8 contracted ones, and of the last 8                             |
// | sums | row g, columns 2p and 2p + 1; row g + 8, the same columns                                     |
struct MatrixUnit {
  static constexpr std::int64_t rows = 16, columns = 8, contracted = 16;
  static constexpr std::int64_t sums = 4;  // of a member
};

class Team {
 public:
  virtual ~Team() = default;
  // Threads, a power of two; and those of them that can exchange values, at most as many.
  virtual std::int64_t size() const = 0;
  virtual std::int64_t exchanging() const = 0;
  virtual llvm::Value *member() const = 0;  // i64, below size
  // i1, or null for always: what it does is wanted. A team of which nothing is wanted runs along and must not write.
  virtual llvm::Value *is_wanted() const = 0;

  // Waits for the others. What they wrote to the team's memory before is there.
  virtual void wait(llvm::IRBuilderBase &builder) = 0;
  // The value, of any compute type without lanes, that member ^ mask has; mask is below exchanging().
  virtual llvm::Value *exchange(llvm::IRBuilderBase &builder, llvm::Value *value, std::uint32_t mask) = 0;
  // Whether there is a unit for elements of this type; its sums + a * b.
  virtual bool has_matrix_unit(const llvm::Type *type) const = 0;
  virtual std::vector<llvm::Value *> multiply_matrices(llvm::IRBuilderBase &builder, llvm::Type *type,
                                                       std::span<llvm::Value *const> a, std::span<llvm::Value *const> b,
                                                       std::span<llvm::Value *const> sums) = 0;
  // Memory of all of the team, aligned to 64 bytes; asked for at most once.
  virtual std::int64_t most_memory_bytes() const = 0;
  virtual llvm::Value *memory(llvm::IRBuilderBase &builder, std::int64_t bytes) = 0;
};

// Both have as many values.
using Combine = std::function<std::vector<llvm::Value *>(std::span<llvm::Value *const>, std::span<llvm::Value *const>)>;
// What comes out when the values of all members are combined, the same in each. memory: reduction_bytes() of the team,
// which must not be in use by another one of these that no wait separates; unused if all members can exchange.
std::vector<llvm::Value *> combine_members(llvm::IRBuilderBase &builder, Team &team, std::vector<llvm::Value *> values,
                                           llvm::Value *memory, const Combine &combine);
std::int64_t reduction_bytes(const Team &team, std::size_t values);

}  // namespace bp::emit
