#include "core/interpreter/received_slices.h"

#include <fmt/ranges.h>

#include "core/interpreter/strided_copy.h"

namespace bp::interpreter {

using ir::AttributeKey;

Result<Literal> received_slices(const Evaluator &evaluator, const Instruction &instruction, Operands operands) {
  bool is_tuple = operands[0].shape().is_tuple();
  auto slice_sizes = instruction.number_lists(AttributeKey::PermuteSliceSizes);
  auto next_sizes = slice_sizes.begin();
  std::vector<Literal> results;
  for (std::size_t i = 0; i < (is_tuple ? operands[0].tuple_elements().size() : 1); ++i) {
    auto part = [&](std::size_t operand) -> const Literal & {
      return is_tuple ? operands[operand].tuple_elements()[i] : operands[operand];
    };
    auto starts_in = [&](std::size_t operand) {
      const Literal &starts = part(operand);
      auto parts = starts.tuple_elements();
      return !parts.empty() && parts[0].shape().is_tuple() ? parts : std::span(&starts, 1);
    };
    const Literal &from = part(0);
    Literal to = part(1);
    for (std::size_t slice = 0; slice < starts_in(2).size(); ++slice) {
      std::span<const std::int64_t> sizes = *next_sizes++;
      auto reaches_outside = [&](const Literal &buffer) {
        return !std::ranges::equal(sizes, buffer.shape().sizes(),
                                   [](std::int64_t size, std::int64_t all) { return size >= 0 && size <= all; });
      };
      if (reaches_outside(from) || reaches_outside(to)) {
        return unsupported("a slice of sizes {{{}}} of {} in {}", fmt::join(sizes, ","), ir::to_string(from.shape()),
                           ir::to_string(to.shape()));
      }
      Walk to_walk = clamped_start(to.shape().sizes(), sizes, starts_in(3)[slice].tuple_elements());
      Walk from_walk = clamped_start(from.shape().sizes(), sizes, starts_in(2)[slice].tuple_elements());
      strided_copy(evaluator, sizes, to.mutable_bytes().data(), to_walk, from.bytes().data(), from_walk,
                   static_cast<std::size_t>(ir::byte_width(from.shape().element_type())));
    }
    results.push_back(std::move(to));
  }
  return is_tuple ? Literal::tuple(std::move(results)) : std::move(results[0]);
}

}  // namespace bp::interpreter
