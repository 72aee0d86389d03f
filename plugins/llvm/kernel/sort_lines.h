// Lines of a sort in scratch: each line along the sorted dimension is copied to one half of the scratch, sorted between
// both halves, and copied to the result.
#pragma once

#include <array>
#include <functional>
#include <span>
#include <vector>

#include "plugins/llvm/generator/generator.h"
#include "plugins/llvm/generator/kernel_site.h"

namespace bp::emit {

class SortLines {
 public:
  using Values = std::vector<llvm::Value *>;  // one for each operand: an element, or where its elements are

  // On a threaded target, one thread sorts all lines.
  SortLines(Generator &generator, KernelBuilder &builder, const KernelSite &site, bool is_threaded);

  std::int64_t size() const { return size_; }  // elements of a line
  std::size_t operand_count() const { return count_; }
  // Reserves more scratch, and returns its address.
  llvm::Value *reserve(std::int64_t bytes);
  KernelWork work() const;

  // For each line of the site's part of the work: sort(where it is, other memory as large) returns in which of the two
  // it is then.
  void for_each(const std::function<Values(const Values &from, const Values &other)> &sort);

  Values load(const Values &from, llvm::Value *at);
  void store(const Values &to, llvm::Value *at, const Values &values);

 private:
  std::uint16_t dtype(std::size_t i) const { return site_.instruction.operand_shape(i).dtype; }
  std::vector<LoopGroup> loops() const;
  void read(Indices &at);
  void write(Indices &at, const Values &from);

  Generator &generator_;
  KernelBuilder &k_;
  const KernelSite &site_;
  const Shape &shape_;
  const std::size_t count_, dimension_;
  const std::int64_t size_;
  const bool is_threaded_;
  std::array<Values, 2> halves_;  // of scratch: an array of `size_` elements for each operand, aligned to 64 bytes
  std::int64_t scratch_bytes_ = 0;
};

// Whether sorting by the digits of the keys takes less time than merging.
bool is_worth_radix_sort(InstructionView sort);
// Sorts all lines by the digits of their keys; requires is_worth_radix_sort().
void emit_radix_sort(Generator &generator, KernelBuilder &builder, const KernelSite &site, SortLines &lines);

}  // namespace bp::emit
