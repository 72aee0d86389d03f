// Operations that communicate with other replicas and partitions.
#include <algorithm>

#include "core/import/stablehlo/lowering.h"

namespace bp::import::stablehlo {
namespace {

// Attributes that all collectives have.
struct Group {
  std::string replica_groups;  // {{0,1},{2,3}}
  std::int64_t channel = 0;
  bool use_global_ids = false;
  bool has_dynamic_root = false;  // the last operand is the number of the sender
};

Result<std::string> replica_groups(const Lowering &lowering, const Operation &operation) {
  const Attribute *attribute = operation.find("replica_groups");
  const auto *elements = attribute == nullptr ? nullptr : attribute->get<Elements>();
  if (elements == nullptr) {
    return attribute == nullptr ? Result<std::string>(std::string("{}"))
                                : lowering.error(*attribute, "expected groups as in dense<[[0, 1]]> : tensor<1x2xi64>");
  }
  BP_ASSIGN(Integers members, lowering.integers(*attribute));
  if (elements->type.shape.rank() != 2) {
    return lowering.error(*attribute,
                          fmt::format("the groups are {}, expected two dimensions", to_string(elements->type)));
  }
  std::string text;
  auto size = static_cast<std::size_t>(elements->type.shape.size(1));
  for (std::size_t i = 0; i < members.size(); i += size) {
    std::string group;
    for (std::size_t k = i; k < i + size; ++k) {
      if (members[k] >= 0) {  // -1 pads shorter groups
        group += fmt::format("{}{}", group.empty() ? "" : ",", members[k]);
      }
    }
    text += fmt::format("{}{{{}}}", text.empty() ? "" : ",", group);
  }
  return "{" + text + "}";
}

Result<std::int64_t> channel_of(const Lowering &lowering, const Operation &operation) {
  if (operation.find("channel_handle") == nullptr) {
    return 0;
  }
  BP_ASSIGN(const Attribute *attribute, lowering.attribute(operation, "channel_handle"));
  const auto *handle = attribute->get<Dictionary>();
  if (handle == nullptr) {
    return lowering.error(*attribute, "expected #stablehlo.channel_handle<handle = 1, type = 0>");
  }
  return lowering.integer(*handle, "handle", 0);
}

Result<Group> group_of(const Lowering &lowering, const Operation &operation) {
  Group group;
  BP_ASSIGN(group.replica_groups, replica_groups(lowering, operation));
  BP_ASSIGN(group.channel, channel_of(lowering, operation));
  BP_ASSIGN(group.use_global_ids, lowering.flag(operation, "use_global_device_ids"));
  BP_ASSIGN(group.has_dynamic_root, lowering.flag(operation, "has_dynamic_root"));
  return group;
}

void set_group(ir::Module &module, InstructionId id, const Group &group) {
  module.set_text(id, AttributeKey::ReplicaGroups, group.replica_groups);
  if (group.channel > 0) {
    module.set_number(id, AttributeKey::ChannelId, group.channel);
  }
  if (group.use_global_ids) {
    module.set_number(id, AttributeKey::UseGlobalDeviceIds, 1);
  }
  if (group.has_dynamic_root) {
    module.set_number(id, AttributeKey::HasDynamicRoot, 1);
  }
}

// `dimension`: negative if there is none. `regions`: 0 or 1.
Result<Values> collective(Lowering &lowering, const Operation &operation, std::int64_t dimension, std::size_t regions) {
  BP_TRY(lowering.expect_regions(operation, regions, regions));
  BP_ASSIGN(Group group, group_of(lowering, operation));
  std::vector<ComputationId> calls;
  if (regions == 1) {
    BP_ASSIGN(ComputationId computation, lowering.embedded(operation, 0));
    calls.push_back(computation);
  }
  BP_ASSIGN(InstructionId id, lowering.add(
                                  operation, find_row(operation.name)->opcode, lowering.result_shapes(operation),
                                  lowering.operands(operation),
                                  [&](ir::Module &m, InstructionId added) {
                                    set_group(m, added, group);
                                    if (dimension >= 0) {
                                      m.set_number(added, AttributeKey::Dimensions, dimension);
                                    }
                                  },
                                  calls));
  return lowering.results(operation, id);
}

}  // namespace

Result<Values> lower_collective_broadcast(Lowering &lowering, const Operation &operation) {
  return collective(lowering, operation, -1, 0);
}

Result<Values> lower_all_reduce(Lowering &lowering, const Operation &operation) {
  return collective(lowering, operation, -1, 1);
}

Result<Values> lower_all_gather(Lowering &lowering, const Operation &operation) {
  BP_ASSIGN(std::int64_t dimension, lowering.integer(operation, "all_gather_dim"));
  return collective(lowering, operation, dimension, 0);
}

Result<Values> lower_reduce_scatter(Lowering &lowering, const Operation &operation) {
  BP_ASSIGN(std::int64_t dimension, lowering.integer(operation, "scatter_dimension"));
  return collective(lowering, operation, dimension, 1);
}

// Lowers to an all-reduce that adds.
Result<Values> lower_cross_replica_sum(Lowering &lowering, const Operation &operation) {
  BP_TRY(lowering.expect_operands(operation, 1, 1));
  BP_ASSIGN(Group group, group_of(lowering, operation));
  ir::ElementType type = lowering.shape(lowering.operand(operation, 0)).element_type();
  ComputationId calls[] = {lowering.scalar_computation(Opcode::Add, type)};
  BP_ASSIGN(InstructionId id,
            lowering.add(
                operation, Opcode::AllReduce, lowering.result_shapes(operation), lowering.operands(operation),
                [&](ir::Module &m, InstructionId added) { set_group(m, added, group); }, calls));
  return Values{id};
}

// HLO splits and concatenates along the same dimension. If the dimensions differ, the parts are then moved to where
// they belong.
Result<Values> lower_all_to_all(Lowering &lowering, const Operation &operation) {
  BP_ASSIGN(std::int64_t split, lowering.integer(operation, "split_dimension"));
  BP_ASSIGN(std::int64_t concat, lowering.integer(operation, "concat_dimension"));
  BP_ASSIGN(std::int64_t count, lowering.integer(operation, "split_count"));
  BP_ASSIGN(Group group, group_of(lowering, operation));
  Values results;
  for (InstructionId operand : lowering.operands(operation)) {
    const Shape shape = lowering.shape(operand);
    auto rank = static_cast<std::int64_t>(shape.rank());
    if (split < 0 || split >= rank || concat < 0 || concat >= rank || count < 1 ||
        shape.size(static_cast<std::size_t>(split)) % count != 0) {
      return lowering.error(operation, fmt::format("{} parts of dimension {}, joined along {}, of {}", count, split,
                                                   concat, to_string(Type{shape})));
    }
    InstructionId operands[] = {operand};
    BP_ASSIGN(InstructionId id,
              lowering.add(operation, Opcode::AllToAll, shape, operands, [&](ir::Module &m, InstructionId added) {
                set_group(m, added, group);
                m.set_number(added, AttributeKey::Dimensions, split);
              }));
    if (split != concat) {
      // Shapes: [.., count * part, .., size, ..] -> [.., count, part, .., size, ..] -> [.., part, .., count, size, ..]
      Integers apart(shape.sizes().begin(), shape.sizes().end()), order, moved, joined(apart);
      apart[static_cast<std::size_t>(split)] /= count;
      apart.insert(apart.begin() + split, count);
      joined[static_cast<std::size_t>(split)] /= count;
      joined[static_cast<std::size_t>(concat)] *= count;
      for (std::int64_t i = 0; i < rank; ++i) {
        if (i == concat) {
          order.push_back(split);
        }
        order.push_back(i < split ? i : i + 1);
      }
      for (std::int64_t i : order) {
        moved.push_back(apart[static_cast<std::size_t>(i)]);
      }
      BP_ASSIGN(id, lowering.reshape(operation, id, apart));
      InstructionId parts[] = {id};
      BP_ASSIGN(id, lowering.add(operation, Opcode::Transpose, Shape::array(shape.element_type(), moved), parts,
                                 [&](ir::Module &m, InstructionId added) {
                                   m.set_numbers(added, AttributeKey::Dimensions, order);
                                 }));
      BP_ASSIGN(id, lowering.reshape(operation, id, joined));
    }
    results.push_back(id);
  }
  return results;
}

Result<Values> lower_collective_permute(Lowering &lowering, const Operation &operation) {
  BP_ASSIGN(Integers pairs, lowering.integers(operation, "source_target_pairs"));
  BP_ASSIGN(Group group, group_of(lowering, operation));
  if (pairs.size() % 2 != 0) {
    return lowering.error(operation, "source_target_pairs are not pairs");
  }
  BP_ASSIGN(InstructionId id, lowering.add(operation, Opcode::CollectivePermute, lowering.result_shapes(operation),
                                           lowering.operands(operation), [&](ir::Module &m, InstructionId added) {
                                             m.set_numbers(added, AttributeKey::SourceTargetPairs, pairs);
                                             if (group.channel > 0) {
                                               m.set_number(added, AttributeKey::ChannelId, group.channel);
                                             }
                                           }));
  return lowering.results(operation, id);
}

// --- Input and output ---
// HLO starts and finishes a transfer in two instructions; several values are sent as one tuple.

namespace {

struct Transfer {
  Shape value;
  Shape token = Shape::token();
  std::int64_t channel = 0;
  bool is_host = false;
};

InstructionId last_operand(const Lowering &lowering, const Operation &operation) {
  return lowering.operand(operation, operation.operands.size() - 1);
}

Result<InstructionId> transfer(Lowering &lowering, const Operation &operation, Opcode opcode, const Shape &shape,
                               std::span<const InstructionId> operands, const Transfer &transfer) {
  return lowering.add(operation, opcode, shape, operands, [&](ir::Module &m, InstructionId added) {
    m.set_number(added, AttributeKey::ChannelId, transfer.channel);
    if (transfer.is_host) {
      m.set_number(added, AttributeKey::IsHostTransfer, 1);
    }
  });
}

Result<Transfer> transfer_of(const Lowering &lowering, const Operation &operation) {
  Transfer transfer;
  BP_ASSIGN(transfer.channel, channel_of(lowering, operation));
  BP_ASSIGN(transfer.is_host, lowering.flag(operation, "is_host_transfer"));
  operation.find("source_target_pairs");
  return transfer;
}

// Returns the shapes of all results except the last, which is the token.
Result<Shape> received_shape(const Lowering &lowering, const Operation &operation) {
  Shape all = lowering.result_shapes(operation);
  if (operation.result_count == 1 || operation.result_count == 0) {
    return Shape::tuple({});
  }
  std::vector<Shape> values(all.elements().begin(), all.elements().end() - 1);
  return values.size() == 1 ? values[0] : Shape::tuple(std::move(values));
}

// Returns the parts of (value, token) as the results of the operation.
Result<Values> received(Lowering &lowering, const Operation &operation, InstructionId pair) {
  BP_ASSIGN(InstructionId value, lowering.get_element(operation, pair, 0));
  BP_ASSIGN(InstructionId token, lowering.get_element(operation, pair, 1));
  Values results;
  if (operation.result_count > 1) {
    BP_ASSIGN(results, lowering.unpack(operation, value, operation.result_count - 1));
  }
  results.push_back(token);
  return results;
}

}  // namespace

Result<Values> lower_send(Lowering &lowering, const Operation &operation) {
  BP_TRY(lowering.expect_operands(operation, 1, 1 << 20));
  BP_ASSIGN(Transfer what, transfer_of(lowering, operation));
  Values values = lowering.operands(operation);
  InstructionId token = last_operand(lowering, operation);
  values.pop_back();
  BP_ASSIGN(InstructionId packed, lowering.pack(operation, values));
  Shape shape = Shape::tuple({lowering.shape(packed), Shape::scalar(ir::ElementType::U32), Shape::token()});
  InstructionId operands[] = {packed, token};
  BP_ASSIGN(InstructionId begin, transfer(lowering, operation, Opcode::Send, shape, operands, what));
  InstructionId begun[] = {begin};
  BP_ASSIGN(InstructionId done, transfer(lowering, operation, Opcode::SendDone, Shape::token(), begun, what));
  return Values{done};
}

Result<Values> lower_recv(Lowering &lowering, const Operation &operation) {
  BP_TRY(lowering.expect_operands(operation, 1, 1));
  BP_ASSIGN(Transfer what, transfer_of(lowering, operation));
  BP_ASSIGN(Shape value, received_shape(lowering, operation));
  Shape shape = Shape::tuple({value, Shape::scalar(ir::ElementType::U32), Shape::token()});
  BP_ASSIGN(InstructionId begin,
            transfer(lowering, operation, Opcode::Recv, shape, lowering.operands(operation), what));
  InstructionId begun[] = {begin};
  BP_ASSIGN(InstructionId done,
            transfer(lowering, operation, Opcode::RecvDone, Shape::tuple({value, Shape::token()}), begun, what));
  return received(lowering, operation, done);
}

Result<Values> lower_infeed(Lowering &lowering, const Operation &operation) {
  BP_TRY(lowering.expect_operands(operation, 1, 1));
  BP_ASSIGN(Shape value, received_shape(lowering, operation));
  operation.find("layout");
  std::string config;
  if (const Attribute *attribute = operation.find("infeed_config", "config")) {
    BP_ASSIGN(config, lowering.word(*attribute));
  }
  BP_ASSIGN(InstructionId id, lowering.add(operation, Opcode::Infeed, Shape::tuple({value, Shape::token()}),
                                           lowering.operands(operation), [&](ir::Module &m, InstructionId added) {
                                             if (!config.empty()) {
                                               m.set_text(added, AttributeKey::InfeedConfig, config);
                                             }
                                           }));
  return received(lowering, operation, id);
}

Result<Values> lower_outfeed(Lowering &lowering, const Operation &operation) {
  BP_TRY(lowering.expect_operands(operation, 1, 1 << 20));
  std::string config;
  if (const Attribute *attribute = operation.find("outfeed_config", "config")) {
    BP_ASSIGN(config, lowering.word(*attribute));
  }
  Values values = lowering.operands(operation);
  values.pop_back();
  BP_ASSIGN(InstructionId packed, lowering.pack(operation, values));
  InstructionId operands[] = {packed, last_operand(lowering, operation)};
  BP_ASSIGN(InstructionId id,
            lowering.add(operation, Opcode::Outfeed, Shape::token(), operands, [&](ir::Module &m, InstructionId added) {
              m.set_text(added, AttributeKey::OutfeedShape,
                         ir::to_string(m.instruction(packed).shape(), ir::PrintLayout::Always));
              if (!config.empty()) {
                m.set_text(added, AttributeKey::OutfeedConfig, config);
              }
            }));
  return Values{id};
}

}  // namespace bp::import::stablehlo
