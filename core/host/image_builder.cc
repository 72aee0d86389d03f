// Builds the image in two steps: emits computations in post-order of the call graph into growing pools, with a list of
// value ids for the leaves of every HLO instruction; then assembles the pools into one block and computes the hash.
#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <memory>
#include <unordered_map>

#include "core/host/content_hashes.h"
#include "core/host/image.h"
#include "core/host/image_leaves.h"
#include "core/host/image_pools.h"
#include "core/ir/result_accuracy.h"
#include "core/ir/storage.h"

namespace bp::host {
namespace {

using ir::AttributeKey;
using ir::Computation;
using ir::ComputationId;
using ir::Instruction;
using ir::InstructionId;
using ir::Opcode;
using ir::Shape;

std::vector<std::byte> stored_bytes(const ir::Literal &literal, const Shape &shape) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(shape.byte_size()));
  ir::store(literal, shape, bytes);
  return bytes;
}

}  // namespace

class ImageBuilder {
 public:
  ImageBuilder(const ir::Module &module, Stage stage, const buffers::Plan *plan, const Receiver &receiver)
      : module_(module),
        stage_(stage),
        plan_(plan),
        opset_(*receiver.opset),
        host_calls_(receiver.host_calls),
        hashes_(receiver.hashes) {
    values_of_.resize(module.instruction_id_limit());
    image_instruction_.resize(module.instruction_id_limit(), BP_NONE);
    for (auto &ids : image_computation_) {
      ids.resize(module.computation_id_limit(), BP_NONE);
    }
  }

  Result<Image> build() {
    if (plan_ != nullptr) {
      BP_TRY(add_planned_allocations());
    }
    // Depth first with an explicit stack, because call graphs can be deep. Each pair of role and computation is visited
    // twice: first to push its callees, and again when these are done.
    std::vector<std::pair<ComputationId, Role>> stack{{module_.entry().id(), Role::Control}};
    while (!stack.empty()) {
      auto [id, role] = stack.back();
      std::uint32_t &state = image_computation_[static_cast<std::size_t>(role)][index(id)];
      if (state == BP_NONE) {
        state = callees_pending;
        for (Instruction instruction : module_.computation(id).instructions()) {
          for (ComputationId callee : instruction.calls()) {
            Role callee_role = role_of_callees(instruction, role);
            if (image_computation_[static_cast<std::size_t>(callee_role)][index(callee)] == BP_NONE) {
              stack.emplace_back(callee, callee_role);
            }
          }
        }
        continue;
      }
      stack.pop_back();
      if (state == callees_pending) {
        BP_TRY(add_computation(module_.computation(id), role));
        state = size_of(pools_.computations) - 1;
      }
    }
    if (plan_ != nullptr) {
      BP_TRY(add_aliases_and_check_constants());
    }
    return assemble();
  }

 private:
  // Hashes and compares the module's shapes by value.
  struct HashShape {
    std::size_t operator()(const Shape *shape) const { return shape->hash(); }
  };
  struct EqualShape {
    bool operator()(const Shape *a, const Shape *b) const { return *a == *b; }
  };

  // Determines whether the values of a computation's instructions have slices in memory.
  enum class Role : std::uint8_t { Control, Embedded };
  static constexpr std::size_t role_count = 2;

  static constexpr std::uint32_t callees_pending = BP_NONE - 1;

  static Role role_of_callees(Instruction caller, Role role) {
    return role == Role::Control && caller.is(ir::Trait::CallsControl) ? Role::Control : Role::Embedded;
  }

  Error unsupported_here(Instruction instruction, std::string_view what) const {
    return unsupported("{}: {}", instruction.name(), what).at(instruction.location());
  }

  // --- shapes ---

  const Leaves &leaves(Instruction instruction) {
    auto id = index(instruction.shape_id());
    if (leaves_by_shape_.size() <= id) {
      leaves_by_shape_.resize(id + 1);
    }
    if (leaves_by_shape_[id] == nullptr) {
      leaves_by_shape_[id] = std::make_unique<Leaves>(leaves_of(instruction.shape()));
    }
    return *leaves_by_shape_[id];
  }

  Result<std::uint32_t> add_shape(Instruction instruction, const Shape &shape) {
    auto [found, is_new] = shape_ids_.try_emplace(&shape, size_of(pools_.shapes));
    if (!is_new) {
      return found->second;
    }
    if (shape.element_type() == ir::ElementType::Buffer || !shape.is_static()) {
      return unsupported_here(
          instruction,
          fmt::format("shape {} cannot be given to a backend, expected static sizes and an element type of the ABI",
                      to_string(shape)));
    }
    if (std::int64_t space = shape.layout().memory_space; space < 0 || space > UINT16_MAX) {
      return unsupported_here(
          instruction,
          fmt::format("memory space {} cannot be given to a backend, expected one from 0 to {}", space, UINT16_MAX));
    }
    bp_shape_t added{};
    added.dtype = static_cast<std::uint16_t>(shape.element_type());
    added.rank = static_cast<std::uint16_t>(shape.rank());
    added.element_bits = shape.is_array() ? static_cast<std::uint32_t>(ir::stored_element_bits(shape)) : 0;
    added.dims = pools_.add_numbers(shape.sizes()).begin;
    const ir::Layout &layout = shape.layout();
    added.layout = pools_.add_numbers({layout.minor_to_major.data(), layout.minor_to_major.size()}).begin;
    pools_.numbers.push_back(static_cast<std::int64_t>(layout.tiles.size()));
    for (const ir::Tile &tile : layout.tiles) {
      pools_.numbers.push_back(static_cast<std::int64_t>(tile.sizes.size()));
      pools_.add_numbers({tile.sizes.data(), tile.sizes.size()});
    }
    pools_.shapes.push_back(added);
    return found->second;
  }

  // --- allocations ---

  Status add_planned_allocations() {
    std::vector<std::uint32_t> input_leaves;  // by number of the array leaf: its number among all leaves
    std::uint32_t leaf_number = 0;
    for (InstructionId id : module_.entry().parameter_ids()) {
      for (const Leaf &leaf : leaves(module_.instruction(id)).leaves) {
        if (leaf.shape->is_array()) {
          input_leaves.push_back(leaf_number);
        }
        ++leaf_number;
      }
    }
    std::vector<std::uint32_t> output_leaves;
    leaf_number = 0;
    for (const Leaf &leaf : leaves(module_.entry().root()).leaves) {
      if (leaf.shape->is_array()) {
        output_leaves.push_back(leaf_number);
      }
      ++leaf_number;
    }
    for (const buffers::Allocation &planned : plan_->allocations) {
      bp_allocation_t added{};
      added.size = static_cast<std::uint64_t>(planned.size);
      added.alignment = static_cast<std::uint32_t>(planned.alignment);
      added.space = static_cast<std::uint16_t>(planned.memory_space);
      added.index = added.alias = added.content = BP_NONE;
      auto number = static_cast<std::size_t>(planned.index);
      switch (planned.kind) {
        case buffers::AllocationKind::Input:
          BP_CHECK(number < input_leaves.size());
          added.kind = BP_ALLOC_INPUT;
          added.index = input_leaves[number];
          added.flags = BP_ALLOC_READ_ONLY;
          break;
        case buffers::AllocationKind::Output:
          BP_CHECK(number < output_leaves.size());
          added.kind = BP_ALLOC_OUTPUT;
          added.index = output_leaves[number];
          break;
        case buffers::AllocationKind::Temporary: added.kind = BP_ALLOC_TEMP; break;
        case buffers::AllocationKind::Constant:
          added.kind = BP_ALLOC_CONSTANT;
          added.flags = BP_ALLOC_READ_ONLY;
          break;
      }
      pools_.allocations.push_back(added);
    }
    return {};
  }

  Status add_aliases_and_check_constants() {
    for (std::size_t i = 0; i < pools_.allocations.size(); ++i) {
      const buffers::Allocation &planned = plan_->allocations[i];
      if (planned.alias >= 0) {
        pools_.allocations[i].alias = static_cast<std::uint32_t>(planned.alias);
        pools_.allocations[static_cast<std::size_t>(planned.alias)].flags &= ~std::uint32_t{BP_ALLOC_READ_ONLY};
      }
      if (pools_.allocations[i].kind == BP_ALLOC_CONSTANT && pools_.allocations[i].content == BP_NONE) {
        return make_error(ErrorCode::Internal, "the plan has allocation {} of kind constant, but no constant is in it",
                          i);
      }
    }
    return {};
  }

  // Adds an allocation for the constant's bytes, and sets it in `value`.
  void add_constant_allocation(const ir::Literal &literal, const Shape &shape, bp_value_t &value) {
    const auto size = static_cast<std::uint64_t>(shape.byte_size());
    if (plan_ == nullptr) {
      bp_allocation_t added{};
      added.size = size;
      added.alignment = 64;
      added.kind = BP_ALLOC_CONSTANT;
      added.space = static_cast<std::uint16_t>(shape.layout().memory_space);
      added.index = added.alias = added.content = BP_NONE;
      added.flags = BP_ALLOC_READ_ONLY;
      value.allocation = size_of(pools_.allocations);
      pools_.allocations.push_back(added);
    }
    bp_allocation_t &allocation = pools_.allocations[value.allocation];
    BP_CHECK(allocation.kind == BP_ALLOC_CONSTANT && value.offset == 0 && allocation.size == size);
    if (allocation.content == BP_NONE) {
      const Sha256 hash = hashes_ == nullptr ? content_hash(literal, shape) : hashes_->of(literal, shape);
      allocation.content = pools_.add_bytes(hash.data(), hash.size());
      constants_.push_back({value.allocation, shape, literal});
    }
  }

  // --- instructions ---

  std::span<const std::uint32_t> values(InstructionId id) const {
    Range range = values_of_[index(id)];
    return std::span(leaf_values_).subspan(range.begin, range.count);
  }

  Result<bp_value_t> make_value(Instruction instruction, const Leaf &leaf, Role role) {
    bp_value_t value{};
    BP_ASSIGN(value.shape, add_shape(instruction, *leaf.shape));
    value.instr = size_of(pools_.instructions);
    value.allocation = BP_NONE;
    std::int64_t size = leaf.shape->byte_size();
    if (size == std::numeric_limits<std::int64_t>::max()) {
      return make_error(ErrorCode::OutOfMemory, "{}: shape {} is too large", instruction.name(), to_string(*leaf.shape))
          .at(instruction.location());
    }
    value.size = static_cast<std::uint64_t>(size);
    value.precision = opset_.has_precision ? ir::required_ulps(instruction) : 0;
    if (plan_ != nullptr && role == Role::Control && leaf.shape->is_array()) {
      auto slice = plan_->slice(instruction.id(), leaf.position);
      if (!slice) {
        return make_error(ErrorCode::Internal, "{}: the plan has no slice for part {}", instruction.name(),
                          leaf.position)
            .at(instruction.location());
      }
      value.allocation = slice->allocation;
      value.offset = static_cast<std::uint64_t>(slice->offset);
    }
    return value;
  }

  void add_attribute(AttributeKey key, std::uint16_t type, std::uint32_t data, std::uint32_t count) {
    pending_attributes_.push_back({static_cast<std::uint16_t>(key), type, data, count});
  }
  void add_attribute(AttributeKey key, std::span<const std::int64_t> numbers, std::uint16_t type = BP_ATTR_I64) {
    Range range = pools_.add_numbers(numbers);
    add_attribute(key, type, range.begin, range.count);
  }
  void add_attribute(AttributeKey key, std::span<const std::byte> bytes) {
    add_attribute(key, BP_ATTR_BYTES, pools_.add_bytes(bytes.data(), bytes.size()), size_of(bytes));
  }

  // The only attribute of the custom call that stands in the place of an instruction that the opset lacks.
  void add_stand_in_target(Instruction instruction) {
    const std::string target = fmt::format("bp.newer.{}", instruction.op().text);
    add_attribute(AttributeKey::CustomCallTarget, BP_ATTR_STRING, pools_.add_string(target), size_of(target));
  }

  void add_attributes(Instruction instruction) {
    for (AttributeKey key : instruction.attribute_keys()) {
      if (key == AttributeKey::ResultAccuracy && opset_.has_precision) {
        continue;  // bp_value.precision says it
      }
      switch (ir::info(key).kind) {
        case ir::AttributeKind::String:
        case ir::AttributeKind::Text: {
          std::string_view text = instruction.text(key);
          add_attribute(key, BP_ATTR_STRING, pools_.add_string(text), size_of(text));
          break;
        }
        case ir::AttributeKind::F64: add_attribute(key, instruction.numbers(key), BP_ATTR_F64); break;
        case ir::AttributeKind::Aliasing: add_attribute(key, flattened_aliasing(instruction, key)); break;
        default: add_attribute(key, instruction.numbers(key)); break;
      }
    }
    for (const ir::AttributeUse &use : instruction.op().attributes) {
      if (ir::info(use.key).kind != ir::AttributeKind::Literal || !instruction.literal().is_valid()) {
        continue;
      }
      std::vector<std::byte> all;
      const Shape &shape = instruction.literal().shape();
      for (const Leaf &leaf : leaves_of(shape).leaves) {
        if (leaf.shape->is_array()) {
          auto part =
              stored_bytes(leaf_literal(instruction.literal(), shape.index_of_subshape(leaf.position)), *leaf.shape);
          all.insert(all.end(), part.begin(), part.end());
        }
      }
      add_attribute(use.key, all);
    }
  }

  void add_edges(Instruction instruction) {
    for (InstructionId predecessor : instruction.control_predecessors()) {
      if (image_instruction_[index(predecessor)] != BP_NONE) {
        pools_.control_edges.push_back({image_instruction_[index(predecessor)], size_of(pools_.instructions)});
      }
    }
  }

  // Tuple indices become leaf numbers: {1, result, operand, 0} for each pair of leaves.
  std::vector<std::int64_t> flattened_aliasing(Instruction instruction, AttributeKey key) {
    std::vector<std::int64_t> flat;
    auto numbers = instruction.numbers(key);
    auto take = [&](std::size_t count) {
      auto taken = numbers.first(std::min(count, numbers.size()));
      numbers = numbers.subspan(taken.size());
      return taken;
    };
    auto leaf_range = [](const Leaves &all, const Shape &shape, std::span<const std::int64_t> at) {
      auto position = static_cast<std::size_t>(shape.position_of_index(at));
      std::size_t end = position + shape.subshape(position).subshape_count();
      auto lower = [&](std::size_t p) {
        return std::lower_bound(all.leaves.begin(), all.leaves.end(), p,
                                [](const Leaf &leaf, std::size_t q) { return leaf.position < q; }) -
               all.leaves.begin();
      };
      return std::pair(lower(position), lower(end));
    };
    std::vector<std::int64_t> operand_begin{0};
    for (InstructionId operand : instruction.operands()) {
      operand_begin.push_back(operand_begin.back() + values_of_[index(operand)].count);
    }
    while (!numbers.empty()) {
      auto output_index = take(static_cast<std::size_t>(take(1)[0]));
      auto operand_number = static_cast<std::size_t>(take(1)[0]);
      auto operand_index = take(static_cast<std::size_t>(take(1)[0]));
      Instruction operand = instruction.operand(operand_number);
      auto [result, result_end] = leaf_range(leaves(instruction), instruction.shape(), output_index);
      auto [source, source_end] = leaf_range(leaves(operand), operand.shape(), operand_index);
      for (; result < result_end && source < source_end; ++result, ++source) {
        flat.insert(flat.end(), {1, result, operand_begin[operand_number] + source, 0});
      }
    }
    return flat;
  }

  // Completes the instruction under construction: its results are the values from `first_value` on.
  void finish_instruction(Instruction instruction, std::string_view name, std::uint32_t first_value,
                          std::span<const std::uint32_t> operands, std::span<const std::uint32_t> calls,
                          bool side_effect) {
    bp_instr_t added{};
    added.op = is_newer(instruction, opset_) ? static_cast<std::uint16_t>(BP_OP_CUSTOM_CALL)
                                             : static_cast<std::uint16_t>(instruction.opcode());
    first_opset_ = std::max(first_opset_, std::min(first_opset(instruction), opset_.number));
    added.flags = static_cast<std::uint16_t>((side_effect ? BP_INSTR_SIDE_EFFECT : 0) |
                                             (host_calls_.has(instruction) ? BP_INSTR_HOST_CALL : 0));
    added.operands = pools_.add_ids(operands);
    added.operand_count = size_of(operands);
    added.results = first_value;
    added.result_count = size_of(pools_.values) - first_value;
    std::sort(pending_attributes_.begin(), pending_attributes_.end(),
              [](const bp_attr_t &a, const bp_attr_t &b) { return a.key < b.key; });
    added.attrs = size_of(pools_.attributes);
    added.attr_count = size_of(pending_attributes_);
    pools_.attributes.insert(pools_.attributes.end(), pending_attributes_.begin(), pending_attributes_.end());
    pending_attributes_.clear();
    added.calls = pools_.add_ids(calls);
    added.call_count = size_of(calls);
    added.name = pools_.add_string(name);
    const ir::Metadata *metadata = instruction.metadata();
    added.origin = metadata != nullptr && !metadata->op_name.empty() ? pools_.add_string(metadata->op_name) : BP_NONE;
    if (image_instruction_[index(instruction.id())] == BP_NONE) {
      image_instruction_[index(instruction.id())] = size_of(pools_.instructions);
    }
    pools_.instructions.push_back(added);
    sources_.push_back(instruction.id());
  }

  std::string leaf_name(Instruction instruction, const Leaf &leaf) const {
    if (!instruction.shape().is_tuple()) {
      return std::string(instruction.name());
    }
    return fmt::format("{}{{{}}}", instruction.name(),
                       fmt::join(instruction.shape().index_of_subshape(leaf.position), ","));
  }

  // Adds an instruction for each leaf of a parameter or constant.
  Status add_leaf_instructions(Instruction instruction, Role role, std::uint32_t first_parameter) {
    std::uint32_t begin = size_of(leaf_values_);
    std::uint32_t number = first_parameter;
    const Leaves &parts = leaves(instruction);
    for (const Leaf &leaf : parts.leaves) {
      BP_ASSIGN(bp_value_t value, make_value(instruction, leaf, role));
      if (instruction.opcode() == Opcode::Parameter) {
        std::int64_t numbers[] = {number++};
        add_attribute(AttributeKey::ParameterNumber, numbers);
      } else if (leaf.shape->is_array()) {
        const ir::Literal &literal =
            leaf_literal(instruction.literal(), instruction.shape().index_of_subshape(leaf.position));
        if (role == Role::Control) {
          add_constant_allocation(literal, *leaf.shape, value);
        }
        if (role == Role::Embedded || leaf.shape->byte_size() <= inline_constant_bytes) {
          add_attribute(AttributeKey::Value, stored_bytes(literal, *leaf.shape));
        }
      }
      leaf_values_.push_back(size_of(pools_.values));
      pools_.values.push_back(value);
      finish_instruction(instruction, leaf_name(instruction, leaf), size_of(pools_.values) - 1, {}, {}, false);
    }
    values_of_[index(instruction.id())] = {begin, size_of(parts.leaves)};
    return {};
  }

  Status add_instruction(Instruction instruction, Role role, bool &computation_has_side_effect) {
    Range &own_values = values_of_[index(instruction.id())];
    own_values = {size_of(leaf_values_), 0};
    if (instruction.opcode() == Opcode::GetTupleElement) {
      Instruction operand = instruction.operand(0);
      const auto &begins = leaves(operand).element_begin;
      auto element = static_cast<std::size_t>(instruction.tuple_index());
      own_values = {values_of_[index(operand.id())].begin + begins[element], begins[element + 1] - begins[element]};
      return {};
    }
    std::vector<std::uint32_t> operands;
    for (InstructionId operand : instruction.operands()) {
      auto parts = values(operand);
      operands.insert(operands.end(), parts.begin(), parts.end());
    }
    if (instruction.opcode() == Opcode::Tuple) {
      leaf_values_.insert(leaf_values_.end(), operands.begin(), operands.end());
      own_values.count = size_of(operands);
      return {};
    }
    std::uint32_t first_value = size_of(pools_.values);
    for (const Leaf &leaf : leaves(instruction).leaves) {
      BP_ASSIGN(bp_value_t value, make_value(instruction, leaf, role));
      leaf_values_.push_back(size_of(pools_.values));
      pools_.values.push_back(value);
      ++own_values.count;
    }
    bool side_effect =
        instruction.is(ir::Trait::SideEffect) || instruction.number(AttributeKey::CustomCallHasSideEffect) != 0;
    std::vector<std::uint32_t> calls;
    for (ComputationId callee : instruction.calls()) {
      auto callee_role = static_cast<std::size_t>(role_of_callees(instruction, role));
      calls.push_back(image_computation_[callee_role][index(callee)]);
      side_effect = side_effect || has_side_effect_[calls.back()];
    }
    if (is_newer(instruction, opset_)) {
      add_stand_in_target(instruction);
    } else {
      add_attributes(instruction);
    }
    add_edges(instruction);
    finish_instruction(instruction, instruction.name(), first_value, operands, calls, side_effect);
    computation_has_side_effect = computation_has_side_effect || side_effect;
    return {};
  }

  Status add_computation(Computation computation, Role role) {
    bp_computation_t added{};
    added.name = pools_.add_string(computation.name());
    added.kind = role == Role::Control ? BP_COMPUTATION_CONTROL : BP_COMPUTATION_EMBEDDED;
    added.instrs = size_of(pools_.instructions);
    std::vector<std::uint32_t> first_parameter;  // by parameter number: the number of its first leaf
    std::uint32_t parameter_count = 0;
    for (InstructionId id : computation.parameter_ids()) {
      first_parameter.push_back(parameter_count);
      parameter_count += size_of(leaves(module_.instruction(id)).leaves);
    }
    bool has_side_effect = false;
    for (Instruction instruction : computation.instructions()) {
      image_instruction_[index(instruction.id())] = BP_NONE;
      if (instruction.opcode() == Opcode::Parameter) {
        auto number = static_cast<std::size_t>(instruction.parameter_number());
        BP_TRY(add_leaf_instructions(instruction, role, first_parameter[number]));
      } else if (instruction.opcode() == Opcode::Constant) {
        BP_TRY(add_leaf_instructions(instruction, role, 0));
      } else {
        BP_TRY(add_instruction(instruction, role, has_side_effect));
      }
    }
    added.instr_count = size_of(pools_.instructions) - added.instrs;
    added.params = size_of(pools_.ids);
    for (InstructionId id : computation.parameter_ids()) {
      pools_.add_ids(values(id));
    }
    added.param_count = size_of(pools_.ids) - added.params;
    added.roots = pools_.add_ids(values(computation.root().id()));
    added.root_count = size_of(pools_.ids) - added.roots;
    pools_.computations.push_back(added);
    has_side_effect_.push_back(has_side_effect);
    return {};
  }

  // --- the block ---

  Result<Image> assemble() {
    bp_module_t header{};
    std::memcpy(header.magic, "BPMODULE", sizeof header.magic);
    header.opset = first_opset_;
    header.stage = static_cast<std::uint32_t>(stage_);
    header.entry = image_computation_[static_cast<std::size_t>(Role::Control)][index(module_.entry().id())];
    header.name = pools_.add_string(module_.name());
    header.own_attrs = size_of(pools_.attributes);
    for (auto [key, number] : {std::pair(AttributeKey::ReplicaCount, module_.header().replica_count),
                               std::pair(AttributeKey::NumPartitions, module_.header().num_partitions)}) {
      std::int64_t numbers[] = {number};
      add_attribute(key, numbers);
    }
    header.own_attr_count = size_of(pending_attributes_);
    pools_.attributes.insert(pools_.attributes.end(), pending_attributes_.begin(), pending_attributes_.end());

    Image image;
    BP_ASSIGN(image.storage_, pools_.lay_out(header, module_.name()));
    image.sources_ = std::move(sources_);
    std::ranges::sort(constants_, {}, &ImageConstant::allocation);
    image.constants_ = std::move(constants_);
    return image;
  }

  const ir::Module &module_;
  Stage stage_;
  const buffers::Plan *plan_;
  const Opset &opset_;
  const HostCallMarks &host_calls_;
  const std::shared_ptr<ContentHashes> hashes_;
  std::uint32_t first_opset_ = 1;  // that has all numbers of the image

  // By HLO instruction: the range of its leaves in leaf_values_, and its (first) instruction in the image.
  std::vector<Range> values_of_;
  std::vector<std::uint32_t> leaf_values_;
  std::vector<std::uint32_t> image_instruction_;
  // By role and HLO computation: the computation in the image.
  std::array<std::vector<std::uint32_t>, role_count> image_computation_;
  std::vector<bool> has_side_effect_;  // by computation of the image
  std::vector<std::unique_ptr<Leaves>> leaves_by_shape_;
  std::unordered_map<const Shape *, std::uint32_t, HashShape, EqualShape> shape_ids_;
  std::vector<bp_attr_t> pending_attributes_;  // of the instruction under construction

  ImagePools pools_;
  std::vector<InstructionId> sources_;
  std::vector<ImageConstant> constants_;
};

Receiver::Receiver(const Opset &known, HostCallMarks marks)
    : opset(&known), host_calls(std::move(marks)), hashes(std::make_shared<ContentHashes>()) {}

Result<Image> build_image(const ir::Module &module, Stage stage, const buffers::Plan *plan, const Receiver &receiver) {
  BP_CHECK((stage == Stage::Final) == (plan != nullptr));
  return ImageBuilder(module, stage, plan, receiver).build();
}

SharedBytes content_of(const ImageConstant &constant) {
  if (ir::is_stored_as_literal(constant.shape)) {
    auto owner = std::make_shared<const ir::Literal>(constant.literal);
    const std::span<const std::byte> bytes = owner->bytes();
    return {bytes, std::move(owner)};
  }
  auto owner = std::make_shared<Image::Storage>(static_cast<std::size_t>(constant.shape.byte_size()));
  ir::store(constant.literal, constant.shape, *owner);
  const std::span<const std::byte> bytes = *owner;
  return {bytes, std::move(owner)};
}

Image make_image(std::span<const std::byte> bytes, std::vector<ImageConstant> constants) {
  Image image;
  image.storage_.assign(bytes.begin(), bytes.end());
  std::ranges::sort(constants, {}, &ImageConstant::allocation);
  image.constants_ = std::move(constants);
  return image;
}

}  // namespace bp::host
