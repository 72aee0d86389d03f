// Dot: batch, free and contracting dimensions become lists of element offsets; contraction.h computes the sums.
#include "core/interpreter/dot.h"
#include "core/interpreter/contraction.h"
#include "core/interpreter/strided_copy.h"

namespace bp::interpreter {
namespace {

using ir::AttributeKey;

// Returns the offsets of all indices of the given dimensions, in row-major order of these dimensions.
std::vector<std::int64_t> offsets(const Shape &shape, std::span<const std::int64_t> dimensions) {
  Dimensions strides = dense_strides(shape.sizes());
  std::vector<std::int64_t> result{0};
  for (std::int64_t dimension : dimensions) {
    auto d = static_cast<std::size_t>(dimension);
    std::vector<std::int64_t> next;
    next.reserve(result.size() * static_cast<std::size_t>(shape.size(d)));
    for (std::int64_t offset : result) {
      for (std::int64_t i = 0; i < shape.size(d); ++i) {
        next.push_back(offset + i * strides[d]);
      }
    }
    result = std::move(next);
  }
  return result;
}

Dimensions free_dimensions(const Shape &shape, std::span<const std::int64_t> batch,
                           std::span<const std::int64_t> contracting) {
  Dimensions result;
  for (std::int64_t d = 0; d < static_cast<std::int64_t>(shape.rank()); ++d) {
    if (std::ranges::find(batch, d) == batch.end() && std::ranges::find(contracting, d) == contracting.end()) {
      result.push_back(d);
    }
  }
  return result;
}

struct Side {
  std::vector<std::int64_t> batch, free, depth;
};
Side make_side(const Shape &shape, std::span<const std::int64_t> batch, std::span<const std::int64_t> contracting) {
  Dimensions free = free_dimensions(shape, batch, contracting);
  return {offsets(shape, batch), offsets(shape, std::span(free.data(), free.size())), offsets(shape, contracting)};
}

template <class Sum>
struct DotLoaders {
  const Side &lhs, &rhs;
  const std::byte *lhs_elements, *rhs_elements;
  std::int64_t lhs_width, rhs_width;
  PanelLoader<Sum> lhs_loader, rhs_loader;
  std::byte *result;
  std::int64_t result_width;
  ConvertLoop narrow;

  static std::span<const std::int64_t> part(const std::vector<std::int64_t> &all, std::int64_t first,
                                            std::int64_t count) {
    return std::span(all).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
  }
  void load_lhs(std::int64_t batch, std::int64_t row, std::int64_t rows, std::int64_t k, std::int64_t count,
                Sum *panel) const {
    lhs_loader(lhs_elements + lhs.batch[static_cast<std::size_t>(batch)] * lhs_width, part(lhs.free, row, rows),
               part(lhs.depth, k, count), panel, panel_rows);
  }
  void load_rhs(std::int64_t batch, std::int64_t k, std::int64_t count, std::int64_t column, std::int64_t columns,
                Sum *panel) const {
    rhs_loader(rhs_elements + rhs.batch[static_cast<std::size_t>(batch)] * rhs_width, part(rhs.free, column, columns),
               part(rhs.depth, k, count), panel, panel_columns);
  }
  void store(std::int64_t batch, std::int64_t row, std::int64_t column, std::int64_t columns, const Sum *sums) const {
    std::int64_t at = (batch * std::ssize(lhs.free) + row) * std::ssize(rhs.free) + column;
    if (narrow == nullptr) {
      std::copy_n(sums, columns, reinterpret_cast<Sum *>(result) + at);
    } else {
      narrow(sums, result + at * result_width, static_cast<std::size_t>(columns));
    }
  }
};

}  // namespace

Result<Literal> evaluate_dot(Evaluator &evaluator, const Instruction &instruction, Operands operands) {
  return dot(evaluator, instruction.shape(), DotNumbers(instruction), std::move(operands[0]), std::move(operands[1]));
}

DotNumbers::DotNumbers(const Instruction &instruction) {
  auto numbers = [&](AttributeKey key) {
    std::span<const std::int64_t> list = instruction.numbers(key);
    return Dimensions(list.begin(), list.end());
  };
  lhs_batch = numbers(AttributeKey::LhsBatchDims);
  lhs_contracting = numbers(AttributeKey::LhsContractingDims);
  rhs_batch = numbers(AttributeKey::RhsBatchDims);
  rhs_contracting = numbers(AttributeKey::RhsContractingDims);
}

Result<Literal> dot(const Evaluator &evaluator, const Shape &shape, const DotNumbers &numbers, Literal lhs,
                    Literal rhs) {
  ElementType type = shape.element_type();
  BP_ASSIGN(lhs, in_sum_class(evaluator, std::move(lhs), type));
  BP_ASSIGN(rhs, in_sum_class(evaluator, std::move(rhs), type));
  Side lhs_side = make_side(lhs.shape(), numbers.lhs_batch, numbers.lhs_contracting);
  Side rhs_side = make_side(rhs.shape(), numbers.rhs_batch, numbers.rhs_contracting);
  BP_ASSIGN(Literal result, evaluator.allocate(shape));
  ContractionSize size{std::ssize(lhs_side.batch), std::ssize(lhs_side.free), std::ssize(rhs_side.free),
                       std::ssize(lhs_side.depth)};
  std::byte *out = result.mutable_bytes().data();
  visit_sum(type, [&]<class Sum>() {
    contract<Sum>(evaluator, size, [&] {
      return DotLoaders<Sum>{lhs_side,
                             rhs_side,
                             lhs.bytes().data(),
                             rhs.bytes().data(),
                             ir::byte_width(lhs.shape().element_type()),
                             ir::byte_width(rhs.shape().element_type()),
                             panel_loader<Sum>(lhs.shape().element_type()),
                             panel_loader<Sum>(rhs.shape().element_type()),
                             out,
                             ir::byte_width(type),
                             narrowing_loop(sum_of(type), type)};
    });
  });
  return result;
}

}  // namespace bp::interpreter
