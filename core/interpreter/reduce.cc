// reduce and map. An add, multiply, maximum etc. is computed directly, in the sum type (double for floats), and rounded
// once; any other reducer is called as a scalar function, with many results at a time.
#include "core/interpreter/reducer.h"
#include "core/interpreter/scalar_function.h"
#include "core/interpreter/strided_copy.h"

namespace bp::interpreter {
namespace {

// Consecutive dimensions of the operand that are all kept or all reduced, joined to one.
struct Run {
  std::int64_t size;
  bool reduced;
};
std::vector<Run> runs_of(const Shape &shape, std::span<const std::int64_t> reduced_dimensions) {
  std::vector<bool> reduced(shape.rank());
  for (std::int64_t d : reduced_dimensions) {
    reduced[static_cast<std::size_t>(d)] = true;
  }
  std::vector<Run> runs;
  for (std::size_t d = 0; d < shape.rank(); ++d) {
    if (shape.size(d) == 1) {
      continue;
    }
    if (!runs.empty() && runs.back().reduced == reduced[d]) {
      runs.back().size *= shape.size(d);
    } else {
      runs.push_back({shape.size(d), reduced[d]});
    }
  }
  if (runs.empty()) {
    runs.push_back({shape.element_count(), true});
  }
  return runs;
}

// Visits the operand in its own order: calls body(first element, first result, count, reduced) for each run of the
// innermost dimension. If it is reduced, its `count` elements all belong to that result, otherwise to consecutive
// results.
template <class Body>
Status for_each_row(std::span<const Run> runs, Body &&body) {
  const Run &row = runs.back();
  if (row.size == 0) {
    return {};
  }
  std::span<const Run> outer = runs.first(runs.size() - 1);
  Dimensions sizes, strides(outer.size(), 0);
  for (const Run &run : outer) {
    sizes.push_back(run.size);
  }
  std::int64_t stride = row.reduced ? 1 : row.size;
  for (std::size_t d = outer.size(); d-- > 0;) {
    if (!outer[d].reduced) {
      strides[d] = stride;
      stride *= outer[d].size;
    }
  }
  std::int64_t first = 0;
  Status status;
  for_each_index(std::span(sizes.data(), sizes.size()), [&](std::span<const std::int64_t> index) {
    std::int64_t result = 0;
    for (std::size_t d = 0; d < index.size(); ++d) {
      result += index[d] * strides[d];
    }
    if (status.ok()) {
      status = body(first, result, row.size, row.reduced);
    }
    first += row.size;
  });
  return status;
}

// For one operand and a reducer that is one op: accumulates all results together in the sum type.
template <class Sum, class Combine>
Result<Literal> reduce_plain(Evaluator &evaluator, const Shape &shape, const Literal &operand, const Literal &initial,
                             std::span<const Run> runs, Combine combine) {
  ElementType type = shape.element_type();
  ConvertLoop widen = widening_loop(type, sum_of(type));
  auto widened = [&](const std::byte *from, std::size_t count, Sum *room) {
    if (widen == nullptr) {
      return reinterpret_cast<const Sum *>(from);
    }
    widen(from, room, count);
    return static_cast<const Sum *>(room);
  };
  Sum room[256];
  BP_ASSIGN(Literal result, evaluator.allocate(shape));
  std::vector<Sum> sums(static_cast<std::size_t>(shape.element_count()), *widened(initial.bytes().data(), 1, room));
  auto width = static_cast<std::int64_t>(element_width(shape));
  BP_TRY(for_each_row(runs, [&](std::int64_t first, std::int64_t at, std::int64_t count, bool reduced) -> Status {
    for (std::int64_t begin = 0; begin < count; begin += std::ssize(room)) {
      std::int64_t length = std::min(std::ssize(room), count - begin);
      const Sum *row =
          widened(operand.bytes().data() + (first + begin) * width, static_cast<std::size_t>(length), room);
      Sum *into = sums.data() + (reduced ? at : at + begin);
      if (reduced) {
        Sum sum = *into;
        for (std::int64_t i = 0; i < length; ++i) {
          sum = combine(sum, row[i]);
        }
        *into = sum;
      } else {
        for (std::int64_t i = 0; i < length; ++i) {
          into[i] = combine(into[i], row[i]);
        }
      }
    }
    return {};
  }));
  store_sums<Sum>(sums, type, result.mutable_bytes().data());
  return result;
}

// For any reducer and number of operands. Accumulates in the results.
Result<Literal> reduce_general(Evaluator &evaluator, const Instruction &instruction, Operands operands,
                               std::span<const Run> runs, ScalarFunction &function) {
  std::size_t count = operands.size() / 2;
  std::vector<Literal> results;
  for (std::size_t i = 0; i < count; ++i) {
    const Shape &shape =
        count == 1 && !instruction.shape().is_tuple() ? instruction.shape() : instruction.shape().elements()[i];
    Walk same_everywhere{0, Dimensions(shape.rank(), 0)};
    BP_ASSIGN(Literal result, gathered(evaluator, shape, operands[count + i], same_everywhere));
    results.push_back(std::move(result));
  }
  std::vector<const std::byte *> arguments(2 * count);
  std::vector<std::byte *> outputs(count);
  BP_TRY(for_each_row(runs, [&](std::int64_t first, std::int64_t at, std::int64_t length, bool reduced) -> Status {
    // A reduced row is `length` calls on one lane, a kept row is one call on `length` lanes.
    for (std::int64_t step = 0; step < (reduced ? length : 1); ++step) {
      for (std::size_t i = 0; i < count; ++i) {
        auto width = static_cast<std::int64_t>(element_width(results[i].shape()));
        outputs[i] = results[i].mutable_bytes().data() + at * width;
        arguments[i] = outputs[i];
        auto operand_width = static_cast<std::int64_t>(element_width(operands[i].shape()));
        arguments[count + i] = operands[i].bytes().data() + (first + step) * operand_width;
      }
      BP_TRY(function(arguments, outputs, static_cast<std::size_t>(reduced ? 1 : length)));
    }
    return {};
  }));
  return instruction.shape().is_tuple() ? Literal::tuple(std::move(results)) : std::move(results[0]);
}

}  // namespace

Result<Literal> evaluate_reduce(Evaluator &evaluator, const Instruction &instruction, Operands operands) {
  std::size_t count = operands.size() / 2;
  std::vector<Run> runs = runs_of(operands[0].shape(), instruction.dimensions());
  BP_ASSIGN(ScalarFunction * function, evaluator.scalar_function(instruction.called(0)));
  if (count == 1 && function->plain_op() != Opcode::Invalid && !instruction.shape().is_tuple()) {
    std::optional<Result<Literal>> result;
    visit_sum(instruction.shape().element_type(), [&]<class Sum>() {
      visit_plain_reducer<Sum>(function->plain_op(), [&](auto combine) {
        result = reduce_plain<Sum>(evaluator, instruction.shape(), operands[0], operands[1], runs, combine);
      });
    });
    if (result.has_value()) {
      return *std::move(result);
    }
  }
  return reduce_general(evaluator, instruction, operands, runs, *function);
}

Result<Literal> evaluate_map(Evaluator &evaluator, const Instruction &instruction, Operands operands) {
  BP_ASSIGN(ScalarFunction * function, evaluator.scalar_function(instruction.called(0)));
  BP_ASSIGN(Literal result, evaluator.allocate(instruction.shape()));
  std::vector<const std::byte *> arguments;
  for (const Literal &operand : operands) {
    arguments.push_back(operand.bytes().data());
  }
  std::byte *output = result.mutable_bytes().data();
  BP_TRY((*function)(arguments, std::span(&output, 1), static_cast<std::size_t>(instruction.shape().element_count())));
  return result;
}

}  // namespace bp::interpreter
