#include "core/buffers/print.h"

#include "core/buffers/live_range.h"
#include "core/buffers/statistics.h"

namespace bp::buffers {
namespace {

struct Position {
  ir::InstructionId instruction;
  std::size_t position;
};

std::string index_text(ir::Instruction instruction, std::size_t position) {
  return fmt::format("{{{}}}", fmt::join(instruction.shape().index_of_subshape(position), ","));
}

// Returns, by ValueId, the positions that show the value: its definition first, then the others in program order.
std::vector<std::vector<Position>> positions_of_values(const Dataflow &dataflow) {
  std::vector<std::vector<Position>> positions(dataflow.values().size());
  for (std::size_t i = 0; i < positions.size(); ++i) {
    positions[i].push_back({dataflow.values()[i].instruction, dataflow.values()[i].position});
  }
  for (ir::ComputationId id : dataflow.control_computations()) {
    for (ir::Instruction instruction : dataflow.module().computation(id).instructions()) {
      for (const Leaf &leaf : dataflow.positions().of(instruction).leaves) {
        auto &shown = positions[index(dataflow.value_at(instruction.id(), leaf.position))];
        if (shown[0].instruction != instruction.id() || shown[0].position != leaf.position) {
          shown.push_back({instruction.id(), leaf.position});
        }
      }
    }
  }
  return positions;
}

std::string name_of(const Plan &plan, std::uint32_t number) {
  const Allocation &allocation = plan.allocations[number];
  return allocation.index >= 0 ? fmt::format("{} {}", to_string(allocation.kind), allocation.index)
                               : fmt::format("{} (allocation {})", to_string(allocation.kind), number);
}

}  // namespace

Result<std::string> to_string(const Plan &plan, const ir::Module &module) {
  BP_ASSIGN(Dataflow dataflow, Dataflow::analyze(module));
  BP_ASSIGN(MemoryStatistics statistics, measure(module, plan));
  std::string text;
  auto out = std::back_inserter(text);
  for (const auto &shown : positions_of_values(dataflow)) {
    ir::Instruction made = module.instruction(shown[0].instruction);
    fmt::format_to(out, "Buffer({}, {}) : [", made.name(), index_text(made, shown[0].position));
    for (std::size_t i = 0; i < shown.size(); ++i) {
      ir::Instruction at = module.instruction(shown[i].instruction);
      fmt::format_to(out, "{}({}, {})", i == 0 ? "" : ", ", at.name(), index_text(at, shown[i].position));
    }
    text += ']';
    if (auto slice = plan.slice(shown[0].instruction, shown[0].position)) {
      fmt::format_to(out, " {} at {}, {} bytes", name_of(plan, slice->allocation), slice->offset, slice->size);
    }
    text += '\n';
  }
  text += '\n';
  for (std::uint32_t i = 0; i < plan.allocations.size(); ++i) {
    const Allocation &allocation = plan.allocations[i];
    fmt::format_to(out, "allocation {}: {}", i, to_string(allocation.kind));
    if (allocation.index >= 0) {
      fmt::format_to(out, " {}", allocation.index);
    }
    fmt::format_to(out, ", {} bytes, alignment {}, memory space {}", allocation.size, allocation.alignment,
                   allocation.memory_space);
    if (allocation.alias >= 0) {
      fmt::format_to(out, ", donated by allocation {}", allocation.alias);
    }
    if (allocation.constant != ir::no_instruction) {
      fmt::format_to(out, ", {}", describe(module.instruction(allocation.constant), allocation.constant_position));
    }
    text += '\n';
  }
  fmt::format_to(out,
                 "\ntotal {} bytes: inputs {}, outputs {} and {} donated, constants {}, temporaries {} "
                 "(lower bound {}, fragmentation {})\n",
                 statistics.total_bytes, statistics.input_bytes, statistics.output_bytes, statistics.donated_bytes,
                 statistics.constant_bytes, statistics.temporary_bytes, statistics.temporary_lower_bound,
                 statistics.fragmentation_bytes());
  if (!statistics.live_at_peak.empty()) {
    fmt::format_to(out, "temporaries live at the peak, at {}:\n", module.instruction(statistics.peak).name());
    for (const auto &array : statistics.live_at_peak) {
      fmt::format_to(out, "  {} bytes: {}\n", array.slice.size,
                     describe(module.instruction(array.instruction), array.position));
    }
  }
  return text;
}

Result<boost::json::value> to_json(const Plan &plan, const ir::Module &module) {
  BP_ASSIGN(Dataflow dataflow, Dataflow::analyze(module));
  BP_ASSIGN(MemoryStatistics statistics, measure(module, plan));
  std::vector<LiveRange> ranges = live_ranges(dataflow, flatten_schedule(dataflow));
  namespace json = boost::json;

  json::array allocations;
  for (const Allocation &allocation : plan.allocations) {
    json::object object = {{"kind", json::string_view(to_string(allocation.kind))},
                           {"size", allocation.size},
                           {"alignment", allocation.alignment},
                           {"memory_space", allocation.memory_space}};
    if (allocation.index >= 0) {
      object["index"] = allocation.index;
    }
    if (allocation.alias >= 0) {
      object["alias"] = allocation.alias;
    }
    if (allocation.constant != ir::no_instruction) {
      object["constant"] = describe(module.instruction(allocation.constant), allocation.constant_position);
    }
    allocations.push_back(std::move(object));
  }

  json::array values;
  auto positions = positions_of_values(dataflow);
  for (std::size_t i = 0; i < positions.size(); ++i) {
    auto pair = [&](const Position &shown) {
      ir::Instruction instruction = module.instruction(shown.instruction);
      return json::array{json::string(instruction.name()), index_text(instruction, shown.position)};
    };
    json::array shown;
    for (const Position &position : positions[i]) {
      shown.push_back(pair(position));
    }
    json::array defined = pair(positions[i][0]);
    json::object object = {{"instruction", defined[0]},
                           {"index", defined[1]},
                           {"begin", ranges[i].begin},
                           {"end", ranges[i].end},
                           {"positions", std::move(shown)}};
    if (auto slice = plan.slice(positions[i][0].instruction, positions[i][0].position)) {
      object["allocation"] = slice->allocation;
      object["offset"] = slice->offset;
      object["size"] = slice->size;
    }
    values.push_back(std::move(object));
  }

  json::object sums = {{"total_bytes", statistics.total_bytes},
                       {"input_bytes", statistics.input_bytes},
                       {"output_bytes", statistics.output_bytes},
                       {"donated_bytes", statistics.donated_bytes},
                       {"constant_bytes", statistics.constant_bytes},
                       {"temporary_bytes", statistics.temporary_bytes},
                       {"temporary_lower_bound", statistics.temporary_lower_bound},
                       {"fragmentation_bytes", statistics.fragmentation_bytes()}};
  return json::value{
      {"allocations", std::move(allocations)}, {"values", std::move(values)}, {"statistics", std::move(sums)}};
}

}  // namespace bp::buffers
