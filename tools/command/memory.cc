#include <fmt/core.h>

#include <boost/json.hpp>

#include "core/backplane.h"
#include "core/buffers/assign.h"
#include "core/buffers/copy_insertion.h"
#include "core/buffers/print.h"
#include "core/buffers/schedule.h"
#include "core/buffers/statistics.h"
#include "core/passes/pipeline.h"
#include "tools/command/options.h"
#include "tools/command/terminal.h"

namespace bp::command {
namespace {

// The framework's source line of an instruction, if the model says it.
std::string source_of(ir::Instruction instruction) {
  const ir::Metadata *metadata = instruction.metadata();
  if (metadata == nullptr) {
    return "";
  }
  if (!metadata->source_file.empty()) {
    return fmt::format("{}:{}", metadata->source_file, metadata->source_line);
  }
  return metadata->op_name;
}

void print_figures(const buffers::MemoryStatistics &statistics) {
  auto line = [](std::string_view what, std::int64_t bytes) {
    fmt::print("{:<22}{:>16}  {}\n", what, bytes, format_bytes(static_cast<double>(bytes)));
  };
  line("predicted peak", statistics.total_bytes);
  line("  inputs", statistics.input_bytes);
  line("  outputs", statistics.output_bytes);
  line("  constants", statistics.constant_bytes);
  line("  temporaries", statistics.temporary_bytes);
  line("    lower bound", statistics.temporary_lower_bound);
  line("    fragmentation", statistics.fragmentation_bytes());
  line("donated inputs", statistics.donated_bytes);
}

void print_peak(const ir::Module &module, const buffers::MemoryStatistics &statistics) {
  if (statistics.live_at_peak.empty()) {
    return;
  }
  constexpr std::size_t shown = 20;
  fmt::print("\nLive temporaries at the peak, while {} runs:\n", module.instruction(statistics.peak).name());
  for (std::size_t i = 0; i < std::min(shown, statistics.live_at_peak.size()); ++i) {
    const auto &live = statistics.live_at_peak[i];
    ir::Instruction instruction = module.instruction(live.instruction);
    fmt::print("{:>16}  {:<32} {} {}\n", live.slice.size, instruction.name(),
               ir::to_string(instruction.shape().subshape(live.position)), source_of(instruction));
  }
  if (statistics.live_at_peak.size() > shown) {
    fmt::print("  and {} smaller ones\n", statistics.live_at_peak.size() - shown);
  }
}

void print_copies(const ir::Module &module) {
  bool first = true;
  for (ir::Computation computation : module.computations()) {
    for (ir::Instruction instruction : computation.instructions()) {
      if (std::string reason = buffers::copy_reason(instruction); !reason.empty()) {
        fmt::print("{}  {}: {}\n", first ? "\nCopies that were inserted:\n" : "", instruction.name(), reason);
        first = false;
      }
    }
  }
}

Status describe(const std::string &file, bool json, bool plan_too) {
  BP_ASSIGN(ir::Module module, read_module(file));
  BP_TRY(passes::run_passes(module, passes::default_passes()));
  BP_TRY(buffers::schedule(module));
  BP_TRY(buffers::insert_copies(module));
  BP_ASSIGN(buffers::Plan plan, buffers::assign(module));
  if (json) {
    BP_ASSIGN(boost::json::value value, buffers::to_json(plan, module));
    fmt::print("{}\n", boost::json::serialize(value));
    return {};
  }
  BP_ASSIGN(buffers::MemoryStatistics statistics, buffers::measure(module, plan));
  print_figures(statistics);
  print_peak(module, statistics);
  print_copies(module);
  if (plan_too) {
    BP_ASSIGN(std::string text, buffers::to_string(plan, module));
    fmt::print("\n{}", text);
  }
  return {};
}

}  // namespace

int describe_memory(std::span<const std::string> arguments) {
  Options options(
      "memory MODEL.hlo [--plan] [--json]",
      "Plans the memory of a model as it is after the default passes, and shows the predicted peak, what is\n"
      "live there, and why copies were inserted.",
      "  backplane memory model.hlo\n"
      "  backplane memory model.hlo --plan          also where every value lies\n"
      "  backplane memory model.hlo --json > plan.json\n");
  options.add()("plan", "also every value with its place, and every allocation")("json",
                                                                                 "the whole plan as one JSON object");
  options.add_positional("model", 1);
  if (auto exit = options.parse(arguments)) {
    return *exit;
  }
  if (!options.has("model")) {
    return options.misuse("no model was given");
  }
  Status status = describe(options.get<std::string>("model"), options.has("json"), options.has("plan"));
  return status.ok() ? success : report(status.error());
}

}  // namespace bp::command
