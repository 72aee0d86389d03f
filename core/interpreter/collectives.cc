// Ops that replicas and partitions do together, with the semantics of StableHLO. A program that runs alone is one
// replica of one partition: groups have one member, and everything that is sent comes back to the sender.
#include <algorithm>
#include <optional>

#include "core/interpreter/collectives.h"
#include "core/interpreter/exchange.h"
#include "core/interpreter/received_slices.h"
#include "core/interpreter/reducer.h"
#include "core/interpreter/scalar_function.h"
#include "core/interpreter/strided_copy.h"
#include "core/ir/device_groups.h"

namespace bp::interpreter {
namespace {

using ir::AttributeKey;
using ir::GroupMode;
using Group = std::vector<DeviceNumber>;

// Combines arrays of one shape element by element, in this order; rounds once, like reduce.
template <class Sum>
Result<Literal> combined(const Evaluator &evaluator, std::span<const Literal> values, Sum (*combine)(Sum, Sum)) {
  const Shape &shape = values[0].shape();
  const auto count = static_cast<std::size_t>(shape.element_count());
  const ConvertLoop widen = widening_loop(shape.element_type(), sum_of(shape.element_type()));
  std::vector<Sum> sums(count), next(count);
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::vector<Sum> &wide = i == 0 ? sums : next;
    if (widen != nullptr) {
      widen(values[i].bytes().data(), wide.data(), count);
    } else {
      std::ranges::copy_n(reinterpret_cast<const Sum *>(values[i].bytes().data()), shape.element_count(), wide.begin());
    }
    for (std::size_t k = 0; i > 0 && k < count; ++k) {
      sums[k] = combine(sums[k], next[k]);
    }
  }
  BP_ASSIGN(Literal result, evaluator.allocate(shape));
  store_sums<Sum>(sums, shape.element_type(), result.mutable_bytes().data());
  return result;
}

// Copies rows from one array to another, along the first dimension.
Status move_rows(const Evaluator &evaluator, const Literal &from, std::int64_t first, std::int64_t count, Literal &to,
                 std::int64_t at) {
  const Shape &source = from.shape(), &target = to.shape();
  if (first < 0 || count < 0 || at < 0 || first > source.size(0) - count || at > target.size(0) - count) {
    return invalid_input(
        "ragged-all-to-all moves {} rows from {} of {} to {} of {}, expected rows that both have: it reaches outside",
        count, first, source.size(0), at, target.size(0));
  }
  Dimensions sizes(source.sizes().begin(), source.sizes().end());
  sizes[0] = count;
  Walk to_walk = dense_walk(target.sizes()), from_walk = dense_walk(source.sizes());
  to_walk.offset = at * to_walk.strides[0];
  from_walk.offset = first * from_walk.strides[0];
  strided_copy(evaluator, sizes, to.mutable_bytes().data(), to_walk, from.bytes().data(), from_walk,
               element_width(source));
  return {};
}

class Collective {
 public:
  // `exchange` connects the devices; this device has the numbers `replica`, `partition`.
  Collective(Evaluator &evaluator, const Instruction &instruction, Exchange &exchange, std::int64_t replica,
             std::int64_t partition)
      : evaluator_(evaluator),
        instruction_(instruction),
        exchange_(exchange),
        mode_(ir::group_mode(instruction)),
        replica_(replica),
        partition_(partition),
        self_(device(replica_, partition_)) {}

  Result<std::vector<Literal>> run(Operands operands) {
    if (instruction_.opcode() == Opcode::CollectivePermute || instruction_.opcode() == Opcode::CollectivePermuteStart) {
      return permute(operands);
    }
    BP_ASSIGN(Group group, own_group());
    const std::size_t count = operands.size() - (has_dynamic_root() ? 1 : 0);
    if (group.empty()) {  // only collective-broadcast may leave devices out
      return zeros(operands.first(count));
    }
    BP_ASSIGN(auto received, rendezvous(group, operands));
    const auto position = static_cast<std::size_t>(std::ranges::find(group, self_) - group.begin());
    switch (instruction_.opcode()) {
      case Opcode::RaggedAllToAll: return receive_rows(received, position, operands);
      case Opcode::AllToAll:
        if (!instruction_.has(AttributeKey::Dimensions)) {
          return operands_for(received, position);
        }
        break;
      default: break;
    }
    BP_ASSIGN(const std::vector<std::size_t> roots, roots_of(received, count));
    std::vector<Literal> results;
    for (std::size_t i = 0; i < count; ++i) {
      std::vector<Literal> values;
      for (const std::vector<Literal> &of_member : received) {
        values.push_back(of_member[i]);
      }
      BP_ASSIGN(Literal result, combine(values, position, roots[i]));
      results.push_back(std::move(result));
    }
    return results;
  }

 private:
  // Returns the devices that a group's numbers denote for this device.
  Group members(const std::vector<std::int64_t> &numbers) const {
    Group group;
    for (std::int64_t number : numbers) {
      switch (mode_) {
        case GroupMode::CrossReplica: group.push_back(device(number, partition_)); break;
        case GroupMode::CrossPartition: group.push_back(device(replica_, number)); break;
        case GroupMode::Flattened: group.push_back(number); break;
        case GroupMode::CrossReplicaAndPartition:
          for (std::int64_t partition = 0; partition < exchange_.partitions(); ++partition) {
            group.push_back(device(number, partition));
          }
      }
    }
    if (mode_ == GroupMode::CrossReplicaAndPartition && exchange_.member_order() == MemberOrder::ByPartition) {
      std::ranges::stable_sort(group, {}, [&](DeviceNumber device) { return device % exchange_.partitions(); });
    }
    return group;
  }
  DeviceNumber device(std::int64_t replica, std::int64_t partition) const {
    return replica * exchange_.partitions() + partition;
  }

  std::int64_t limit() const { return ir::number_limit(mode_, exchange_.replicas(), exchange_.partitions()); }

  // Returns the group of this device; empty if it is in none.
  Result<Group> own_group() const {
    BP_ASSIGN(ir::DeviceGroups groups, ir::decode_device_groups(instruction_.text(AttributeKey::ReplicaGroups)));
    if (groups.empty()) {
      for (std::int64_t number = 0; number < limit(); ++number) {
        groups.resize(1);
        groups[0].push_back(number);
      }
    }
    for (const std::vector<std::int64_t> &numbers : groups) {
      for (std::int64_t number : numbers) {
        if (number < 0 || number >= limit()) {
          return invalid_input("replica_groups names {} {}, expected less than {}", ir::what_numbers_are(mode_), number,
                               limit());
        }
      }
      Group group = members(numbers);
      if (std::ranges::find(group, self_) != group.end()) {
        return group;
      }
    }
    if (instruction_.opcode() == Opcode::CollectiveBroadcast) {
      return Group();
    }
    return invalid_input("no group of replica_groups contains replica {}, partition {}", replica_, partition_);
  }

  Result<std::vector<std::vector<Literal>>> rendezvous(const Group &group, Operands operands) {
    const std::string key = fmt::format("{} {}", instruction_.op().text, instruction_.number(AttributeKey::ChannelId));
    BP_ASSIGN(auto received,
              exchange_.rendezvous(self_, key, group, {operands.begin(), operands.end()}, evaluator_.options().terms));
    for (const std::vector<Literal> &values : received) {
      const bool same = std::ranges::equal(values, operands, [](const Literal &theirs, const Literal &own) {
        return ir::same(theirs.shape(), own.shape(), ir::CompareLayout::No);
      });
      if (!same) {
        return invalid_input("devices of a group have operands of different shapes, expected equal ones");
      }
    }
    return received;
  }

  Result<std::vector<Literal>> zeros(Operands operands) const {
    std::vector<Literal> nothing;
    for (const Literal &operand : operands) {
      BP_ASSIGN(Literal literal, evaluator_.allocate(operand.shape()));
      nothing.push_back(std::move(literal));
    }
    return nothing;
  }

  bool has_dynamic_root() const {
    return instruction_.number(AttributeKey::HasDynamicRoot) != 0 && instruction_.operand_count() > 1;
  }

  // Returns, for each operand, the member that sends or receives it: the first, or the one that the last operand gives.
  Result<std::vector<std::size_t>> roots_of(const std::vector<std::vector<Literal>> &received,
                                            std::size_t count) const {
    std::vector<std::size_t> roots(count, 0);
    if (!has_dynamic_root()) {
      return roots;
    }
    const std::vector<std::int64_t> given = integers(received[0].back());
    for (std::size_t i = 0; i < count; ++i) {
      const std::int64_t root = i < given.size() ? given[i] : -1;
      if (root < 0 || root >= std::ssize(received)) {
        return invalid_input("the root of operand {} is member {} of a group of {}", i, root, received.size());
      }
      roots[i] = static_cast<std::size_t>(root);
    }
    return roots;
  }

  // Returns the operands for the member at `position`: operand i is for member i.
  static Result<std::vector<Literal>> operands_for(std::vector<std::vector<Literal>> &received, std::size_t position) {
    std::vector<Literal> results;
    for (std::vector<Literal> &values : received) {
      if (values.size() != received.size()) {
        return invalid_input("{} operands for a group of {}", values.size(), received.size());
      }
      results.push_back(std::move(values[position]));
    }
    return results;
  }

  // Operands: input, output, input offsets, send sizes, output offsets, receive sizes. Each member describes its
  // transfers as the sender; the n-th part of each list describes those to the n-th member.
  Result<std::vector<Literal>> receive_rows(const std::vector<std::vector<Literal>> &received, std::size_t position,
                                            Operands operands) const {
    const std::int64_t transfers = operands[2].shape().element_count();
    if (transfers % std::ssize(received) != 0) {
      return invalid_input("{} transfers between {} devices, expected a multiple", transfers, received.size());
    }
    const std::size_t per_member = static_cast<std::size_t>(transfers) / received.size();
    std::vector<Literal> results{operands[1]};
    for (const std::vector<Literal> &of_sender : received) {
      const std::vector<std::int64_t> first = integers(of_sender[2]), size = integers(of_sender[3]),
                                      to = integers(of_sender[4]);
      for (std::size_t i = position * per_member; i < (position + 1) * per_member; ++i) {
        BP_TRY(move_rows(evaluator_, of_sender[0], first[i], size[i], results[0], to[i]));
      }
    }
    return results;
  }

  // A device that receives nothing gets zeros, or keeps its array if the permute is in place. All devices of the cross
  // section meet, so that none has to know who sends.
  Result<std::vector<Literal>> permute(Operands operands) {
    std::vector<std::int64_t> all;
    for (std::int64_t number = 0; number < limit(); ++number) {
      all.push_back(number);
    }
    BP_ASSIGN(auto received, rendezvous(members(all), operands));
    const std::int64_t own = mode_ == GroupMode::CrossPartition ? partition_ : replica_;
    const std::span<const std::int64_t> pairs = instruction_.numbers(AttributeKey::SourceTargetPairs);
    const bool in_place = instruction_.has(AttributeKey::PermuteSliceSizes);
    for (std::size_t i = 0; i + 1 < pairs.size(); i += 2) {
      if (pairs[i + 1] == own) {
        if (pairs[i] < 0 || pairs[i] >= limit()) {
          return invalid_input("source_target_pairs has the source {}, expected less than {}", pairs[i], limit());
        }
        std::vector<Literal> &sent = received[static_cast<std::size_t>(pairs[i])];
        return in_place ? receive_slices(sent, operands) : Result<std::vector<Literal>>(std::move(sent));
      }
    }
    return in_place ? std::vector<Literal>{operands[1]} : zeros(operands);
  }

  // Operands: input, output, starts in the input, starts in the output.
  Result<std::vector<Literal>> receive_slices(const std::vector<Literal> &sent, Operands operands) const {
    if (!sent[3].identical(operands[3])) {
      return unsupported("a collective-permute in place whose ends disagree on the starts in the output");
    }
    Literal transfer[] = {sent[0], operands[1], sent[2], operands[3]};
    BP_ASSIGN(Literal result, received_slices(evaluator_, instruction_, transfer));
    return std::vector<Literal>{std::move(result)};
  }

  // Returns the result for one operand of the collective, given by member. The results of a collective-reduce on
  // members other than the root, which are left to the implementation, are zeros.
  Result<Literal> combine(std::vector<Literal> &values, std::size_t position, std::size_t root) {
    switch (instruction_.opcode()) {
      case Opcode::CollectiveBroadcast: return std::move(values[root]);
      case Opcode::CollectiveReduce: return position == root ? reduce(values) : evaluator_.allocate(values[0].shape());
      case Opcode::AllGather:
      case Opcode::AllGatherStart: return join(values, instruction_.dimensions()[0]);
      case Opcode::AllReduce:
      case Opcode::AllReduceStart: return reduce(values);
      case Opcode::ReduceScatter: {
        BP_ASSIGN(Literal sum, reduce(values));
        return part_of(sum, instruction_.dimensions()[0], values.size(), position);
      }
      case Opcode::AllToAll: {
        std::vector<Literal> parts;
        for (const Literal &value : values) {
          BP_ASSIGN(Literal part, part_of(value, instruction_.dimensions()[0], values.size(), position));
          parts.push_back(std::move(part));
        }
        return join(parts, instruction_.dimensions()[0]);
      }
      default: return unsupported("{} is not supported in simulations of several devices", instruction_.op().text);
    }
  }

  // Combines the values in the order of the members.
  Result<Literal> reduce(std::span<const Literal> values) {
    if (values.size() == 1) {
      return values[0];
    }
    BP_ASSIGN(ScalarFunction * function, evaluator_.scalar_function(instruction_.called(0)));
    const ElementType type = values[0].shape().element_type();
    std::optional<Result<Literal>> result;
    visit_sum(type, [&]<class Sum>() {
      visit_plain_reducer<Sum>(function->plain_op(), [&](auto op) { result = combined<Sum>(evaluator_, values, op); });
    });
    return result.has_value() ? *std::move(result) : reduce_with(*function, values);
  }

  // Combines the values where the function's type may be wider than theirs.
  Result<Literal> reduce_with(ScalarFunction &function, std::span<const Literal> values) {
    const ir::Computation computation = instruction_.called(0);
    const ElementType type = computation.root().shape().element_type();
    if (computation.parameter(0).shape().element_type() != type) {
      return unsupported("{} returns {}, expected {}, the shape of its first parameter", computation.name(),
                         ir::to_string(computation.root().shape()), ir::to_string(computation.parameter(0).shape()));
    }
    BP_ASSIGN(Literal sum, converted(evaluator_, values[0], type));
    for (const Literal &value : values.subspan(1)) {
      BP_ASSIGN(const Literal next, converted(evaluator_, value, computation.parameter(1).shape().element_type()));
      std::byte *result = sum.mutable_bytes().data();
      const std::byte *arguments[] = {result, next.bytes().data()};
      BP_TRY(function(arguments, std::span(&result, 1), static_cast<std::size_t>(sum.shape().element_count())));
    }
    return converted(evaluator_, sum, values[0].shape().element_type());
  }

  Result<Literal> join(const std::vector<Literal> &parts, std::int64_t dimension) const {
    const auto d = static_cast<std::size_t>(dimension);
    const Shape &shape = parts[0].shape();
    if (parts.size() == 1) {
      return parts[0];
    }
    if (d >= shape.rank()) {
      return invalid_input("{} along dimension {} of {}, expected less than its rank", instruction_.op().text,
                           dimension, ir::to_string(shape));
    }
    Dimensions sizes(shape.sizes().begin(), shape.sizes().end());
    sizes[d] *= static_cast<std::int64_t>(parts.size());
    BP_ASSIGN(Literal result, evaluator_.allocate(Shape::array(shape.element_type(), sizes)));
    Walk to = dense_walk(sizes);
    for (const Literal &part : parts) {
      strided_copy(evaluator_, shape.sizes(), result.mutable_bytes().data(), to, part.bytes().data(),
                   dense_walk(shape.sizes()), static_cast<std::size_t>(ir::byte_width(shape.element_type())));
      to.offset += shape.size(d) * to.strides[d];
    }
    return result;
  }

  // Returns part `number` of `count` equal parts along a dimension.
  Result<Literal> part_of(const Literal &whole, std::int64_t dimension, std::size_t count, std::size_t number) const {
    const auto d = static_cast<std::size_t>(dimension);
    const Shape &shape = whole.shape();
    const auto parts = static_cast<std::int64_t>(count);
    if (shape.size(d) % parts != 0) {
      return invalid_input("dimension {} of {} cannot be cut into {} parts", d, ir::to_string(shape), parts);
    }
    Dimensions sizes(shape.sizes().begin(), shape.sizes().end());
    sizes[d] /= parts;
    Walk from = dense_walk(shape.sizes());
    from.offset = static_cast<std::int64_t>(number) * sizes[d] * from.strides[d];
    return gathered(evaluator_, Shape::array(shape.element_type(), sizes), whole, from);
  }

  Evaluator &evaluator_;
  const Instruction &instruction_;
  Exchange &exchange_;
  const GroupMode mode_;
  const std::int64_t replica_, partition_;
  const DeviceNumber self_;
};

}  // namespace

Result<Literal> exchanged(Evaluator &evaluator, const Instruction &instruction, Operands operands, const Shape &shape) {
  const Options &options = evaluator.options();
  Exchange alone(1, 1);
  Collective collective = options.exchange == nullptr ? Collective(evaluator, instruction, alone, 0, 0)
                                                      : Collective(evaluator, instruction, *options.exchange,
                                                                   options.replica_id, options.partition_id);
  BP_ASSIGN(std::vector<Literal> results, collective.run(operands));
  const bool is_packed = results.size() == 1 && results[0].shape().is_tuple() == shape.is_tuple();
  return is_packed ? std::move(results[0]) : Literal::tuple(std::move(results));
}

Result<Literal> evaluate_collective(Evaluator &evaluator, const Instruction &instruction, Operands operands) {
  return exchanged(evaluator, instruction, operands, instruction.shape());
}

}  // namespace bp::interpreter
