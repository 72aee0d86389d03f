// Sort: each line along the dimension is copied to scratch, merge sorted there from runs of one, two, four ... elements
// between two halves of the scratch, and copied to the result. Stable for any comparator.
#include <algorithm>
#include <bit>

#include "plugins/llvm/kernel/kernel.h"
#include "plugins/llvm/scalar/element_type.h"

namespace bp::emit {

using llvm::Value;

std::int64_t emit_sort(Generator &generator, KernelBuilder &k, const KernelSite &site) {
  const InstructionView instruction = site.instruction;
  const Shape &shape = instruction.operand_shape(0);
  const std::size_t count = instruction.operand_count();
  const auto dimension = static_cast<std::size_t>(instruction.number(BP_ATTR_DIMENSIONS));
  const std::int64_t size = shape.dims[dimension];
  if (shape.elements == 0) {
    return 0;
  }
  const auto i64 = [&](std::int64_t v) { return k.b.getInt64(static_cast<std::uint64_t>(v)); };
  // Two arrays of `size` elements for each operand, aligned to 64 bytes.
  std::int64_t scratch = 0;
  std::vector<Value *> halves[2];
  for (std::size_t i = 0; i < count; ++i) {
    for (std::vector<Value *> &half : halves) {
      half.push_back(k.b.CreateGEP(k.b.getInt8Ty(), site.scratch, i64(scratch)));
      scratch += (size * storage_bytes(instruction.operand_shape(i).dtype) + 63) / 64 * 64;
    }
  }
  const auto dtype = [&](std::size_t i) { return instruction.operand_shape(i).dtype; };
  const auto load_all = [&](const std::vector<Value *> &from, Value *at) {
    std::vector<Value *> values;
    for (std::size_t i = 0; i < count; ++i) {
      values.push_back(k.load(from[i], k.of(at), dtype(i)));
    }
    return values;
  };
  const auto store_all = [&](const std::vector<Value *> &to, Value *at, const std::vector<Value *> &values) {
    for (std::size_t i = 0; i < count; ++i) {
      k.store(to[i], k.of(at), values[i], dtype(i));
    }
  };
  // Whether the elements a come before the elements b.
  const auto less = [&](const std::vector<Value *> &a, const std::vector<Value *> &b) {
    std::vector<Value *> arguments;
    for (std::size_t i = 0; i < count; ++i) {
      arguments.push_back(a[i]);
      arguments.push_back(b[i]);
    }
    return generator.call(instruction.called(0), arguments)[0];
  };
  std::vector<LoopGroup> lines;
  for (const std::int64_t d : shape.major_to_minor()) {
    if (static_cast<std::size_t>(d) != dimension) {
      lines.push_back({{d}, shape.dims[static_cast<std::size_t>(d)]});
    }
  }
  if (lines.empty()) {
    lines.emplace_back();
  }
  const int rounds = std::bit_width(static_cast<std::uint64_t>(size - 1));
  generator.nest(lines, shape, 1, Indices(shape.rank(), k.constant(0)), [&](std::span<const Index> line) {
    Indices at(line.begin(), line.end());
    k.loop(0, size, 1, [&](Value *i) {
      at[dimension] = k.of(i);
      std::vector<Value *> values;
      for (std::size_t n = 0; n < count; ++n) {
        values.push_back(
            k.load(site.operands[n], k.linear(at, shape.dims, instruction.operand_shape(n).strides), dtype(n)));
      }
      store_all(halves[0], i, values);
    });
    // The halves exchange their roles in each round.
    std::vector<Value *> pointers = halves[0];
    pointers.insert(pointers.end(), halves[1].begin(), halves[1].end());
    pointers.push_back(i64(1));
    pointers = k.loop(0, rounds, 1, pointers, [&](Value *, std::span<Value *const> now) {
      const std::vector<Value *> from(now.begin(), now.begin() + static_cast<std::ptrdiff_t>(count));
      const std::vector<Value *> to(now.begin() + static_cast<std::ptrdiff_t>(count), now.end() - 1);
      Value *width = now.back();
      const auto smaller = [&](Value *a, Value *b) { return k.b.CreateSelect(k.b.CreateICmpSLT(a, b), a, b); };
      Value *twice = k.b.CreateShl(width, 1);
      k.dynamic_loop(i64(0), i64(size), twice, {}, [&](Value *begin, std::span<Value *const>) {
        Value *middle = smaller(k.b.CreateAdd(begin, width), i64(size));
        Value *end = smaller(k.b.CreateAdd(begin, twice), i64(size));
        k.dynamic_loop(begin, end, i64(1), {begin, middle}, [&](Value *out, std::span<Value *const> heads) {
          Value *left = heads[0], *right = heads[1];
          Value *left_left = k.b.CreateICmpSLT(left, middle);
          Value *both = k.b.CreateAnd(left_left, k.b.CreateICmpSLT(right, end));
          Value *take_right = k.branch(
              both, [&] { return std::vector<Value *>{less(load_all(from, right), load_all(from, left))}; },
              [&] { return std::vector<Value *>{k.b.CreateNot(left_left)}; })[0];
          store_all(to, out, load_all(from, k.b.CreateSelect(take_right, right, left)));
          return std::vector<Value *>{k.b.CreateAdd(left, k.b.CreateZExt(k.b.CreateNot(take_right), k.b.getInt64Ty())),
                                      k.b.CreateAdd(right, k.b.CreateZExt(take_right, k.b.getInt64Ty()))};
        });
        return std::vector<Value *>();
      });
      std::vector<Value *> next = to;
      next.insert(next.end(), from.begin(), from.end());
      next.push_back(twice);
      return next;
    });
    k.loop(0, size, 1, [&](Value *i) {
      at[dimension] = k.of(i);
      const std::vector<Value *> values =
          load_all({pointers.begin(), pointers.begin() + static_cast<std::ptrdiff_t>(count)}, i);
      for (std::size_t n = 0; n < count; ++n) {
        k.store(site.results[n], k.linear(at, shape.dims, instruction.shape(n).strides), values[n], dtype(n));
      }
    });
  });
  return scratch;
}

}  // namespace bp::emit
