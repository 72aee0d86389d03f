#include <fmt/core.h>

#include <algorithm>
#include <boost/json.hpp>

#include "core/backplane.h"
#include "core/base/files.h"
#include "core/buffers/copy_insertion.h"
#include "core/buffers/fit.h"
#include "core/buffers/live_range.h"
#include "core/buffers/print.h"
#include "tools/command/backend_choice.h"
#include "tools/command/memory_page.h"
#include "tools/command/memory_picture.h"
#include "tools/command/memory_plan.h"
#include "tools/command/model_choice.h"
#include "tools/command/options.h"
#include "tools/command/terminal.h"

namespace bp::command {
namespace {

constexpr std::size_t max_shown = 20;  // lines per kind

struct MemoryRequest {
  ModelChoice model;
  std::string html, svg;
  BackendChoice backend;      // without a name: plan without a device
  std::int64_t capacity = 0;  // 0: no check of the capacity
  bool json = false, plan = false;
};

// Returns where an instruction comes from: the framework's source line if the model gives it, otherwise its line in the
// model.
std::string source_of(ir::Instruction instruction) {
  const ir::Metadata *metadata = instruction.metadata();
  if (metadata != nullptr && !metadata->source_file.empty()) {
    return fmt::format("{}:{}", metadata->source_file, metadata->source_line);
  }
  if (metadata != nullptr && !metadata->op_name.empty()) {
    return metadata->op_name;
  }
  SourceLocation location = instruction.location();
  return location.line == 0 ? "" : fmt::format("{}:{}", location.file, location.line);
}

std::string name_of(const ir::Module &module, ir::InstructionId instruction, std::uint32_t position) {
  return buffers::describe(module.instruction(instruction), position);
}

void print_figures(const Planned &planned) {
  const buffers::MemoryStatistics &statistics = planned.statistics;
  auto line = [](std::string_view what, std::int64_t bytes) {
    fmt::print("{:<22}{:>16}  {}\n", what, bytes, format_bytes(static_cast<double>(bytes)));
  };
  line("predicted peak", planned.peak);
  line("  inputs", statistics.input_bytes);
  line("  outputs", statistics.output_bytes);
  line("  constants", statistics.constant_bytes);
  line("  temporaries", statistics.temporary_bytes);
  line("    lower bound", statistics.temporary_lower_bound);
  line("    fragmentation", statistics.fragmentation_bytes());
  if (planned.programs != 0) {
    line("  scratch", planned.scratch);
    line("copies for the host", planned.staging);
  }
  line("donated inputs", statistics.donated_bytes);
  if (planned.programs > 1) {
    fmt::print("{:<22}{:>16}; the figures are of the one that needs most\n", "programs", planned.programs);
  }
}

void print_arrays(const Planned &planned, std::span<const buffers::MemoryStatistics::LiveArray> arrays,
                  std::size_t shown) {
  for (std::size_t i = 0; i < std::min(shown, arrays.size()); ++i) {
    const auto &array = arrays[i];
    ir::Instruction instruction = planned.module.instruction(array.instruction);
    fmt::print("{:>16}  {:<9} {:<32} {} {}\n", array.slice.size,
               to_string(planned.plan.allocations[array.slice.allocation].kind),
               name_of(planned.module, array.instruction, array.position),
               ir::to_string(instruction.shape().subshape(array.position)), source_of(instruction));
  }
  if (arrays.size() > shown) {
    fmt::print("  and {} smaller ones\n", arrays.size() - shown);
  }
}

void print_peak(const Planned &planned) {
  const auto &statistics = planned.statistics;
  if (!statistics.live_at_peak.empty()) {
    fmt::print("\nLive temporaries at the peak, while {} runs:\n", planned.module.instruction(statistics.peak).name());
    print_arrays(planned, statistics.live_at_peak, max_shown);
  }
}

void print_donations(const Planned &planned) {
  std::size_t count = 0;
  for (const buffers::Allocation &allocation : planned.plan.allocations) {
    if (allocation.alias < 0) {
      continue;
    }
    fmt::print("{}", count == 0 ? "\nDonated:\n" : "");
    if (++count <= max_shown) {
      fmt::print("  output {} is in the memory of input {}, {} bytes\n", allocation.index,
                 planned.plan.allocations[static_cast<std::size_t>(allocation.alias)].index, allocation.size);
    }
  }
  if (count > max_shown) {
    fmt::print("  and {} more\n", count - max_shown);
  }
}

// Returns the inserted copies, with the reasons.
std::vector<std::pair<ir::InstructionId, std::string>> inserted_copies(const ir::Module &module) {
  std::vector<std::pair<ir::InstructionId, std::string>> copies;
  for (ir::Computation computation : module.computations()) {
    for (ir::Instruction instruction : computation.instructions()) {
      if (std::string reason = buffers::copy_reason(instruction); !reason.empty()) {
        copies.emplace_back(instruction.id(), std::move(reason));
      }
    }
  }
  return copies;
}

std::int64_t bytes_of(const Planned &planned, ir::InstructionId instruction) {
  auto slice = planned.plan.slice(instruction);
  return slice ? slice->size : 0;
}

void print_copies(const Planned &planned) {
  auto copies = inserted_copies(planned.module);
  fmt::print("{}", copies.empty() ? "" : "\nCopies that were inserted:\n");
  for (const auto &[copy, reason] : copies) {
    fmt::print("  {}, {} bytes: {}\n", planned.module.instruction(copy).name(), bytes_of(planned, copy), reason);
  }
  fmt::print("{}",
             planned.updates.empty() ? "" : "\nUpdates that are not in place, so that they write the whole array:\n");
  for (const auto &update : planned.updates) {
    fmt::print("  {}, {} bytes: {} {}\n", name_of(planned.module, update.instruction, update.position), update.bytes,
               update.reason, source_of(planned.module.instruction(update.instruction)));
  }
}

// Returns whether the plan fits. If not, prints what takes the memory.
bool print_capacity(const Planned &planned, std::int64_t capacity) {
  const std::int64_t needed = planned.needed();
  if (needed <= capacity) {
    fmt::print("\nThe plan fits into the capacity {}: {} bytes are left\n", capacity, capacity - needed);
    return true;
  }
  fmt::print("\n{}: {} bytes are needed, {} more than the capacity {}. The peak is at {}; the largest there:\n",
             paint(Colour::Red, "does not fit"), needed, needed - capacity, capacity,
             planned.statistics.peak == ir::no_instruction
                 ? "every instruction, as there are no temporaries"
                 : planned.module.instruction(planned.statistics.peak).name());
  print_arrays(planned, buffers::largest_at_peak(planned.module, planned.plan, planned.statistics, 0), 10);
  return false;
}

boost::json::array arrays_to_json(const Planned &planned,
                                  std::span<const buffers::MemoryStatistics::LiveArray> arrays) {
  boost::json::array json;
  for (const auto &array : arrays) {
    json.push_back({{"array", name_of(planned.module, array.instruction, array.position)},
                    {"kind", to_string(planned.plan.allocations[array.slice.allocation].kind)},
                    {"bytes", array.slice.size},
                    {"source", source_of(planned.module.instruction(array.instruction))}});
  }
  return json;
}

Result<boost::json::value> to_json(const Planned &planned, const MemoryRequest &request) {
  BP_ASSIGN(boost::json::value value, buffers::to_json(planned.plan, planned.module));
  boost::json::object &object = value.as_object();
  boost::json::array copies, updates;
  for (const auto &[copy, reason] : inserted_copies(planned.module)) {
    copies.push_back(
        {{"copy", planned.module.instruction(copy).name()}, {"bytes", bytes_of(planned, copy)}, {"reason", reason}});
  }
  for (const auto &update : planned.updates) {
    updates.push_back({{"update", name_of(planned.module, update.instruction, update.position)},
                       {"bytes", update.bytes},
                       {"reason", update.reason},
                       {"source", source_of(planned.module.instruction(update.instruction))}});
  }
  const auto &statistics = planned.statistics;
  object["peak"] = {
      {"tick", statistics.peak_tick},
      {"instruction",
       statistics.peak == ir::no_instruction ? std::string_view() : planned.module.instruction(statistics.peak).name()},
      {"live", arrays_to_json(planned, statistics.live_at_peak)}};
  object["inserted_copies"] = std::move(copies);
  object["updates_not_in_place"] = std::move(updates);
  if (planned.programs != 0) {
    object["device"] = {{"programs", planned.programs},
                        {"peak", planned.peak},
                        {"scratch", planned.scratch},
                        {"staging", planned.staging}};
  }
  if (request.capacity > 0) {
    const std::int64_t needed = planned.needed();
    auto largest = buffers::largest_at_peak(planned.module, planned.plan, statistics, 0);
    largest.resize(std::min<std::size_t>(largest.size(), 10));
    object["capacity"] = {{"capacity", request.capacity},
                          {"needed", needed},
                          {"fits", needed <= request.capacity},
                          {"largest", arrays_to_json(planned, largest)}};
  }
  return value;
}

// Returns the data for the picture: see memory_page.h.
Result<boost::json::object> page_data(const Planned &planned, const std::string &title) {
  namespace json = boost::json;
  const ir::Module &module = planned.module;
  BP_ASSIGN(buffers::Dataflow dataflow, buffers::Dataflow::analyze(module));
  buffers::Timeline timeline = buffers::flatten_schedule(dataflow);
  std::vector<buffers::LiveRange> ranges = buffers::live_ranges(dataflow, timeline);
  json::array ticks, live, allocations, values;
  for (ir::InstructionId id : timeline.instructions) {
    ticks.emplace_back(id == ir::no_instruction ? std::string_view() : module.instruction(id).name());
  }
  for (auto [tick, bytes] : planned.statistics.live_bytes) {
    live.push_back(json::array{tick, bytes});
  }
  std::size_t number = 0;
  for (const buffers::Allocation &allocation : planned.plan.allocations) {
    allocations.push_back(
        {{"name", fmt::format("{} {}", to_string(allocation.kind),
                              allocation.index >= 0 ? allocation.index : static_cast<std::int64_t>(number))},
         {"size", allocation.alias >= 0 ? 0 : allocation.size}});
    ++number;
  }
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const buffers::Value &value = dataflow.values()[i];
    ir::Instruction instruction = module.instruction(value.instruction);
    auto slice = planned.plan.slice(value.instruction, value.position);
    if (!slice) {
      continue;
    }
    constexpr std::string_view kinds[] = {"temporary", "input", "output", "constant", "copy"};
    std::string note = buffers::copy_reason(instruction);
    std::string_view kind =
        note.empty() ? to_string(planned.plan.allocations[slice->allocation].kind) : std::string_view("copy");
    values.push_back(json::array{slice->allocation, slice->offset, slice->size, ranges[i].begin, ranges[i].end,
                                 std::ranges::find(kinds, kind) - std::begin(kinds),
                                 buffers::describe(instruction, value.position),
                                 ir::to_string(instruction.shape().subshape(value.position)),
                                 ir::to_string(instruction.opcode()), source_of(instruction), note});
  }
  for (const auto &update : planned.updates) {
    std::string name = name_of(module, update.instruction, update.position);
    for (json::value &value : values) {
      if (value.at(6).as_string() == name && value.at(10).as_string().empty()) {
        value.at(10) = "not in place: " + update.reason;
      }
    }
  }
  const auto &statistics = planned.statistics;
  return json::object{{"title", title},
                      {"figures", fmt::format("peak {}: inputs {}, outputs {}, constants {}, temporaries {}",
                                              format_bytes(static_cast<double>(statistics.total_bytes)),
                                              format_bytes(static_cast<double>(statistics.input_bytes)),
                                              format_bytes(static_cast<double>(statistics.output_bytes)),
                                              format_bytes(static_cast<double>(statistics.constant_bytes)),
                                              format_bytes(static_cast<double>(statistics.temporary_bytes)))},
                      {"peak_tick", statistics.peak_tick},
                      {"ticks", std::move(ticks)},
                      {"live", std::move(live)},
                      {"allocations", std::move(allocations)},
                      {"values", std::move(values)}};
}

// Returns an exit code.
Result<int> describe_plan(const MemoryRequest &request) {
  BP_ASSIGN(ir::Module module, request.model.only_module());
  BP_ASSIGN(Planned planned, plan_memory(std::move(module), request.backend, request.capacity));
  if (!request.html.empty() || !request.svg.empty()) {
    BP_ASSIGN(boost::json::object data, page_data(planned, request.model.file()));
    if (!request.html.empty()) {
      BP_TRY(write_file(request.html, memory_page(data)));
    }
    if (!request.svg.empty()) {
      BP_TRY(write_file(request.svg, memory_picture(data)));
    }
  }
  const bool fits = request.capacity == 0 || planned.needed() <= request.capacity;
  if (request.json) {
    BP_ASSIGN(boost::json::value value, to_json(planned, request));
    fmt::print("{}\n", boost::json::serialize(value));
    return fits ? success : negative;
  }
  print_figures(planned);
  print_peak(planned);
  print_donations(planned);
  print_copies(planned);
  if (request.plan) {
    BP_ASSIGN(std::string text, buffers::to_string(planned.plan, planned.module));
    fmt::print("\n{}", text);
  }
  if (request.capacity > 0) {
    print_capacity(planned, request.capacity);
  }
  return fits ? success : negative;
}

}  // namespace

int describe_memory(std::span<const std::string> arguments) {
  namespace po = boost::program_options;
  Options options(
      "memory MODEL [--on NAME] [--html FILE] [--svg FILE] [--capacity N] [--plan] [--json]",
      "Plans the memory of a model and prints the predicted peak, the values that are live there with their source\n"
      "lines, the donated inputs, the reasons for inserted copies, and the reasons why updates are not in place.\n"
      "--html writes an interactive picture, --svg an image: time goes to the right, memory upwards. With --on, the\n"
      "figures are those of a run on that device. Without, they are those of the model after the default passes,\n"
      "which are approximate: a device also expands and fuses instructions, and needs scratch memory.",
      "  backplane memory model.hlo\n"
      "  backplane memory model.hlo --on cpu               the exact memory of run --on cpu\n"
      "  backplane memory model.hlo --html memory.html     one file, for a browser\n"
      "  backplane memory model.hlo --on cpu --svg memory.svg     for a document\n"
      "  backplane memory model.hlo --capacity 16000000    exit code 1 if it does not fit, with the largest values\n"
      "  backplane memory model.hlo --plan                 also the offsets of all values\n"
      "  backplane memory model.hlo --json > plan.json\n"
      "  backplane opt model.hlo --emit=proto -o model.pb  the same plan for XLA's memory viewers\n");
  options.add()("html", po::value<std::string>()->default_value(""),
                "write the plan as an interactive picture to this file")(
      "svg", po::value<std::string>()->default_value(""), "write the plan as an SVG image to this file")(
      "capacity", po::value<std::int64_t>(),
      "available bytes; if they are not enough, the largest values at the peak are printed")(
      "plan", "also print every value with its allocation and offset, and every allocation")(
      "json", "print everything as one JSON object");
  BackendChoice::add_to(options, "");
  ModelChoice::add_to(options);
  if (auto exit = options.parse(arguments)) {
    return *exit;
  }
  MemoryRequest request;
  if (auto exit = request.backend.read(options)) {
    return *exit;
  }
  if (auto exit = request.model.read(options)) {
    return *exit;
  }
  request.html = options.get<std::string>("html");
  request.svg = options.get<std::string>("svg");
  request.json = options.has("json");
  request.plan = options.has("plan");
  if (options.has("capacity")) {
    request.capacity = options.get<std::int64_t>("capacity");
    if (request.capacity <= 0) {
      return options.misuse(fmt::format("--capacity is {}, expected more than 0", request.capacity));
    }
  }
  Result<int> code = describe_plan(request);
  return code.ok() ? code.value() : report(code.error());
}

}  // namespace bp::command
