// For programs of one replica and one partition: replaces collectives by local ops, because all that the device sends
// comes back to it.
#include <algorithm>
#include <iterator>

#include "core/ir/device_groups.h"
#include "core/passes/array_builder.h"
#include "core/passes/expand.h"
#include "core/passes/pass.h"

namespace bp::passes {
namespace {

using ir::AttributeKey;
using ir::InstructionId;
using ir::Opcode;

// Whether each group consists of this one device. Otherwise the program is for more than one device.
bool is_alone(ir::Instruction collective) {
  const auto groups = ir::decode_device_groups(collective.text(AttributeKey::ReplicaGroups));
  return groups.ok() &&
         std::ranges::all_of(*groups, [](const auto &group) { return group == std::vector<std::int64_t>{0}; });
}

// Returns the operands as the value or the tuple that the collective returns; the collective itself if the shapes
// differ.
InstructionId operands_of(ArrayBuilder &b, ir::Instruction collective) {
  const std::vector<InstructionId> operands(collective.operands().begin(), collective.operands().end());
  const ir::Shape shape = collective.shape();
  if (shape.is_tuple() ? shape.elements().size() != operands.size() : operands.size() != 1) {
    return collective.id();
  }
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (!ir::same(b.shape(operands[i]), shape.is_tuple() ? shape.elements()[i] : shape, ir::CompareLayout::No)) {
      return collective.id();
    }
  }
  return shape.is_tuple() ? b.tuple(operands) : operands[0];
}

// Collective permute in place: slices of operand 0 at the starts in operand 2 replace those of operand 1 at the starts
// in operand 3, in one array or in each array of a tuple. Starts are a tuple of one integer per dimension, or a tuple
// of such tuples.
class SlicesReceived {
 public:
  SlicesReceived(ArrayBuilder &b, ir::Instruction permute)
      : b_(b), operands_(permute.operands().begin(), permute.operands().end()) {
    for (std::span<const std::int64_t> sizes : permute.number_lists(AttributeKey::PermuteSliceSizes)) {
      slice_sizes_.emplace_back(sizes.begin(), sizes.end());
    }
  }

  // Whether the slices are no larger than the arrays on both sides.
  bool fit() const {
    std::size_t next = 0;
    const ir::Shape &from = b_.shape(operands_[0]), &to = b_.shape(operands_[1]), &starts = b_.shape(operands_[2]);
    const bool is_tuple = from.is_tuple();
    for (std::size_t i = 0; i < (is_tuple ? from.elements().size() : 1); ++i) {
      const ir::Shape &buffer_from = is_tuple ? from.elements()[i] : from,
                      &buffer_to = is_tuple ? to.elements()[i] : to;
      for (std::int64_t count = slice_count(is_tuple ? starts.elements()[i] : starts); count > 0; --count) {
        const std::vector<std::int64_t> &sizes = slice_sizes_[next++];
        const auto fits = [&](const ir::Shape &buffer) {
          return std::ranges::equal(sizes, buffer.sizes(),
                                    [](std::int64_t size, std::int64_t all) { return size >= 0 && size <= all; });
        };
        if (!fits(buffer_from) || !fits(buffer_to)) {
          return false;
        }
      }
    }
    return true;
  }

  InstructionId expand() {
    if (!b_.shape(operands_[0]).is_tuple()) {
      return received(operands_);
    }
    std::vector<InstructionId> results;
    for (std::int64_t i = 0, count = std::ssize(b_.shape(operands_[0]).elements()); i < count; ++i) {
      std::vector<InstructionId> parts;
      for (InstructionId operand : operands_) {
        parts.push_back(b_.get_tuple_element(operand, i));
      }
      results.push_back(received(parts));
    }
    return b_.tuple(results);
  }

 private:
  static bool has_many(const ir::Shape &starts) {
    return !starts.elements().empty() && starts.elements()[0].is_tuple();
  }
  static std::int64_t slice_count(const ir::Shape &starts) {
    return has_many(starts) ? std::ssize(starts.elements()) : 1;
  }

  InstructionId received(std::span<const InstructionId> parts) {
    InstructionId to = parts[1];
    const bool many = has_many(b_.shape(parts[2]));
    for (std::int64_t i = 0, count = slice_count(b_.shape(parts[2])); i < count; ++i) {
      const auto starts_in = [&](InstructionId part) { return many ? b_.get_tuple_element(part, i) : part; };
      const std::vector<std::int64_t> &sizes = slice_sizes_[next_slice_++];
      const InstructionId slice = b_.dynamic_slice(parts[0], elements(starts_in(parts[2])), sizes);
      to = b_.dynamic_update_slice(to, slice, elements(starts_in(parts[3])));
    }
    return to;
  }
  std::vector<InstructionId> elements(InstructionId tuple) {
    std::vector<InstructionId> result;
    for (std::int64_t i = 0, count = std::ssize(b_.shape(tuple).elements()); i < count; ++i) {
      result.push_back(b_.cast(b_.get_tuple_element(tuple, i), ir::ElementType::S64));
    }
    return result;
  }

  ArrayBuilder &b_;
  std::vector<InstructionId> operands_;
  std::vector<std::vector<std::int64_t>> slice_sizes_;
  std::size_t next_slice_ = 0;
};

// Rows [from, from + size) of operand 0 replace those at `to` in operand 1: all rows are shifted by to - from, and the
// result takes those in the range.
InstructionId rows_received(ArrayBuilder &b, ir::Instruction ragged) {
  const std::vector<InstructionId> operands(ragged.operands().begin(), ragged.operands().end());
  if (b.shape(operands[2]).element_count() != 1) {
    return ragged.id();
  }
  const auto number = [&](std::size_t i) { return b.reshape(b.cast(operands[i], ir::ElementType::S64), {}); };
  const InstructionId from = number(2), size = number(3), to = number(4), output = operands[1];
  const std::int64_t rows = b.shape(output).size(0);
  const InstructionId zeros = b.splat(0, output);
  const InstructionId padded = b.concatenate({zeros, operands[0], zeros}, 0);
  const InstructionId start =
      b.difference({b.sum({from, b.constant(ir::ElementType::S64, static_cast<double>(rows))}), to});
  const InstructionId shifted = b.dynamic_slice(padded, 0, start, rows);
  const InstructionId after_begin = b.compare_index(ir::ComparisonDirection::Ge, output, 0, to);
  const InstructionId before_end = b.compare_index(ir::ComparisonDirection::Lt, output, 0, b.sum({to, size}));
  return b.select({b.bit_and({after_begin, before_end}), shifted, output});
}

// Expands a permute. A device that receives nothing gets zeros, or keeps its array if the permute is in place.
InstructionId permuted(ArrayBuilder &b, ir::Instruction permute) {
  const auto pairs = permute.numbers(AttributeKey::SourceTargetPairs);
  const bool in_place = permute.has(AttributeKey::PermuteSliceSizes);
  for (std::size_t i = 0; i + 1 < pairs.size(); i += 2) {
    if (pairs[i + 1] != 0) {
      continue;
    }
    if (pairs[i] != 0) {
      return permute.id();
    }
    if (!in_place) {
      return operands_of(b, permute);
    }
    SlicesReceived slices(b, permute);
    return slices.fit() ? slices.expand() : permute.id();
  }
  if (in_place) {
    return permute.operands()[1];
  }
  if (!permute.shape().is_tuple()) {
    return b.zeros(ir::Shape(permute.shape()));
  }
  std::vector<InstructionId> zeros;
  for (const ir::Shape &shape : std::vector(permute.shape().elements().begin(), permute.shape().elements().end())) {
    zeros.push_back(b.zeros(shape));
  }
  return b.tuple(zeros);
}

}  // namespace

Result<bool> collective_expansion(ir::Module &module, const PassContext &context) {
  if (module.header().replica_count != 1 || module.header().num_partitions != 1) {
    return false;
  }
  return expand_all(module, context, [&](ir::Instruction instruction) -> Result<InstructionId> {
    ArrayBuilder b(module, instruction);
    switch (instruction.opcode()) {
      case Opcode::ReplicaId:
      case Opcode::PartitionId: return b.constant(ir::ElementType::U32, 0);
      case Opcode::CollectivePermute: return permuted(b, instruction);
      case Opcode::RaggedAllToAll: return is_alone(instruction) ? rows_received(b, instruction) : instruction.id();
      case Opcode::AllGather:
      case Opcode::AllReduce:
      case Opcode::AllToAll:
      case Opcode::CollectiveBroadcast:
      case Opcode::CollectiveReduce:
      case Opcode::ReduceScatter: return is_alone(instruction) ? operands_of(b, instruction) : instruction.id();
      default: return instruction.id();
    }
  });
}

}  // namespace bp::passes
