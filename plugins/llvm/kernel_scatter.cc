// Ops that combine values into a result at places known only at run time: scatter, one update window after the other
// with vectors along the window; select-and-scatter, one source element after the other.
#include <llvm/IR/Intrinsics.h>

#include <algorithm>

#include "plugins/llvm/element_type.h"
#include "plugins/llvm/elementwise.h"
#include "plugins/llvm/kernel.h"

namespace bp::emit {

using llvm::Value;

void emit_scatter(Generator &generator, KernelBuilder &k, const KernelSite &site) {
  const InstructionView instruction = site.instruction;
  const std::size_t count = instruction.operand_count() / 2;
  const Shape &operand = instruction.operand_shape(0);
  const Shape &starts = instruction.operand_shape(count);
  const Shape &update = instruction.operand_shape(count + 1);
  for (std::size_t i = 0; i < count; ++i) {
    if (site.in_place[i] < 0) {
      k.b.CreateMemCpy(site.results[i], llvm::MaybeAlign(1), site.operands[i], llvm::MaybeAlign(1),
                       static_cast<std::uint64_t>(operand.elements) * storage_bytes(instruction.shape(i).dtype));
    }
  }
  if (update.elements == 0) {
    return;
  }
  const auto is_in = [](std::span<const std::int64_t> list, std::size_t d) {
    return std::ranges::find(list, static_cast<std::int64_t>(d)) != list.end();
  };
  const auto window_dims = instruction.numbers(BP_ATTR_UPDATE_WINDOW_DIMS);
  const auto inserted = instruction.numbers(BP_ATTR_INSERTED_WINDOW_DIMS);
  const auto operand_batching = instruction.numbers(BP_ATTR_INPUT_BATCHING_DIMS);
  const auto starts_batching = instruction.numbers(BP_ATTR_SCATTER_INDICES_BATCHING_DIMS);
  const auto to_operand = instruction.numbers(BP_ATTR_SCATTER_DIMS_TO_OPERAND_DIMS);
  const auto vector_dim = static_cast<std::size_t>(instruction.number(BP_ATTR_INDEX_VECTOR_DIM));

  std::vector<LoopGroup> outer;
  std::vector<std::int64_t> window_order;
  for (const std::int64_t d : update.major_to_minor()) {
    if (is_in(window_dims, static_cast<std::size_t>(d))) {
      window_order.push_back(d);
    } else {
      outer.push_back({{d}, update.dims[static_cast<std::size_t>(d)]});
    }
  }
  if (outer.empty()) {
    outer.emplace_back();
  }
  std::vector<std::int64_t> window_of_operand(operand.rank(), -1);  // the dimension of update that moves it
  std::size_t next_window = 0;
  for (std::size_t d = 0; d < operand.rank(); ++d) {
    if (!is_in(inserted, d) && !is_in(operand_batching, d)) {
      window_of_operand[d] = window_dims[next_window++];
    }
  }
  std::vector<std::uint32_t> updates;
  for (std::size_t i = 0; i < count; ++i) {
    updates.push_back(instruction.operand(count + 1 + i));
  }
  generator.nest(outer, update, 1, Indices(update.rank(), k.constant(0)), [&](std::span<const Index> position) {
    Indices start_indices(starts.rank(), k.constant(0));
    std::size_t next = 0;
    for (std::size_t d = 0; d < update.rank(); ++d) {
      if (!is_in(window_dims, d)) {
        next += next == vector_dim ? 1 : 0;
        start_indices[next++] = position[d];
      }
    }
    Indices origin(operand.rank(), k.constant(0));
    for (std::size_t i = 0; i < operand_batching.size(); ++i) {
      origin[static_cast<std::size_t>(operand_batching[i])] =
          start_indices[static_cast<std::size_t>(starts_batching[i])];
    }
    // A window that does not fit is dropped as a whole.
    Value *fits = k.b.getTrue();
    for (std::size_t i = 0; i < to_operand.size(); ++i) {
      const auto d = static_cast<std::size_t>(to_operand[i]);
      if (vector_dim < starts.rank()) {
        start_indices[vector_dim] = k.constant(static_cast<std::int64_t>(i));
      }
      Value *start = generator.element(instruction.operand(count), start_indices);
      start =
          is_signed(starts.dtype) ? k.b.CreateSExt(start, k.b.getInt64Ty()) : k.b.CreateZExt(start, k.b.getInt64Ty());
      const std::int64_t size =
          window_of_operand[d] < 0 ? 1 : update.dims[static_cast<std::size_t>(window_of_operand[d])];
      // As unsigned: negative starts are too large as well.
      const std::int64_t room = operand.dims[d] - size;
      fits = room < 0 ? k.b.getFalse()
                      : k.b.CreateAnd(fits, k.b.CreateICmpULE(start, k.b.getInt64(static_cast<std::uint64_t>(room))));
      origin[d] = k.of(start);
    }
    k.if_then(fits, [&] {
      const std::vector<LoopGroup> groups = generator.groups(updates, window_order);
      // The same elements of operand must follow each other too, so merged loops are taken apart.
      std::vector<LoopGroup> single;
      for (const LoopGroup &group : groups) {
        for (const std::int64_t d : group.dims) {
          single.push_back({{d}, update.dims[static_cast<std::size_t>(d)]});
        }
      }
      if (single.empty()) {
        single.emplace_back();
      }
      const unsigned lanes = generator.preferred_lanes(updates, single.back().size);
      generator.nest(single, update, lanes, Indices(position.begin(), position.end()),
                     [&](std::span<const Index> from) {
                       Indices to = origin;
                       for (std::size_t d = 0; d < operand.rank(); ++d) {
                         if (window_of_operand[d] >= 0) {
                           to[d] = k.add(to[d], from[static_cast<std::size_t>(window_of_operand[d])]);
                         }
                       }
                       const Index offset = k.linear(to, operand.dims, operand.strides);
                       std::vector<Value *> arguments;
                       for (std::size_t i = 0; i < count; ++i) {
                         arguments.push_back(k.load(site.results[i], offset, instruction.shape(i).dtype));
                       }
                       for (const std::uint32_t value : updates) {
                         arguments.push_back(generator.element(value, from));
                       }
                       k.same_lanes(arguments);
                       const std::vector<Value *> combined = generator.call(instruction.called(0), arguments);
                       for (std::size_t i = 0; i < count; ++i) {
                         k.store(site.results[i], offset, combined[i], instruction.shape(i).dtype);
                       }
                     });
    });
  });
}

void emit_select_and_scatter(Generator &generator, KernelBuilder &k, const KernelSite &site) {
  const InstructionView instruction = site.instruction;
  const Shape &operand = instruction.operand_shape(0);
  const Shape &source = instruction.operand_shape(1);
  const auto window = instruction.numbers(BP_ATTR_WINDOW);
  const std::size_t rank = operand.rank();
  const auto i64 = [&](std::int64_t v) { return k.b.getInt64(static_cast<std::uint64_t>(v)); };
  Value *initial = generator.element(instruction.operand(2), {});
  k.loop(0, operand.elements, 1, [&](Value *i) { k.store(site.results[0], k.of(i), initial, operand.dtype); });
  std::vector<LoopGroup> loops;
  for (const std::int64_t d : source.major_to_minor()) {
    loops.push_back({{d}, source.dims[static_cast<std::size_t>(d)]});
  }
  if (loops.empty()) {
    loops.emplace_back();
  }
  generator.nest(loops, source, 1, Indices(rank, k.constant(0)), [&](std::span<const Index> at) {
    // Carried: whether any element was seen, the selected one, and its offset in operand.
    Indices from(rank);
    const std::function<std::vector<Value *>(std::size_t, std::vector<Value *>)> level =
        [&](std::size_t d, std::vector<Value *> best) -> std::vector<Value *> {
      if (d == rank) {
        Value *candidate = generator.element(instruction.operand(0), from);
        const Index offset = k.linear(from, operand.dims, operand.strides);
        Value *arguments[] = {best[1], candidate};
        Value *keep = k.b.CreateAnd(best[0], generator.call(instruction.called(0), arguments)[0]);
        return {k.b.getTrue(), k.b.CreateSelect(keep, best[1], candidate),
                k.b.CreateSelect(keep, best[2], k.scalar(offset))};
      }
      return k.loop(0, window[7 * d], 1, best, [&](Value *tap, std::span<Value *const> carried) {
        from[d] = k.add(k.add(k.multiply(at[d], window[7 * d + 1]), k.of(tap)), -window[7 * d + 2]);
        Value *position = k.scalar(from[d]);
        const std::vector<Value *> now(carried.begin(), carried.end());
        // As unsigned: what lies before the operand is too large as well.
        return k.branch(
            k.b.CreateICmpULT(position, i64(operand.dims[d])), [&] { return level(d + 1, now); }, [&] { return now; });
      });
    };
    const std::vector<Value *> best =
        level(0, {k.b.getFalse(), llvm::Constant::getNullValue(compute_type(k.b.getContext(), operand.dtype)), i64(0)});
    k.if_then(best[0], [&] {
      Value *arguments[] = {k.load(site.results[0], k.of(best[2]), operand.dtype),
                            generator.element(instruction.operand(1), at)};
      k.store(site.results[0], k.of(best[2]), generator.call(instruction.called(1), arguments)[0], operand.dtype);
    });
  });
}

}  // namespace bp::emit
