// Operations that communicate with other replicas and partitions: their groups, channels and reducers.
#include <algorithm>
#include <set>

#include "core/import/stablehlo/type_compatibility.h"
#include "core/import/stablehlo/verifier_rules.h"

namespace bp::import::stablehlo {
namespace {

// Whether all groups must have the same size; smaller ones are padded with -1.
enum class Groups : std::uint8_t { OfOneSize, OfAnySize };

// Returns the sizes of dense<...>; empty for groups by the axes of a mesh.
std::vector<std::int64_t> sizes_of(const Attribute *attribute) {
  const auto *elements = attribute == nullptr ? nullptr : attribute->get<Elements>();
  if (elements == nullptr) {
    return {};
  }
  const auto sizes = elements->type.shape.sizes();
  return {sizes.begin(), sizes.end()};
}

Status check_rank(const Checked &checked, const Attribute *attribute, std::string_view name) {
  const auto *elements = attribute == nullptr ? nullptr : attribute->get<Elements>();
  if (elements != nullptr && elements->type.shape.rank() != 2) {
    return checked.error_at(attribute->position, "'{}' is {}, expected a tensor of two dimensions", name,
                            to_string(elements->type));
  }
  return {};
}

// Checks that each replica, from 0 on, is in exactly one group. `size`: size of each group; negative: any.
Status check_groups(const Checked &checked, Groups groups, std::int64_t size = -1) {
  const Attribute *attribute = checked.find("replica_groups");
  const std::vector<std::int64_t> sizes = sizes_of(attribute);
  BP_TRY(check_rank(checked, attribute, "replica_groups"));
  if (sizes.empty()) {
    return {};
  }
  const std::vector<std::int64_t> members = integers_of(*attribute);
  if (members.empty() && checked.find("use_global_device_ids") != nullptr) {
    return checked.error_at(attribute->position,
                            "there are no replica_groups, expected some with use_global_device_ids");
  }
  std::set<std::int64_t> seen;
  for (std::int64_t member : members) {
    if (member == -1 && groups == Groups::OfAnySize) {
      continue;
    }
    if (member < 0) {
      return checked.error_at(attribute->position, "replica {} in replica_groups, expected at least 0", member);
    }
    if (!seen.insert(member).second) {
      return checked.error_at(attribute->position, "replica {} is twice in replica_groups, expected once", member);
    }
  }
  const auto count = static_cast<std::int64_t>(seen.size());
  for (std::int64_t replica = 0; replica < count; ++replica) {
    if (!seen.contains(replica)) {
      return checked.error_at(attribute->position, "replica {} is not in replica_groups, expected 0 to {}", replica,
                              count - 1);
    }
  }
  if (size >= 0 && sizes[1] != size) {
    return checked.error_at(attribute->position, "the groups are of {} replicas, expected {}", sizes[1], size);
  }
  return {};
}

// Returns an entry of #stablehlo.channel_handle<handle = 1, type = 0>.
std::int64_t channel(const Checked &checked, std::string_view entry) {
  const Attribute *handle = checked.find("channel_handle");
  const Attribute *number = handle == nullptr ? nullptr : find_entry(*handle, entry);
  const auto *value = number == nullptr ? nullptr : number->get<std::int64_t>();
  return value == nullptr ? 0 : *value;
}

Status check_global_ids(const Checked &checked, std::int64_t least) {
  const std::int64_t handle = channel(checked, "handle");
  if (checked.find("use_global_device_ids") != nullptr && handle < least) {
    return checked.error("{}: the channel is {}, expected at least {} with use_global_device_ids", checked.name(),
                         handle, least);
  }
  return {};
}

Status check_not_empty(const Checked &checked, const Type &type, std::string_view dimension) {
  const auto number = checked.integers(dimension);
  const bool is_one = number.size() == 1 && type.shape.is_array() && number[0] >= 0 &&
                      number[0] < static_cast<std::int64_t>(type.shape.rank());
  if (is_one && type.shape.size(static_cast<std::size_t>(number[0])) == 0) {
    return checked.error("{}: dimension {} of {} is empty, expected elements", checked.name(), number[0],
                         to_string(type));
  }
  return {};
}

// Whether values of `from` can be converted to `to`: integers and complex numbers to types that are at least as wide,
// floats to floats of any width.
bool is_promotable(const Type &from, const Type &to) {
  const ir::ElementType a = from.shape.element_type(), b = to.shape.element_type();
  if ((from.quantization == nullptr) != (to.quantization == nullptr)) {
    return false;
  }
  const bool are_integers = (ir::is_integer(a) || a == ir::ElementType::Pred) && ir::is_integer(b);
  return a == b || (ir::is_floating(a) && ir::is_floating(b)) ||
         (((ir::is_complex(a) && ir::is_complex(b)) || are_integers) && ir::bit_width(a) <= ir::bit_width(b));
}

// Checks that the reducer takes two scalars of one type and returns one, to which the elements of each operand can be
// converted.
Status check_reducer(const Checked &checked) {
  if (checked.operation().regions.size() != 1) {
    return checked.error("{} has {} regions, expected 1", checked.name(), checked.operation().regions.size());
  }
  const Region &region = checked.operation().regions[0];
  const std::size_t returned = region.operations.empty() ? 0 : region.operations.back().operands.size();
  if (region.arguments.size() != 2 || returned != 1) {
    return checked.error("{}: the reducer takes {} values and returns {}, expected 2 and 1", checked.name(),
                         region.arguments.size(), returned);
  }
  const Type &scalar = checked.type(region.operations.back().operands[0]);
  for (ValueId id : region.arguments) {
    const Type &argument = checked.type(id);
    const bool are_floats =
        ir::is_floating(argument.shape.element_type()) && ir::is_floating(scalar.shape.element_type());  // of any width
    if (!are_compatible(argument, scalar) && !(are_floats && argument.shape.is_scalar())) {
      return checked.error("{}: the reducer takes {} and returns {}, expected the same", checked.name(),
                           to_string(argument), to_string(scalar));
    }
  }
  for (std::size_t i = 0; i < checked.operand_count(); ++i) {
    if (!scalar.shape.is_scalar() || !is_promotable(checked.operand(i), scalar)) {
      return checked.error("{}: the reducer returns {} for operand {} of type {}, expected a scalar of its elements",
                           checked.name(), to_string(scalar), i, to_string(checked.operand(i)));
    }
  }
  for (std::size_t i = 0; i < checked.result_count(); ++i) {
    if (!have_compatible_elements(checked.result(i), scalar)) {
      return checked.error("{}: result {} is {}, expected elements of {} as the reducer returns", checked.name(), i,
                           to_string(checked.result(i)), to_string(scalar));
    }
  }
  return {};
}

}  // namespace

Status verify_all_gather(const Checked &checked) {
  BP_TRY(check_groups(checked, Groups::OfOneSize));
  BP_TRY(check_global_ids(checked, 0));
  for (std::size_t i = 0; i < checked.operand_count(); ++i) {
    BP_TRY(check_not_empty(checked, checked.operand(i), "all_gather_dim"));
  }
  return {};
}

Status verify_all_reduce(const Checked &checked) {
  BP_TRY(check_groups(checked, Groups::OfAnySize));
  BP_TRY(check_global_ids(checked, 1));
  return check_reducer(checked);
}

Status verify_all_to_all(const Checked &checked) {
  const auto count = checked.integers("split_count");
  return check_groups(checked, Groups::OfOneSize, count.size() == 1 ? count[0] : -1);
}

// Replicas need not be in a group.
Status verify_collective_broadcast(const Checked &checked) {
  const Attribute *attribute = checked.find("replica_groups");
  BP_TRY(check_rank(checked, attribute, "replica_groups"));
  std::set<std::int64_t> seen;
  for (std::int64_t member : checked.integers("replica_groups")) {
    if (member < 0 || !seen.insert(member).second) {
      return checked.error_at(attribute->position, "replica {} {} replica_groups, expected {}", member,
                              member < 0 ? "in" : "is twice in", member < 0 ? "at least 0" : "once");
    }
  }
  return {};
}

Status verify_collective_permute(const Checked &checked) {
  const Attribute *attribute = checked.find("source_target_pairs");
  BP_TRY(check_rank(checked, attribute, "source_target_pairs"));
  const std::vector<std::int64_t> sizes = sizes_of(attribute);
  if (!sizes.empty() && sizes[1] != 2) {
    return checked.error_at(attribute->position, "'source_target_pairs' has rows of {} numbers, expected pairs",
                            sizes[1]);
  }
  return {};
}

Status verify_reduce_scatter(const Checked &checked) {
  BP_TRY(check_groups(checked, Groups::OfOneSize));
  BP_TRY(check_global_ids(checked, 1));
  BP_TRY(check_not_empty(checked, checked.operand(0), "scatter_dimension"));
  BP_TRY(check_not_empty(checked, checked.result(0), "scatter_dimension"));
  return check_reducer(checked);
}

// --- Input and output ---

namespace {

constexpr std::int64_t device_to_device = 1, device_to_host = 2, host_to_device = 3;

Status check_channel_type(const Checked &checked, std::int64_t type_with_host) {
  const Attribute *flag = checked.find("is_host_transfer");
  const bool *is_host = flag == nullptr ? nullptr : flag->get<bool>();
  const std::int64_t expected = is_host != nullptr && *is_host ? type_with_host : device_to_device;
  const std::int64_t type = channel(checked, "type");
  if (type != expected) {
    return checked.error("{}: the channel is of type {}, expected {}, {}", checked.name(), type, expected,
                         expected == device_to_device ? "between devices"
                         : expected == host_to_device ? "from the host"
                                                      : "to the host");
  }
  return {};
}

// Checks that the results are tensors, followed by a token.
Status check_received(const Checked &checked) {
  const std::size_t count = checked.result_count();
  if (count == 0 || !checked.result(count - 1).shape.is_token()) {
    return checked.error("{} has {} results, expected a token as the last one", checked.name(), count);
  }
  for (std::size_t i = 0; i + 1 < count; ++i) {
    if (!checked.result(i).shape.is_array()) {
      return checked.error("{}: result {} is {}, expected a tensor", checked.name(), i, to_string(checked.result(i)));
    }
  }
  return {};
}

}  // namespace

Status verify_send(const Checked &checked) {
  return check_channel_type(checked, device_to_host);
}

Status verify_recv(const Checked &checked) {
  BP_TRY(check_channel_type(checked, host_to_device));
  return check_received(checked);
}

Status verify_infeed(const Checked &checked) {
  BP_TRY(check_received(checked));
  const Attribute *layout = checked.find("layout");
  const auto *lists = layout == nullptr ? nullptr : layout->get<std::vector<Attribute>>();
  if (layout != nullptr && (lists == nullptr || lists->size() + 1 != checked.result_count())) {
    return checked.error_at(layout->position, "the layout is {}, expected a list for each of the {} tensors",
                            to_string(*layout), checked.result_count() - 1);
  }
  for (std::size_t i = 0; lists != nullptr && i < lists->size(); ++i) {
    const auto *inner = (*lists)[i].get<std::vector<Attribute>>();
    if (inner == nullptr || integers_of((*lists)[i]).size() != inner->size()) {
      return checked.error_at((*lists)[i].position, "the layout of result {} is {}, expected integers as in [1, 0]", i,
                              to_string((*lists)[i]));
    }
  }
  return {};
}

}  // namespace bp::import::stablehlo
