#include "core/import/hlo_proto/buffer_assignment.h"

#include <algorithm>
#include <set>

#include "core/buffers/live_range.h"
#include "core/import/hlo_proto/module_proto.h"

namespace bp::import::hlo_proto {
namespace {

using buffers::Allocation;
using buffers::AllocationKind;
using buffers::Slice;
using buffers::ValueId;

constexpr Field hlo_module{1, "hlo_module"}, buffer_assignment{3, "buffer_assignment"};
namespace assignment_fields {
constexpr Field logical_buffers{1, "logical_buffers"}, aliases{2, "buffer_aliases"},
    allocations{3, "buffer_allocations"}, traces{4, "heap_simulator_traces"};
}
namespace buffer_fields {
constexpr Field id{1, "id"}, size{2, "size"}, defined_at{3, "defined_at"}, color{4, "color"};
constexpr Field source{1, "source_buffer_id"}, location{2, "location"};  // fields of an alias
constexpr Field instruction_name{2, "instruction_name"}, shape_index{3, "shape_index"},
    instruction_id{4, "instruction_id"};  // field of a location
}  // namespace buffer_fields
namespace allocation_fields {
constexpr Field number{1, "index"}, size{2, "size"}, is_parameter{5, "is_entry_computation_parameter"},
    parameter_number{6, "parameter_number"}, maybe_live_out{7, "maybe_live_out"}, color{8, "color"},
    assigned{9, "assigned"}, parameter_index{10, "parameter_shape_index"}, is_constant{12, "is_constant"},
    is_aliased{13, "is_parameter_aliased_with_output"};
// Fields of an assigned buffer.
constexpr Field buffer{1, "logical_buffer_id"}, buffer_offset{2, "offset"}, buffer_size{3, "size"};
}  // namespace allocation_fields
namespace trace_fields {
constexpr Field events{1, "events"}, is_whole_module{2, "whole_module_simulation"},
    allocation{3, "buffer_allocation_index"};
constexpr Field kind{1, "kind"}, buffer{2, "buffer_id"}, computation{3, "computation_name"},
    instruction{4, "instruction_name"};
constexpr std::int64_t allocate = 0, release = 1;
}  // namespace trace_fields

class AssignmentWriter {
 public:
  AssignmentWriter(const buffers::Dataflow &dataflow, const buffers::Plan &plan, const Ids &ids);
  void write(Writer &writer);

 private:
  void write_location(Writer &writer, ir::Instruction instruction, std::size_t position);
  void write_buffers(Writer &writer);
  void write_aliases(Writer &writer);
  void write_allocation(Writer &writer, std::size_t number);
  void write_trace(Writer &writer, std::size_t number);
  void write_event(Writer &writer, std::int64_t kind, ValueId value);

  // Viewers require nonzero buffer numbers.
  static std::int64_t buffer_id(ValueId value) { return std::int64_t{index(value)} + 1; }

  const buffers::Dataflow &dataflow_;
  const buffers::Plan &plan_;
  const Ids &ids_;
  std::vector<std::vector<ValueId>> values_;  // by allocation
};

AssignmentWriter::AssignmentWriter(const buffers::Dataflow &dataflow, const buffers::Plan &plan, const Ids &ids)
    : dataflow_(dataflow), plan_(plan), ids_(ids), values_(plan.allocations.size()) {
  for (std::uint32_t i = 0; i < dataflow.values().size(); ++i) {
    const buffers::Value &value = dataflow.values()[i];
    if (auto slice = plan.slice(value.instruction, value.position)) {
      values_[slice->allocation].push_back(ValueId{i});
    }
  }
}

void AssignmentWriter::write(Writer &writer) {
  using namespace assignment_fields;
  write_buffers(writer);
  write_aliases(writer);
  for (std::size_t i = 0; i < plan_.allocations.size(); ++i) {
    // An output that shares the buffer of a donated input is part of the input's allocation.
    if (plan_.allocations[i].alias < 0) {
      writer.message(allocations, [&](Writer &inner) { write_allocation(inner, i); });
    }
  }
  for (std::size_t i = 0; i < plan_.allocations.size(); ++i) {
    if (plan_.allocations[i].kind == AllocationKind::Temporary) {
      writer.message(traces, [&](Writer &inner) { write_trace(inner, i); });
    }
  }
}

void AssignmentWriter::write_location(Writer &writer, ir::Instruction instruction, std::size_t position) {
  using namespace buffer_fields;
  writer.text(instruction_name, instruction.name());
  writer.integers(shape_index, instruction.shape().index_of_subshape(position));
  writer.integer(instruction_id, ids_.of(instruction.id()));
}

void AssignmentWriter::write_buffers(Writer &writer) {
  using namespace buffer_fields;
  for (std::uint32_t i = 0; i < dataflow_.values().size(); ++i) {
    const buffers::Value &value = dataflow_.values()[i];
    writer.message(assignment_fields::logical_buffers, [&](Writer &inner) {
      inner.integer(id, buffer_id(ValueId{i}));
      inner.integer(size, value.size);
      inner.message(defined_at,
                    [&](Writer &at) { write_location(at, dataflow_.instruction(ValueId{i}), value.position); });
      inner.integer(color, value.memory_space);
    });
  }
}

void AssignmentWriter::write_aliases(Writer &writer) {
  using namespace buffer_fields;
  for (ir::ComputationId computation : dataflow_.control_computations()) {
    for (ir::Instruction instruction : dataflow_.module().computation(computation).instructions()) {
      for (const buffers::Leaf &leaf : dataflow_.positions().of(instruction).leaves) {
        ValueId shown = dataflow_.value_at(instruction.id(), leaf.position);
        const buffers::Value &value = dataflow_.value(shown);
        if (value.instruction == instruction.id() && value.position == leaf.position) {
          continue;
        }
        writer.message(assignment_fields::aliases, [&](Writer &inner) {
          inner.integer(source, buffer_id(shown));
          inner.message(location, [&](Writer &at) { write_location(at, instruction, leaf.position); });
        });
      }
    }
  }
}

void AssignmentWriter::write_allocation(Writer &writer, std::size_t i) {
  using namespace allocation_fields;
  const Allocation &allocation = plan_.allocations[i];
  writer.integer(number, static_cast<std::int64_t>(i));
  writer.integer(allocation_fields::size, allocation.size);
  if (allocation.kind == AllocationKind::Input) {
    // Leaves are numbered across all parameters.
    std::int64_t leaf_number = allocation.index;
    ir::Computation entry = dataflow_.module().entry();
    for (std::size_t p = 0; p < entry.parameter_count(); ++p) {
      const auto &leaves = dataflow_.positions().of(entry.parameter(p)).leaves;
      if (leaf_number < static_cast<std::int64_t>(leaves.size())) {
        writer.integer(is_parameter, 1);
        writer.integer(parameter_number, static_cast<std::int64_t>(p));
        auto position = leaves[static_cast<std::size_t>(leaf_number)].position;
        writer.integers(parameter_index, entry.parameter(p).shape().index_of_subshape(position));
        break;
      }
      leaf_number -= static_cast<std::int64_t>(leaves.size());
    }
  }
  bool is_aliased = std::ranges::any_of(plan_.allocations, [&](const Allocation &other) {
    return allocation.kind == AllocationKind::Input && other.alias == static_cast<std::int64_t>(i);
  });
  if (is_aliased) {
    writer.integer(allocation_fields::is_aliased, 1);
  }
  if (is_aliased || allocation.kind == AllocationKind::Output) {
    writer.integer(maybe_live_out, 1);
  }
  writer.integer(color, allocation.memory_space);
  if (allocation.kind == AllocationKind::Constant) {
    writer.integer(is_constant, 1);
  }
  for (ValueId value : values_[i]) {
    const buffers::Value &made = dataflow_.value(value);
    Slice slice = *plan_.slice(made.instruction, made.position);
    writer.message(assigned, [&](Writer &inner) {
      inner.integer(buffer, buffer_id(value));
      inner.integer(buffer_offset, slice.offset);
      inner.integer(buffer_size, slice.size);
    });
  }
}

void AssignmentWriter::write_event(Writer &writer, std::int64_t kind, ValueId value) {
  ir::Instruction made = dataflow_.instruction(value);
  writer.message(trace_fields::events, [&](Writer &event) {
    event.integer(trace_fields::kind, kind);
    event.integer(trace_fields::buffer, buffer_id(value));
    event.text(trace_fields::computation, made.parent().name());
    event.text(trace_fields::instruction, made.name());
  });
}

// Writes the events in time order. If one value ends when another one begins at the same offset, its release comes
// first: otherwise viewers would count that memory twice.
void AssignmentWriter::write_trace(Writer &writer, std::size_t number) {
  buffers::Timeline timeline = buffers::flatten_schedule(dataflow_);
  std::vector<buffers::LiveRange> ranges = buffers::live_ranges(dataflow_, timeline);
  auto offset = [&](ValueId value) {
    const buffers::Value &made = dataflow_.value(value);
    return plan_.slice(made.instruction, made.position)->offset;
  };
  std::set<std::pair<buffers::Tick, std::int64_t>> beginnings;
  for (ValueId value : values_[number]) {
    beginnings.emplace(ranges[index(value)].begin, offset(value));
  }
  struct Event {
    buffers::Tick tick;
    int order;  // order within one tick: replaced, begun, ended
    std::int64_t kind;
    ValueId value;
  };
  std::vector<Event> events;
  for (ValueId value : values_[number]) {
    auto [begin, end] = ranges[index(value)];
    bool is_replaced = begin != end && beginnings.contains({end, offset(value)});
    events.push_back({begin, 1, trace_fields::allocate, value});
    events.push_back({end, is_replaced ? 0 : 2, trace_fields::release, value});
  }
  std::ranges::stable_sort(events, {}, [](const Event &event) { return std::pair(event.tick, event.order); });
  for (const Event &event : events) {
    write_event(writer, event.kind, event.value);
  }
  writer.integer(trace_fields::is_whole_module, 1);
  writer.integer(trace_fields::allocation, static_cast<std::int64_t>(number));
}

}  // namespace

Result<std::string> write_hlo_proto(const ir::Module &module, const buffers::Plan &plan) {
  BP_ASSIGN(buffers::Dataflow dataflow, buffers::Dataflow::analyze(module));
  Ids ids(module);
  Writer writer, inner;
  BP_TRY(write_module(inner, module, ids));
  writer.text(hlo_module, inner.bytes());
  AssignmentWriter assignment(dataflow, plan, ids);
  writer.message(buffer_assignment, [&](Writer &message) { assignment.write(message); });
  return writer.take();
}

}  // namespace bp::import::hlo_proto
