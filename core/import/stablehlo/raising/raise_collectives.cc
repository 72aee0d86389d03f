// Instructions that communicate with other replicas and partitions, and with the host.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/import/stablehlo/raising/raising.h"
#include "core/ir/device_groups.h"

namespace bp::import::stablehlo {
namespace {

// Returns the groups of devices. All in one group may be no group in HLO; the exchange of parts needs their number.
Result<ir::DeviceGroups> device_groups(Raising &raising, const ir::Instruction &instruction) {
  auto groups = ir::decode_device_groups(instruction.text(AttributeKey::ReplicaGroups));
  if (!groups.ok()) {
    return raising.unsupported(instruction, groups.error().message());
  }
  if (groups->empty() && instruction.opcode() == Opcode::AllToAll) {
    const ir::ModuleHeader &header = instruction.module().header();
    groups->emplace_back(static_cast<std::size_t>(
        ir::number_limit(ir::group_mode(instruction), header.replica_count, header.num_partitions)));
    std::iota(groups->front().begin(), groups->front().end(), 0);
  }
  return groups;
}

// Returns a tensor with a row for each group; -1 fills the rows of smaller groups.
Result<Attribute> groups_of(Raising &raising, const ir::Instruction &instruction) {
  BP_ASSIGN(const ir::DeviceGroups groups, device_groups(raising, instruction));
  std::size_t size = 0;
  for (const std::vector<std::int64_t> &group : groups) {
    size = std::max(size, group.size());
  }
  const Type type{ir::Shape::array(ir::ElementType::S64,
                                   {static_cast<std::int64_t>(groups.size()), static_cast<std::int64_t>(size)})};
  BP_ASSIGN(ir::Literal literal, ir::Literal::zeros(type.shape));
  const auto numbers = literal.mutable_elements<std::int64_t>();
  std::ranges::fill(numbers, -1);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    std::ranges::copy(groups[i], numbers.begin() + static_cast<std::ptrdiff_t>(i * size));
  }
  return Attribute{Elements{type, std::move(literal)}};
}

Attribute channel(std::int64_t handle, std::int64_t type) {
  return {Dictionary{{{"handle", integer(handle)}, {"type", integer(type)}}}};
}

// Returns the attributes that all collectives share, and those of the operation's row.
Result<Attributes> attributes_of_group(Raising &raising, const ir::Instruction &instruction,
                                       std::string_view operation) {
  BP_ASSIGN(Attributes attributes, attributes_of(raising, instruction, *find_row(operation)));
  if (instruction.has(AttributeKey::SourceTargetPairs)) {
    attributes.push_back({"source_target_pairs", rows_of_two(instruction.numbers(AttributeKey::SourceTargetPairs))});
  } else {
    BP_ASSIGN(Attribute groups, groups_of(raising, instruction));
    attributes.push_back({"replica_groups", std::move(groups)});
  }
  if (instruction.has(AttributeKey::ChannelId)) {
    attributes.push_back({"channel_handle", channel(instruction.number(AttributeKey::ChannelId), 0)});
  }
  if (instruction.number(AttributeKey::UseGlobalDeviceIds) != 0) {
    attributes.push_back({"use_global_device_ids", {}});
  }
  if (instruction.number(AttributeKey::HasDynamicRoot) != 0) {
    attributes.push_back({"has_dynamic_root", {true}});
  }
  return attributes;
}

// Whether StableHLO's operation takes several operands.
bool is_variadic(const ir::Instruction &instruction) {
  return instruction.opcode() == Opcode::AllReduce || instruction.opcode() == Opcode::AllGather ||
         instruction.number(AttributeKey::HasDynamicRoot) != 0;
}

}  // namespace

// Operations that take one operand are added for each.
Result<ValueIds> raise_collective(Raising &raising, const ir::Instruction &instruction, const RaisingRow &row) {
  BP_ASSIGN(Attributes attributes, attributes_of_group(raising, instruction, row.operation));
  const ValueIds operands = raising.operands(instruction);
  if (operands.size() == 1 || is_variadic(instruction)) {
    return raise_as(raising, instruction, row.operation, std::move(attributes));
  }
  BP_ASSIGN(std::vector<Type> results, raising.types_of(instruction.shape()));
  ValueIds values;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    Draft draft{row.operation, {operands[i]}, {results[i]}, attributes};
    for (std::size_t k = 0; k < instruction.calls().size(); ++k) {
      BP_ASSIGN(Region region, raising.region(instruction.called(k)));
      draft.regions.push_back(std::move(region));
    }
    values.push_back(raising.add(std::move(draft))[0]);
  }
  return values;
}

namespace {

// Operand i goes to member i, and result j comes from member j: the operands are the parts of one array.
Result<ValueIds> exchange_operands(Raising &raising, const ir::Instruction &instruction, const RaisingRow &row,
                                   Attributes attributes) {
  const ValueIds operands = raising.operands(instruction);
  const ir::Shape shape = raising.type(operands[0]).shape;
  const auto count = static_cast<std::int64_t>(operands.size());
  std::vector<std::int64_t> part(shape.sizes().begin(), shape.sizes().end());
  part.insert(part.begin(), 1);
  ValueIds parts, values;
  for (const ValueId operand : operands) {
    parts.push_back(raising.reshape(operand, part));
  }
  std::vector<std::int64_t> sizes = part;
  sizes[0] = count;
  const Type whole{ir::Shape::array(shape.element_type(), sizes)}, one{ir::Shape::array(shape.element_type(), part)};
  ValueId all = raising.add("stablehlo.concatenate", std::move(parts), whole, {{"dimension", integer(0)}});
  attributes.insert(
      attributes.end(),
      {{"split_dimension", integer(0)}, {"concat_dimension", integer(0)}, {"split_count", integer(count)}});
  all = raising.add(row.operation, {all}, whole, std::move(attributes));
  std::vector<std::int64_t> starts(part.size(), 0), limits = sizes;
  const std::vector<std::int64_t> strides(part.size(), 1);
  for (std::int64_t i = 0; i < count; ++i) {
    starts[0] = i;
    limits[0] = i + 1;
    const ValueId own = raising.add(
        "stablehlo.slice", {all}, one,
        {{"start_indices", integers(starts)}, {"limit_indices", integers(limits)}, {"strides", integers(strides)}});
    values.push_back(raising.reshape(own, shape.sizes()));
  }
  return values;
}

}  // namespace

Result<ValueIds> raise_all_to_all(Raising &raising, const ir::Instruction &instruction, const RaisingRow &row) {
  BP_ASSIGN(Attributes attributes, attributes_of_group(raising, instruction, row.operation));
  if (!instruction.has(AttributeKey::Dimensions)) {
    return exchange_operands(raising, instruction, row, std::move(attributes));
  }
  const std::int64_t dimension = instruction.number(AttributeKey::Dimensions);
  const auto groups = std::ranges::find(attributes, "replica_groups", &NamedAttribute::name);
  const std::int64_t count = groups->value.get<Elements>()->type.shape.size(1);
  attributes.insert(attributes.end(), {{"split_dimension", integer(dimension)},
                                       {"concat_dimension", integer(dimension)},
                                       {"split_count", integer(count)}});
  return raise_as(raising, instruction, row.operation, std::move(attributes));
}

// --- Input and output ---

// Whether nothing uses the send or recv but what finishes it.
static bool is_finished_only(const ir::Instruction &transfer) {
  const ir::Computation computation = transfer.parent();
  return computation.root() != transfer && std::ranges::all_of(computation.instructions(), [&](ir::Instruction user) {
           const bool is_done = user.opcode() == Opcode::SendDone || user.opcode() == Opcode::RecvDone;
           return is_done || std::ranges::find(user.operands(), transfer.id()) == user.operands().end();
         });
}

// Returns a token in place of the instruction's (value, u32[], token): its -done gives the results.
Result<ValueIds> raise_transfer(Raising &raising, const ir::Instruction &instruction, const RaisingRow &row) {
  constexpr std::int64_t device_to_device = 1, device_to_host = 2, host_to_device = 3;
  if (!is_finished_only(instruction)) {
    return raising.unsupported(
        instruction, fmt::format("{} finishes the transfer itself, expected no use but by a {}-done of the same "
                                 "computation",
                                 row.operation, instruction.op().text));
  }
  const bool is_host = instruction.number(AttributeKey::IsHostTransfer) != 0;
  const bool is_send = instruction.opcode() == Opcode::Send;
  const std::int64_t kind = !is_host ? device_to_device : is_send ? device_to_host : host_to_device;
  Draft draft{row.operation, raising.operands(instruction), {}};
  if (!is_send) {
    BP_ASSIGN(draft.results, raising.types_of(instruction.shape().elements()[0]));
  }
  draft.results.push_back({ir::Shape::token()});
  draft.attributes = {{"channel_handle", channel(instruction.number(AttributeKey::ChannelId), kind)},
                      {"is_host_transfer", {is_host}}};
  return raising.add(std::move(draft));
}

Result<ValueIds> raise_transfer_done(Raising &raising, const ir::Instruction &instruction, const RaisingRow &) {
  const Opcode begun = instruction.operand(0).opcode();
  if (begun != Opcode::Send && begun != Opcode::Recv) {
    return raising.unsupported(instruction, fmt::format("its operand is {}, expected the send or recv itself",
                                                        instruction.operand(0).op().text));
  }
  return raising.operand(instruction, 0);
}

Result<ValueIds> raise_infeed(Raising &raising, const ir::Instruction &instruction, const RaisingRow &row) {
  return raise_as(raising, instruction, row.operation,
                  {{"infeed_config", {std::string(instruction.text(AttributeKey::InfeedConfig))}}});
}

Result<ValueIds> raise_outfeed(Raising &raising, const ir::Instruction &instruction, const RaisingRow &row) {
  return raise_as(raising, instruction, row.operation,
                  {{"outfeed_config", {std::string(instruction.text(AttributeKey::OutfeedConfig))}}});
}

}  // namespace bp::import::stablehlo
