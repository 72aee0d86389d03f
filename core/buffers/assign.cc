// Values are joined to buffer sets (buffer_sets.h) in this order: values that must share a slice, values that a
// donation allows to share one, results that may overwrite an operand in place, and values that fit into an output
// before that is made. Sets of the entry's parameters, results and constants get allocations of their own; all others
// are packed into one temporary allocation per memory space, or several where the size of an allocation is limited.
#include "core/buffers/assign.h"

#include <map>

#include "core/buffers/buffer_sets.h"
#include "core/buffers/colocation.h"
#include "core/buffers/fit.h"
#include "core/packing/best_fit.h"
#include "core/packing/heaps.h"

namespace bp::buffers {

using ir::Opcode;

namespace {

constexpr std::int64_t max_bytes = std::int64_t{1} << 62;
constexpr std::int64_t max_preset = std::int64_t{1} << 60;
// Maximum number of search steps per byte: where there is little to pack, there is little to gain.
constexpr std::int64_t steps_per_byte = 16;
// Maximum number of ticks over which values are kept apart, and the extra memory this may take: one part in `min_share`
// of the total, or `little_bytes`.
constexpr Tick max_apart = 16;
constexpr std::int64_t min_share = 8, little_bytes = std::int64_t{64} << 20;

class Assigner {
 public:
  Assigner(const ir::Module &module, const Options &options, const Dataflow &dataflow)
      : module_(module),
        options_(options),
        dataflow_(dataflow),
        timeline_(flatten_schedule(dataflow_)),
        sets_(dataflow_, live_ranges(dataflow_, timeline_)) {}

  Result<Plan> run() {
    BP_TRY(colocate(dataflow_, sets_));
    BP_TRY(bind_presets());
    overwrite_in_place(dataflow_, sets_);
    if (options_.keep_apart) {
      independent_until_ = independent_until(dataflow_, timeline_, max_apart);
    } else {
      use_outputs_early(dataflow_, sets_);
    }
    slices_.assign(dataflow_.values().size(), std::nullopt);
    add_inputs();
    add_outputs();
    add_constants();
    BP_TRY(add_temporaries());
    BP_TRY(check_total());
    for (ir::ComputationId id : dataflow_.control_computations()) {
      for (ir::InstructionId instruction : module_.computation(id).instruction_ids()) {
        for (const Leaf &leaf : dataflow_.positions().of(module_.instruction(instruction)).leaves) {
          ValueId set = sets_.find(dataflow_.value_at(instruction, leaf.position));
          plan_.set_slice(instruction, leaf.position, slices_[index(set)].value());
        }
      }
    }
    return std::move(plan_);
  }

 private:
  std::uint32_t add_allocation(AllocationKind kind, std::int64_t size, std::int64_t memory_space,
                               std::int64_t number = -1) {
    Allocation &added = plan_.allocations.emplace_back();
    added.kind = kind;
    added.size = size;
    added.alignment = options_.alignment;
    added.memory_space = memory_space;
    added.index = number;
    return static_cast<std::uint32_t>(plan_.allocations.size() - 1);
  }
  // Gives the value's set the whole allocation.
  void give(ValueId value, std::uint32_t allocation) {
    slices_[index(sets_.find(value))] = Slice{allocation, 0, dataflow_.value(value).size};
  }

  void add_inputs() {
    std::int64_t number = 0;
    for (ir::InstructionId parameter : module_.entry().parameter_ids()) {
      for (ValueId value : dataflow_.leaf_values(parameter)) {
        const Value &v = dataflow_.value(value);
        give(value, add_allocation(AllocationKind::Input, v.size, v.memory_space, number++));
      }
    }
  }

  void add_outputs() {
    std::int64_t number = 0;
    for (ValueId value : dataflow_.leaf_values(module_.entry().root().id())) {
      const Value &v = dataflow_.value(value);
      std::uint32_t added = add_allocation(AllocationKind::Output, v.size, v.memory_space, number++);
      std::int64_t input = sets_.binding(value).input;
      if (input >= 0) {
        plan_.allocations[added].alias = input;  // inputs are the first allocations, in order
      } else {
        give(value, added);
      }
    }
  }

  void add_constants() {
    std::unordered_multimap<std::size_t, std::uint32_t> by_hash;  // to allocation indices
    for (std::uint32_t i = 0; i < dataflow_.values().size(); ++i) {
      auto value = static_cast<ValueId>(i);
      const Value &v = dataflow_.value(value);
      ir::Instruction instruction = dataflow_.instruction(value);
      if (instruction.opcode() == Opcode::Constant) {
        give(value, constant_allocation(by_hash, instruction, v));
      }
    }
  }

  // Constants with equal shapes, layouts and bytes share an allocation; parts of tuples have their own.
  std::uint32_t constant_allocation(std::unordered_multimap<std::size_t, std::uint32_t> &by_hash,
                                    ir::Instruction constant, const Value &value) {
    auto bytes = constant.literal().bytes();
    std::string_view text(reinterpret_cast<const char *>(bytes.data()), bytes.size());
    std::size_t hash = std::hash<std::string_view>()(text) ^ constant.shape().hash();
    auto [begin, end] = by_hash.equal_range(hash);
    for (auto found = begin; found != end; ++found) {
      ir::Instruction other = module_.instruction(plan_.allocations[found->second].constant);
      if (other.shape() == constant.shape() && other.literal().identical(constant.literal())) {
        return found->second;
      }
    }
    std::uint32_t added = add_allocation(AllocationKind::Constant, value.size, value.memory_space);
    plan_.allocations[added].constant = value.instruction;
    plan_.allocations[added].constant_position = value.position;
    if (constant.shape().is_array()) {
      by_hash.emplace(hash, added);
    }
    return added;
  }

  Status add_temporaries() {
    std::map<std::int64_t, std::vector<ValueId>> by_memory_space;
    for (std::uint32_t i = 0; i < dataflow_.values().size(); ++i) {
      auto value = static_cast<ValueId>(i);
      if (sets_.find(value) == value && !slices_[i]) {
        by_memory_space[dataflow_.value(value).memory_space].push_back(value);
      }
    }
    if (options_.fast_space != 0) {
      move_to_fast_space(by_memory_space[0], by_memory_space[options_.fast_space]);
    }
    for (const auto &[memory_space, values] : by_memory_space) {
      std::vector<packing::Item> items;
      std::int64_t sum = 0;
      for (ValueId value : values) {
        const packing::Item &item = items.emplace_back(item_of(value));
        if (item.size > max_bytes - sum - options_.alignment) {
          return make_error(ErrorCode::OutOfMemory, "temporaries in memory space {} sum up to more than 2^62 bytes",
                            memory_space);
        }
        sum += item.size + options_.alignment;
      }
      BP_TRY(check_presets(values, items));
      packing::Options effort;
      effort.steps = std::min(options_.packing_steps / steps_per_byte, sum) * steps_per_byte;
      packing::Heaps heaps = packing::pack_in_heaps(items, heap_limit(memory_space), effort);
      std::vector<std::uint32_t> allocations;
      for (std::int64_t height : heaps.heights) {
        allocations.push_back(add_allocation(AllocationKind::Temporary, height, memory_space));
      }
      for (std::size_t i = 0; i < values.size(); ++i) {
        slices_[index(values[i])] = Slice{allocations[heaps.heap[i]], heaps.offsets[i], items[i].size};
      }
    }
    return {};
  }

  packing::Item item_of(ValueId value) const {
    packing::Item item;
    item.size = dataflow_.value(value).size;
    item.alignment = options_.alignment;
    item.preset = sets_.binding(value).preset;
    for (auto [begin, end] : sets_.occupied(value)) {
      const Tick kept = independent_until_.empty() || end == 0 ? end : independent_until_[end - 1] + 1;
      if (!item.needed.empty() && begin <= item.needed.back().second) {
        item.needed.back().second = kept;
      } else {
        item.needed.emplace_back(begin, kept);
      }
    }
    return item;
  }

  // Returns by value, where values share memory the one that stands for them, whether it stays in space 0.
  std::vector<bool> find_staying() const {
    std::vector<bool> stays(dataflow_.values().size());
    if (!options_.stays_in_place) {
      return stays;
    }
    const auto keep = [&](ir::Instruction instruction) {
      for (std::uint32_t position = 0; position < dataflow_.positions().of(instruction).count; ++position) {
        if (const ValueId value = dataflow_.value_at(instruction.id(), position); value != no_value) {
          stays[index(sets_.find(value))] = true;
        }
      }
    };
    for (const ir::Computation computation : module_.computations()) {
      for (const ir::Instruction instruction : computation.instructions()) {
        if (!options_.stays_in_place(instruction)) {
          continue;
        }
        keep(instruction);
        for (const ir::InstructionId operand : instruction.operands()) {
          keep(module_.instruction(operand));
        }
      }
    }
    return stays;
  }

  void move_to_fast_space(std::vector<ValueId> &slow, std::vector<ValueId> &fast) const {
    const std::vector<bool> stays = find_staying();
    std::vector<packing::Item> items;
    std::vector<ValueId> candidates, staying;
    const std::int64_t capacity = limits_of(options_.fast_space).capacity;
    for (ValueId value : slow) {
      const bool may_move =
          !stays[index(value)] && sets_.binding(value).preset < 0 && dataflow_.value(value).size <= capacity;
      (may_move ? candidates : staying).push_back(value);
      if (may_move) {
        items.push_back(item_of(value));
      }
    }
    const packing::Packing placed = packing::BestFit(items).by_size_below(capacity);
    for (std::size_t i = 0; i < items.size(); ++i) {
      (placed.offsets[i] < 0 ? staying : fast).push_back(candidates[i]);
    }
    slow = std::move(staying);
  }

  SpaceLimits limits_of(std::int64_t memory_space) const {
    auto limits = std::ranges::find(options_.spaces, memory_space, &SpaceLimits::memory_space);
    return limits == options_.spaces.end() ? SpaceLimits{} : *limits;
  }

  std::int64_t heap_limit(std::int64_t memory_space) const {
    if (memory_space == options_.fast_space && memory_space != 0) {
      return limits_of(memory_space).capacity;  // the sets moved there fit
    }
    auto limits = std::ranges::find(options_.spaces, memory_space, &SpaceLimits::memory_space);
    return limits == options_.spaces.end() || limits->heap_limit == 0 ? max_bytes : limits->heap_limit;
  }

  Status bind_presets() {
    for (const Preset &preset : options_.presets) {
      if (index(preset.instruction) >= module_.instruction_id_limit()) {
        return invalid_input("preset of instruction {}, which does not exist", index(preset.instruction));
      }
      ir::Instruction instruction = module_.instruction(preset.instruction);
      bool is_part = preset.position < dataflow_.positions().of(instruction).count;
      ValueId value = is_part ? dataflow_.value_at(preset.instruction, preset.position) : no_value;
      if (value == no_value) {
        return invalid_input("preset of part {} of {}, expected an array of a control computation", preset.position,
                             instruction.name())
            .at(instruction.location());
      }
      std::string name = describe(instruction, preset.position);
      if (preset.offset < 0 || preset.offset % options_.alignment != 0 || preset.offset > max_preset) {
        return invalid_input("preset of {} is {}, expected a multiple of the alignment, {}, up to 2^60", name,
                             preset.offset, options_.alignment)
            .at(instruction.location());
      }
      if (!sets_.bind_preset(value, preset.offset)) {
        return invalid_input("preset of {} is {}, but it is, or shares memory with, {}", name, preset.offset,
                             sets_.binding(value).preset >= 0
                                 ? fmt::format("what is preset to {}", sets_.binding(value).preset)
                                 : "an input, output or constant")
            .at(instruction.location());
      }
    }
    return {};
  }

  Status check_presets(const std::vector<ValueId> &values, const std::vector<packing::Item> &items) const {
    std::vector<std::int64_t> offsets;
    for (const packing::Item &item : items) {
      offsets.push_back(item.preset);
    }
    if (auto overlap = packing::find_overlap(items, offsets)) {
      return invalid_input("presets of {} and {} overlap: they are {} and {}, and both are needed at the same time",
                           preset_name(values[overlap->first]), preset_name(values[overlap->second]),
                           offsets[overlap->first], offsets[overlap->second]);
    }
    return {};
  }
  // Returns the name of the value in the set that has the preset.
  std::string preset_name(ValueId set) const {
    auto preset = std::ranges::find_if(options_.presets, [&](const Preset &p) {
      return sets_.find(dataflow_.value_at(p.instruction, p.position)) == set;
    });
    return describe(module_.instruction(preset->instruction), preset->position);
  }

  // Guarantees that later sums of sizes cannot overflow.
  Status check_total() const {
    std::int64_t sum = 0;
    for (const Allocation &allocation : plan_.allocations) {
      if (allocation.size > max_bytes - sum) {
        return make_error(ErrorCode::OutOfMemory, "module {} needs more than 2^62 bytes of memory", module_.name());
      }
      sum += allocation.size;
    }
    return {};
  }

  const ir::Module &module_;
  const Options &options_;
  const Dataflow &dataflow_;
  Timeline timeline_;
  BufferSets sets_;
  Plan plan_;
  std::vector<std::optional<Slice>> slices_;  // by ValueId of the set's representative
  std::vector<Tick> independent_until_;       // by tick; empty unless values are kept apart
};

Result<Plan> assign_so(const ir::Module &module, const Options &options, const Dataflow &dataflow) {
  BP_ASSIGN(Plan plan, Assigner(module, options, dataflow).run());
  for (const SpaceLimits &limits : options.spaces) {
    if (limits.capacity > 0) {
      BP_TRY(check_fit(module, plan, limits.memory_space, limits.capacity));
    }
  }
  return plan;
}

}  // namespace

Result<Plan> assign(const ir::Module &module, const Options &options) {
  if (options.alignment <= 0 || (options.alignment & (options.alignment - 1)) != 0 || options.alignment > (1 << 30)) {
    return invalid_input("alignment is {}, expected a power of two up to 2^30", options.alignment);
  }
  BP_ASSIGN(Dataflow dataflow, Dataflow::analyze(module));
  Options dense = options;
  dense.keep_apart = false;
  BP_ASSIGN(Plan plan, assign_so(module, dense, dataflow));
  if (options.keep_apart) {
    const std::int64_t bytes = plan.total_bytes(), more = std::max(bytes / min_share, little_bytes);
    Result<Plan> apart = assign_so(module, options, dataflow);
    if (apart.ok() && apart->total_bytes() - bytes <= more) {
      return apart;
    }
  }
  return plan;
}

}  // namespace bp::buffers
