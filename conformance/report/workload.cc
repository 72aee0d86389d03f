#include "conformance/report/workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <map>

#include "conformance/coverage/programs.h"
#include "conformance/programs/embedded.h"
#include "core/compile/claims.h"

namespace bp::conformance {
namespace {

namespace json = boost::json;

// Returns the type of an array, or of the first float in a tuple, or else of the first array.
ir::ElementType leading_type(const ir::Shape &shape) {
  if (shape.is_array()) {
    return shape.element_type();
  }
  ir::ElementType first = ir::ElementType::Invalid;
  if (shape.is_tuple()) {
    for (const ir::Shape &element : shape.elements()) {
      const ir::ElementType type = leading_type(element);
      if (type != ir::ElementType::Invalid && (ir::is_floating(type) || first == ir::ElementType::Invalid)) {
        first = type;
        if (ir::is_floating(type)) {
          break;
        }
      }
    }
  }
  return first;
}

// Returns the element type under which the suite tests the instruction: that of its first operand, which for many
// operations is also that of the result.
std::string type_under_test(const ir::Instruction &instruction) {
  if (coverage::is_typeless(instruction.opcode())) {
    return "-";
  }
  const bool begins_with_predicate =
      instruction.opcode() == ir::Opcode::Select || instruction.opcode() == ir::Opcode::Conditional;
  const ir::Shape &shape =
      instruction.operand_count() == 0 || begins_with_predicate ? instruction.shape() : instruction.operand(0).shape();
  const ir::ElementType type = leading_type(shape);
  return type == ir::ElementType::Invalid ? "-" : std::string(ir::to_string(type));
}

using Counts = std::map<std::pair<std::string, std::string>, std::size_t>;

void count_computation(const ir::Computation &computation, std::vector<bool> &seen, Counts &counts) {
  if (seen[index(computation.id())]) {
    return;
  }
  seen[index(computation.id())] = true;
  for (const ir::Instruction instruction : computation.instructions()) {
    const std::string op(ir::to_string(instruction.opcode()));
    if (compile::is_claimable(instruction.opcode()) && why_uncounted(op).empty()) {
      ++counts[{op, type_under_test(instruction)}];
    }
    const bool has_bodies = instruction.is(ir::Trait::CallsControl) || instruction.opcode() == ir::Opcode::Fusion;
    for (std::size_t i = 0; has_bodies && i < instruction.calls().size(); ++i) {
      count_computation(instruction.called(i), seen, counts);
    }
  }
}

Result<WorkloadOp> op_from(const json::value &value) {
  const json::object *object = value.if_object();
  const auto text = [&](const char *name) {
    const json::value *field = object == nullptr ? nullptr : object->if_contains(name);
    return field == nullptr || !field->is_string() ? std::string() : std::string(field->as_string());
  };
  const json::value *count = object == nullptr ? nullptr : object->if_contains("count");
  json::error_code problem;
  WorkloadOp op{text("op"), text("type"), count == nullptr ? 0 : count->to_number<std::size_t>(problem)};
  if (op.op.empty() || op.type.empty() || op.count == 0 || problem) {
    return invalid_input("'{}' is no operation, expected {{\"op\": \"add\", \"type\": \"f32\", \"count\": 3}}",
                         json::serialize(value));
  }
  return op;
}

}  // namespace

std::size_t Workload::instructions() const {
  std::size_t sum = 0;
  for (const WorkloadOp &op : ops) {
    sum += op.count;
  }
  return sum;
}

void add_instructions(const ir::Module &module, Workload &workload) {
  Counts counts;
  for (const WorkloadOp &op : workload.ops) {
    counts[{op.op, op.type}] += op.count;
  }
  std::vector<bool> seen(module.computation_id_limit());
  count_computation(module.entry(), seen, counts);
  workload.ops.clear();
  for (const auto &[key, count] : counts) {
    workload.ops.push_back({key.first, key.second, count});
  }
}

std::string to_json(const Workload &workload) {
  std::vector<std::string> lines;
  for (const WorkloadOp &op : workload.ops) {
    lines.push_back(fmt::format("  {{\"op\": {}, \"type\": {}, \"count\": {}}}", json::serialize(json::value(op.op)),
                                json::serialize(json::value(op.type)), op.count));
  }
  return fmt::format("{{\"name\": {},\n \"program\": {},\n \"ops\": [\n{}\n]}}\n",
                     json::serialize(json::value(workload.name)), json::serialize(json::value(workload.program)),
                     fmt::join(lines, ",\n"));
}

Result<Workload> workload_from_json(std::string_view text) {
  json::error_code problem;
  const json::value value = json::parse(text, problem);
  const json::object *object = problem ? nullptr : value.if_object();
  const json::value *name = object == nullptr ? nullptr : object->if_contains("name");
  const json::value *program = object == nullptr ? nullptr : object->if_contains("program");
  const json::value *ops = object == nullptr ? nullptr : object->if_contains("ops");
  if (name == nullptr || !name->is_string() || ops == nullptr || !ops->is_array() ||
      (program != nullptr && !program->is_string())) {
    return invalid_input("is no workload, expected the output of `backplane conform workload`");
  }
  Workload workload{
      std::string(name->as_string()), program == nullptr ? std::string() : std::string(program->as_string()), {}};
  for (const json::value &one : ops->as_array()) {
    BP_ASSIGN(WorkloadOp op, op_from(one));
    workload.ops.push_back(std::move(op));
  }
  if (workload.ops.empty()) {
    return invalid_input("has no operation, expected one at least");
  }
  return workload;
}

const std::vector<Workload> &named_workloads() {
  static const std::vector<Workload> all = [] {
    std::vector<Workload> workloads;
    for (const EmbeddedFile &file : embedded_workloads()) {
      workloads.push_back(workload_from_json(file.text).value());
    }
    return workloads;
  }();
  return all;
}

WorkloadShare share_of(const Workload &workload, const Shares &shares) {
  WorkloadShare result;
  result.workload = &workload;
  const auto all = static_cast<double>(workload.instructions());
  for (const WorkloadOp &op : workload.ops) {
    const auto found = shares.find({op.op, op.type});
    const double part = static_cast<double>(op.count) / all;
    const bool is_tested = found != shares.end();
    result.tested += is_tested ? part : 0;
    result.passed += is_tested ? part * found->second.of_all() : 0;
    if (!is_tested || found->second.passed != found->second.all()) {
      result.absent.push_back(op);
    }
  }
  std::ranges::stable_sort(result.absent, [](const WorkloadOp &a, const WorkloadOp &b) { return a.count > b.count; });
  return result;
}

}  // namespace bp::conformance
