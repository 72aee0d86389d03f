// Ops that combine values into a result at positions known only at run time. Scatter: one update window after the
// other, with vectors along the window. On a threaded target, windows that cannot meet at the same position run in
// parallel; if the indices are sorted, one thread does all windows of the same position. Select-and-scatter: one source
// element after the other; on a threaded target, one thread for each element of the result.
#include <llvm/IR/Intrinsics.h>

#include <algorithm>
#include <bit>

#include "plugins/llvm/kernel/kernel.h"
#include "plugins/llvm/kernel/kinds.h"
#include "plugins/llvm/scalar/element_type.h"
#include "plugins/llvm/scalar/elementwise.h"

namespace bp::emit {

using llvm::Value;

namespace {

bool is_in(std::span<const std::int64_t> list, std::size_t d) {
  return std::ranges::find(list, static_cast<std::int64_t>(d)) != list.end();
}

class ScatterKernel {
 public:
  ScatterKernel(Generator &generator, KernelBuilder &builder, const KernelSite &site, const VectorTarget &target)
      : generator_(generator),
        k_(builder),
        site_(site),
        target_(target),
        instruction_(*scatter_in(site.instruction)),
        count_(instruction_.operand_count() / 2),
        operand_(instruction_.operand_shape(0)),
        starts_(instruction_.operand_shape(count_)),
        update_(instruction_.operand_shape(count_ + 1)),
        window_dims_(instruction_.numbers(BP_ATTR_UPDATE_WINDOW_DIMS)),
        to_operand_(instruction_.numbers(BP_ATTR_SCATTER_DIMS_TO_OPERAND_DIMS)),
        operand_batching_(instruction_.numbers(BP_ATTR_INPUT_BATCHING_DIMS)),
        starts_batching_(instruction_.numbers(BP_ATTR_SCATTER_INDICES_BATCHING_DIMS)),
        vector_dim_(static_cast<std::size_t>(instruction_.number(BP_ATTR_INDEX_VECTOR_DIM))),
        window_of_operand_(operand_.rank(), -1),
        starts_of_update_(update_.rank(), starts_.rank()) {
    const auto inserted = instruction_.numbers(BP_ATTR_INSERTED_WINDOW_DIMS);
    std::size_t next_window = 0;
    for (std::size_t d = 0; d < operand_.rank(); ++d) {
      if (!is_in(inserted, d) && !is_in(operand_batching_, d)) {
        window_of_operand_[d] = window_dims_[next_window++];
      }
    }
    std::size_t next = 0;
    for (std::size_t d = 0; d < update_.rank(); ++d) {
      if (!is_in(window_dims_, d)) {
        next += next == vector_dim_ ? 1 : 0;
        starts_of_update_[d] = next++;
        window_numbers_.push_back(d);
      }
    }
    for (std::size_t i = 0; i < count_; ++i) {
      updates_.push_back(instruction_.operand(count_ + 1 + i));
    }
  }

  // Returns the number of items: one, unless the target is threaded.
  std::int64_t emit() {
    if (site_.instruction.op() == BP_OP_FUSION) {
      generator_.bind_parameters(site_.instruction.called(0), site_.instruction.operands());
      generator_.bind_scalars(site_.instruction.called(0));
    }
    if (!target_.is_threaded) {
      for (std::size_t i = 0; i < count_; ++i) {
        if (site_.in_place[i] < 0) {
          Value *before = site_.operands[scattered_operand(site_.instruction, i)];
          k_.b.CreateMemCpy(site_.results[i], llvm::MaybeAlign(1), before, llvm::MaybeAlign(1),
                            static_cast<std::uint64_t>(operand_.elements) * storage_bytes(instruction_.shape(i).dtype));
        }
      }
    }
    if (update_.elements == 0) {
      return 1;
    }
    choose_order();
    std::vector<LoopGroup> threads, outer, inner;
    for (const std::int64_t d : update_.major_to_minor()) {
      const auto n = static_cast<std::size_t>(d);
      if (update_.dims[n] > 1) {
        std::vector<LoopGroup> &loops = is_parallel(n) ? threads : is_in(window_dims_, n) ? inner : outer;
        loops.push_back({{d}, update_.dims[n]});
      }
    }
    for (std::vector<LoopGroup> *loops : {&threads, &outer, &inner}) {
      if (loops->empty()) {
        loops->emplace_back();
      }
    }
    const unsigned lanes = target_.is_threaded ? 1 : generator_.preferred_lanes(updates_, inner.back().size);
    const auto emit_windows = [&](std::span<const Index> of_thread) {
      if (is_sorted_) {
        emit_run(Indices(of_thread.begin(), of_thread.end()));
        return;
      }
      generator_.nest(outer, update_, 1, Indices(of_thread.begin(), of_thread.end()),
                      [&](std::span<const Index> position) { emit_window(position, inner, lanes); });
    };
    const Indices zeros(update_.rank(), k_.constant(0));
    if (!target_.is_threaded) {
      emit_windows(zeros);
      return 1;
    }
    const Generator::Range range{site_.begin, site_.end};
    generator_.nest(threads, update_, 1, zeros, emit_windows, &range);
    return generator_.items(threads, 1);
  }

 private:
  // Threads have no order, so updates of the same position are either combined in any order with the same result, or by
  // one thread, in the order in which a single thread would do all of them.
  void choose_order() {
    atomic_ = target_.is_threaded && instruction_.number(BP_ATTR_UNIQUE_INDICES) == 0 ? atomic_combiner() : 0;
    is_all_parallel_ = target_.is_threaded && (atomic_ != 0 || instruction_.number(BP_ATTR_UNIQUE_INDICES) != 0);
    // Equal positions are then next to each other, and the first of their threads does all of them.
    is_sorted_ =
        target_.is_threaded && !is_all_parallel_ && instruction_.number(BP_ATTR_INDICES_ARE_SORTED) != 0 &&
        window_numbers_.size() == 1 && starts_batching_.empty() &&
        std::ranges::all_of(window_dims_, [&](std::int64_t d) { return is_parallel(static_cast<std::size_t>(d)); });
  }

  // Returns the op if it is an integer op that a single instruction applies to memory (such ops are associative and
  // commutative), else 0.
  std::uint16_t atomic_combiner() const {
    const std::uint16_t op = count_ == 1 ? simple_reducer(instruction_.called(0)) : 0;
    const std::uint16_t dtype = instruction_.shape().dtype;
    const bool has_words = is_integer(dtype) && (value_bits(dtype) == 32 || value_bits(dtype) == 64);
    return op != BP_OP_MULTIPLY && has_words ? op : 0;
  }

  // Whether elements of the updates that differ in this dimension never have the same position, or may be combined at
  // any time.
  bool is_parallel(std::size_t d) const {
    if (!target_.is_threaded || is_all_parallel_) {
      return target_.is_threaded;
    }
    if (!is_in(window_dims_, d)) {  // each element of a batch has a part of the operand of its own
      return is_sorted_ || is_in(starts_batching_, starts_of_update_[d]);
    }
    const auto moved = static_cast<std::size_t>(std::ranges::find(window_of_operand_, static_cast<std::int64_t>(d)) -
                                                window_of_operand_.begin());
    // Windows that start at different positions of this dimension may overlap, unless they have one element.
    return update_.dims[d] == 1 || !is_in(to_operand_, moved) || operand_.dims[moved] <= update_.dims[d];
  }

  struct Window {
    Indices origin;               // in the operand
    std::vector<Value *> starts;  // start indices as given, i64
    Value *fits = nullptr;        // i1: whether it is inside the operand; otherwise it is dropped as a whole
  };

  // Returns the window of the updates at `position`, whose coordinates within the window are ignored.
  Window window_at(std::span<const Index> position) {
    Indices start_indices(starts_.rank(), k_.constant(0));
    for (const std::size_t d : window_numbers_) {
      start_indices[starts_of_update_[d]] = position[d];
    }
    Window window{Indices(operand_.rank(), k_.constant(0)), {}, k_.b.getTrue()};
    for (std::size_t i = 0; i < operand_batching_.size(); ++i) {
      window.origin[static_cast<std::size_t>(operand_batching_[i])] =
          start_indices[static_cast<std::size_t>(starts_batching_[i])];
    }
    for (std::size_t i = 0; i < to_operand_.size(); ++i) {
      const auto d = static_cast<std::size_t>(to_operand_[i]);
      if (vector_dim_ < starts_.rank()) {
        start_indices[vector_dim_] = k_.constant(static_cast<std::int64_t>(i));
      }
      Value *start = generator_.element(instruction_.operand(count_), start_indices);
      start = is_signed(starts_.dtype) ? k_.b.CreateSExt(start, k_.b.getInt64Ty())
                                       : k_.b.CreateZExt(start, k_.b.getInt64Ty());
      const std::int64_t size =
          window_of_operand_[d] < 0 ? 1 : update_.dims[static_cast<std::size_t>(window_of_operand_[d])];
      // Compared as unsigned numbers: negative starts are too large as well.
      const std::int64_t room = operand_.dims[d] - size;
      window.fits = room < 0 ? k_.b.getFalse() : k_.b.CreateAnd(window.fits, k_.b.CreateICmpULE(start, integer(room)));
      window.origin[d] = k_.of(start);
      window.starts.push_back(start);
    }
    return window;
  }

  // Emits the window of updates at `position`; this thread does the elements of the inner loops.
  void emit_window(std::span<const Index> position, std::span<const LoopGroup> inner, unsigned lanes) {
    const Window window = window_at(position);
    k_.if_then(window.fits, [&] {
      generator_.nest(inner, update_, lanes, Indices(position.begin(), position.end()),
                      [&](std::span<const Index> from) { emit_element(window.origin, from); });
    });
  }

  // Emits the element of the updates at `position`, together with those of the following windows with the same start,
  // if its window is the first one with that start.
  void emit_run(Indices position) {
    const std::size_t d = window_numbers_[0];
    Value *first = k_.scalar(position[d]);
    const Window window = window_at(position);
    const auto is_same_place = [&](Value *at) {
      position[d] = k_.of(at);
      const Window other = window_at(position);
      Value *is_same = k_.b.getTrue();
      for (std::size_t i = 0; i < to_operand_.size(); ++i) {
        is_same = k_.b.CreateAnd(is_same, k_.b.CreateICmpEQ(other.starts[i], window.starts[i]));
      }
      return is_same;
    };
    Value *before = k_.b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, k_.b.CreateSub(first, integer(1)), integer(0));
    Value *is_first = k_.b.CreateOr(k_.b.CreateICmpEQ(first, integer(0)), k_.b.CreateNot(is_same_place(before)));
    k_.if_then(k_.b.CreateAnd(window.fits, is_first), [&] {
      Value *end = end_of_run(k_.b.CreateAdd(first, integer(1)), update_.dims[d], is_same_place);
      const Index offset = place_in(window.origin, position);
      const std::vector<Value *> combined =
          k_.dynamic_loop(first, end, integer(1), elements_at(offset), [&](Value *at, std::span<Value *const> so_far) {
            position[d] = k_.of(at);
            return combine({so_far.begin(), so_far.end()}, position);
          });
      store_at(offset, combined);
    });
  }

  // Returns the first number from `begin` to `limit` that does not belong to the run, given that those of the run come
  // first.
  Value *end_of_run(Value *begin, std::int64_t limit, const std::function<Value *(Value *)> &is_in_run) {
    const auto exists = [&](Value *at) { return k_.b.CreateICmpSLT(at, integer(limit)); };
    const auto goes_on_at = [&](Value *at) {
      return k_.branch(
          exists(at), [&] { return std::vector<Value *>{is_in_run(at)}; },
          [&] { return std::vector<Value *>{k_.b.getFalse()}; })[0];
    };
    const auto search = [&] {
      const auto steps = static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(limit)));
      return k_.loop(0, steps, 1, {begin, integer(limit)}, [&](Value *, std::span<Value *const> bounds) {
        Value *low = bounds[0], *high = bounds[1];
        Value *middle = k_.b.CreateLShr(k_.b.CreateAdd(low, high), 1);
        Value *goes_on = goes_on_at(middle);
        return std::vector<Value *>{k_.b.CreateSelect(goes_on, k_.b.CreateAdd(middle, integer(1)), low),
                                    k_.b.CreateSelect(goes_on, high, middle)};
      });
    };
    // In most cases the run has no other element.
    return k_.branch(
        goes_on_at(begin), [&] { return std::vector<Value *>{search()[1]}; },
        [&] { return std::vector<Value *>{begin}; })[0];
  }

  // Returns the offset to which an element of the updates belongs if its window begins at `origin`.
  Index place_in(const Indices &origin, std::span<const Index> from) {
    Indices to = origin;
    for (std::size_t d = 0; d < operand_.rank(); ++d) {
      if (window_of_operand_[d] >= 0) {
        to[d] = k_.add(to[d], from[static_cast<std::size_t>(window_of_operand_[d])]);
      }
    }
    return k_.linear(to, operand_.dims, operand_.strides);
  }

  std::vector<Value *> elements_at(const Index &offset) {
    std::vector<Value *> elements;
    for (std::size_t i = 0; i < count_; ++i) {
      elements.push_back(k_.load(site_.results[i], offset, instruction_.shape(i).dtype));
    }
    return elements;
  }

  void store_at(const Index &offset, std::span<Value *const> elements) {
    for (std::size_t i = 0; i < count_; ++i) {
      k_.store(site_.results[i], offset, elements[i], instruction_.shape(i).dtype);
    }
  }

  // Returns the combination of the existing values and the updates at `from`.
  std::vector<Value *> combine(std::vector<Value *> arguments, std::span<const Index> from) {
    for (const std::uint32_t value : updates_) {
      arguments.push_back(generator_.element(value, from));
    }
    k_.same_lanes(arguments);
    return generator_.call(instruction_.called(0), arguments);
  }

  void emit_element(const Indices &origin, std::span<const Index> from) {
    const Index offset = place_in(origin, from);
    if (atomic_ != 0) {
      combine_atomically(offset, generator_.element(updates_[0], from));
    } else {
      store_at(offset, combine(elements_at(offset), from));
    }
  }

  void combine_atomically(const Index &offset, Value *update) {
    const std::uint16_t dtype = instruction_.shape().dtype;
    const auto operation = [&] {
      using Op = llvm::AtomicRMWInst;
      switch (atomic_) {
        case BP_OP_ADD: return Op::Add;
        case BP_OP_AND: return Op::And;
        case BP_OP_OR: return Op::Or;
        case BP_OP_MAXIMUM: return is_signed(dtype) ? Op::Max : Op::UMax;
        default: return is_signed(dtype) ? Op::Min : Op::UMin;
      }
    }();
    Value *address = k_.b.CreateGEP(update->getType(), site_.results[0], k_.scalar(offset));
    k_.b.CreateAtomicRMW(operation, address, update, llvm::MaybeAlign(storage_bytes(dtype)),
                         llvm::AtomicOrdering::Monotonic);
  }

  Value *integer(std::int64_t value) const { return k_.b.getInt64(static_cast<std::uint64_t>(value)); }

  Generator &generator_;
  KernelBuilder &k_;
  const KernelSite &site_;
  const VectorTarget &target_;
  const InstructionView instruction_;
  const std::size_t count_;
  const Shape &operand_, &starts_, &update_;
  const std::span<const std::int64_t> window_dims_, to_operand_, operand_batching_, starts_batching_;
  const std::size_t vector_dim_;
  std::vector<std::int64_t> window_of_operand_;  // by operand dimension: the dimension of update that moves it, or -1
  // By dimension of update: for those that are not window dimensions, the dimension of starts.
  std::vector<std::size_t> starts_of_update_;
  // Dimensions of update that are not window dimensions: they select the window.
  std::vector<std::size_t> window_numbers_;
  std::vector<std::uint32_t> updates_;
  std::uint16_t atomic_ = 0;
  bool is_all_parallel_ = false, is_sorted_ = false;
};

}  // namespace

std::int64_t emit_scatter(Generator &generator, KernelBuilder &builder, const KernelSite &site,
                          const VectorTarget &target) {
  return ScatterKernel(generator, builder, site, target).emit();
}

namespace {

class SelectAndScatterKernel {
 public:
  SelectAndScatterKernel(Generator &generator, KernelBuilder &builder, const KernelSite &site)
      : generator_(generator),
        k_(builder),
        site_(site),
        instruction_(site.instruction),
        operand_(instruction_.operand_shape(0)),
        source_(instruction_.operand_shape(1)),
        window_(instruction_.numbers(BP_ATTR_WINDOW)),
        initial_(generator.element(instruction_.operand(2), {})) {}

  // Emits a loop over the source elements.
  void emit() {
    k_.loop(0, operand_.elements, 1, [&](Value *i) { k_.store(site_.results[0], k_.of(i), initial_, operand_.dtype); });
    const Indices zeros(operand_.rank(), k_.constant(0));
    generator_.nest(loops_over(source_), source_, 1, zeros, [&](std::span<const Index> at) {
      const std::vector<Value *> best = select(at);
      k_.if_then(best[0], [&] {
        Value *before = k_.load(site_.results[0], k_.of(best[2]), operand_.dtype);
        k_.store(site_.results[0], k_.of(best[2]), combine(before, at), operand_.dtype);
      });
    });
  }

  // Emits one element of the result per item: combines, in the order of emit(), the windows that contain the element
  // and select it.
  std::int64_t emit_by_element() {
    const std::vector<LoopGroup> loops = loops_over(operand_);
    const Indices zeros(operand_.rank(), k_.constant(0));
    const Generator::Range range{site_.begin, site_.end};
    generator_.nest(
        loops, operand_, 1, zeros,
        [&](std::span<const Index> to) {
          const Index own = k_.linear(to, operand_.dims, operand_.strides);
          Indices at(to.size(), k_.constant(0));
          k_.store(site_.results[0], own, over_windows(to, k_.scalar(own), at, 0, initial_), operand_.dtype);
        },
        &range);
    return generator_.items(loops, 1);
  }

 private:
  std::int64_t size(std::size_t d) const { return window_[7 * d]; }
  std::int64_t stride(std::size_t d) const { return window_[7 * d + 1]; }
  std::int64_t low(std::size_t d) const { return window_[7 * d + 2]; }
  Value *integer(std::int64_t value) const { return k_.b.getInt64(static_cast<std::uint64_t>(value)); }

  static std::vector<LoopGroup> loops_over(const Shape &shape) {
    std::vector<LoopGroup> loops;
    for (const std::int64_t d : shape.major_to_minor()) {
      loops.push_back({{d}, shape.dims[static_cast<std::size_t>(d)]});
    }
    if (loops.empty()) {
      loops.emplace_back();
    }
    return loops;
  }

  // Returns for the window of a source element: whether it contains an element of the operand, the selected one, and
  // that one's offset in the operand.
  std::vector<Value *> select(std::span<const Index> at) {
    Indices from(operand_.rank());
    const std::function<std::vector<Value *>(std::size_t, std::vector<Value *>)> level =
        [&](std::size_t d, std::vector<Value *> best) -> std::vector<Value *> {
      if (d == operand_.rank()) {
        Value *candidate = generator_.element(instruction_.operand(0), from);
        const Index offset = k_.linear(from, operand_.dims, operand_.strides);
        Value *arguments[] = {best[1], candidate};
        Value *keep = k_.b.CreateAnd(best[0], generator_.call(instruction_.called(0), arguments)[0]);
        return {k_.b.getTrue(), k_.b.CreateSelect(keep, best[1], candidate),
                k_.b.CreateSelect(keep, best[2], k_.scalar(offset))};
      }
      return k_.loop(0, size(d), 1, best, [&](Value *tap, std::span<Value *const> carried) {
        from[d] = k_.add(k_.add(k_.multiply(at[d], stride(d)), k_.of(tap)), -low(d));
        Value *position = k_.scalar(from[d]);
        const std::vector<Value *> now(carried.begin(), carried.end());
        // Compared as unsigned numbers: positions before the operand are too large as well.
        return k_.branch(
            k_.b.CreateICmpULT(position, integer(operand_.dims[d])), [&] { return level(d + 1, now); },
            [&] { return now; });
      });
    };
    return level(0, {k_.b.getFalse(), llvm::Constant::getNullValue(compute_type(k_.b.getContext(), operand_.dtype)),
                     integer(0)});
  }

  Value *combine(Value *before, std::span<const Index> at) {
    Value *arguments[] = {before, generator_.element(instruction_.operand(1), at)};
    return generator_.call(instruction_.called(1), arguments)[0];
  }

  // Returns the value of an element after the windows that contain it: from loop `level` on, whose dimensions are those
  // of source from major to minor. The last window that may contain it begins at or before it; each other one begins a
  // stride before the next.
  Value *over_windows(std::span<const Index> to, Value *own, Indices &at, std::size_t level, Value *value) {
    if (level == source_.rank()) {
      const std::vector<Value *> best = select(at);
      return k_.branch(
          k_.b.CreateICmpEQ(best[2], own), [&] { return std::vector<Value *>{combine(value, at)}; },
          [&] { return std::vector<Value *>{value}; })[0];
    }
    const auto d = static_cast<std::size_t>(source_.major_to_minor()[level]);
    const std::int64_t count = (size(d) + stride(d) - 1) / stride(d);
    Value *place = k_.scalar(k_.add(to[d], low(d)));
    Value *last = stride(d) == 1 ? place : k_.b.CreateSDiv(place, integer(stride(d)));
    return k_.loop(0, count, 1, {value}, [&](Value *i, std::span<Value *const> carried) {
      Value *window = k_.b.CreateSub(k_.b.CreateAdd(last, i), integer(count - 1));
      Value *tap = k_.b.CreateSub(place, k_.b.CreateMul(window, integer(stride(d))));
      Value *exists = k_.b.CreateICmpULT(window, integer(source_.dims[d]));
      at[d] = k_.of(window);
      return k_.branch(
          k_.b.CreateAnd(exists, k_.b.CreateICmpULT(tap, integer(size(d)))),
          [&] { return std::vector<Value *>{over_windows(to, own, at, level + 1, carried[0])}; },
          [&] { return std::vector<Value *>{carried[0]}; });
    })[0];
  }

  Generator &generator_;
  KernelBuilder &k_;
  const KernelSite &site_;
  const InstructionView instruction_;
  const Shape &operand_, &source_;
  const std::span<const std::int64_t> window_;  // seven numbers per dimension
  Value *const initial_;
};

}  // namespace

std::int64_t emit_select_and_scatter(Generator &generator, KernelBuilder &builder, const KernelSite &site,
                                     const VectorTarget &target) {
  SelectAndScatterKernel kernel(generator, builder, site);
  if (target.is_threaded) {
    return kernel.emit_by_element();
  }
  kernel.emit();
  return 1;
}

}  // namespace bp::emit
