#include "plugins/llvm/kernel/sort_lines.h"

#include "plugins/llvm/scalar/element_type.h"

namespace bp::emit {

using llvm::Value;

SortLines::SortLines(Generator &generator, KernelBuilder &builder, const KernelSite &site, bool is_threaded)
    : generator_(generator),
      k_(builder),
      site_(site),
      shape_(site.instruction.operand_shape(0)),
      count_(site.instruction.operand_count()),
      dimension_(static_cast<std::size_t>(site.instruction.number(BP_ATTR_DIMENSIONS))),
      size_(shape_.dims[dimension_]),
      is_threaded_(is_threaded) {
  for (std::size_t i = 0; i < count_; ++i) {
    for (Values &half : halves_) {
      half.push_back(reserve(size_ * storage_bytes(dtype(i))));
    }
  }
}

Value *SortLines::reserve(std::int64_t bytes) {
  Value *address =
      k_.b.CreateGEP(k_.b.getInt8Ty(), site_.scratch, k_.b.getInt64(static_cast<std::uint64_t>(scratch_bytes_)));
  scratch_bytes_ += (bytes + 63) / 64 * 64;
  return address;
}

KernelWork SortLines::work() const {
  return {.scratch_bytes = scratch_bytes_, .items = is_threaded_ ? 1 : generator_.items(loops(), 1)};
}

void SortLines::for_each(const std::function<Values(const Values &from, const Values &other)> &sort) {
  const Generator::Range range{site_.begin, site_.end};
  generator_.nest(
      loops(), shape_, 1, Indices(shape_.rank(), k_.constant(0)),
      [&](std::span<const Index> line) {
        Indices at(line.begin(), line.end());
        read(at);
        write(at, sort(halves_[0], halves_[1]));
      },
      is_threaded_ ? nullptr : &range);
}

std::vector<LoopGroup> SortLines::loops() const {
  std::vector<LoopGroup> loops;
  for (const std::int64_t d : shape_.major_to_minor()) {
    const auto dimension = static_cast<std::size_t>(d);
    if (dimension != dimension_ && shape_.dims[dimension] > 1) {
      loops.push_back({{d}, shape_.dims[dimension]});
    }
  }
  if (loops.empty()) {
    loops.emplace_back();
  }
  return loops;
}

void SortLines::read(Indices &at) {
  k_.loop(0, size_, 1, [&](Value *i) {
    at[dimension_] = k_.of(i);
    Values values;
    for (std::size_t n = 0; n < count_; ++n) {
      const Shape &operand = site_.instruction.operand_shape(n);
      values.push_back(k_.load(site_.operands[n], k_.linear(at, shape_.dims, operand.strides), operand.dtype));
    }
    store(halves_[0], i, values);
  });
}

void SortLines::write(Indices &at, const Values &from) {
  k_.loop(0, size_, 1, [&](Value *i) {
    at[dimension_] = k_.of(i);
    const Values values = load(from, i);
    for (std::size_t n = 0; n < count_; ++n) {
      k_.store(site_.results[n], k_.linear(at, shape_.dims, site_.instruction.shape(n).strides), values[n], dtype(n));
    }
  });
}

SortLines::Values SortLines::load(const Values &from, Value *at) {
  Values values;
  for (std::size_t i = 0; i < count_; ++i) {
    values.push_back(k_.load(from[i], k_.of(at), dtype(i)));
  }
  return values;
}

void SortLines::store(const Values &to, Value *at, const Values &values) {
  for (std::size_t i = 0; i < count_; ++i) {
    k_.store(to[i], k_.of(at), values[i], dtype(i));
  }
}

}  // namespace bp::emit
