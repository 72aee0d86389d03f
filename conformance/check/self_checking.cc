#include "conformance/check/self_checking.h"

#include <array>
#include <boost/json.hpp>
#include <unordered_map>

#include "core/interpreter/interpreter.h"
#include "core/ir/verifier.h"
#include "core/passes/pipeline.h"

namespace bp::conformance {
namespace {

using ir::Instruction;
using ir::InstructionId;
using ir::Literal;
using ir::Opcode;

constexpr std::string_view check_prefix = "check.";

struct Target {
  std::string_view name;
  RuleKind kind;
  double limit;
  const char *option = nullptr;  // option in backend_config that gives the limit
};
constexpr std::array targets = {
    Target{"check.expect_eq", RuleKind::Equal, 0},
    Target{"check.expect_eq_const", RuleKind::Equal, 0},
    Target{"check.expect_close", RuleKind::Close, 3, "max_ulp_difference"},
    Target{"check.expect_almost_eq", RuleKind::AlmostEqual, 1e-3, "tolerance"},
    Target{"check.expect_almost_eq_const", RuleKind::AlmostEqual, 1e-4, "tolerance"},
    Target{"check.expect_serialized_eq", RuleKind::Equal, 0},
    Target{"check.eq", RuleKind::AlmostEqual, 1e-4},
};
constexpr std::string_view serialized_check = "check.expect_serialized_eq", probe_target = "interpreter.probe";

bool is_call_of(Instruction instruction, std::string_view target) {
  return instruction.opcode() == Opcode::CustomCall && instruction.text(ir::AttributeKey::CustomCallTarget) == target;
}

boost::json::object config_of(Instruction instruction) {
  boost::system::error_code problem;
  const boost::json::value config = boost::json::parse(instruction.text(ir::AttributeKey::BackendConfig), problem);
  return problem || !config.is_object() ? boost::json::object() : config.get_object();
}

// Returns the option probe_id of a probe or a check; empty if there is none.
std::string probe_id(Instruction instruction) {
  const boost::json::object config = config_of(instruction);
  const boost::json::value *id = config.if_contains("probe_id");
  return id != nullptr && id->is_string() ? std::string(id->get_string()) : "";
}

bool is_check(Instruction instruction) {
  return instruction.opcode() == Opcode::CustomCall &&
         instruction.text(ir::AttributeKey::CustomCallTarget).starts_with(check_prefix);
}

Error refuse(Instruction check, std::string problem) {
  return invalid_input("{}: {}", check.name(), problem).at(check.location());
}

Result<Rule> read_rule(Instruction check) {
  const std::string_view name = check.text(ir::AttributeKey::CustomCallTarget);
  const auto target = std::ranges::find(targets, name, &Target::name);
  if (target == targets.end()) {
    return refuse(check, fmt::format("there is no check '{}', expected one of {}", name,
                                     fmt::join(targets | std::views::transform(&Target::name), ", ")));
  }
  Rule rule{target->kind, target->limit};
  if (name == "check.eq" && check.operand_count() != 0 && !ir::is_floating(check.operand(0).shape().element_type())) {
    rule = {RuleKind::Equal, 0};
  }
  const std::string_view config = check.text(ir::AttributeKey::BackendConfig);
  if (config.empty()) {
    return rule;
  }
  boost::system::error_code problem;
  const boost::json::value options = boost::json::parse(config, problem);
  if (problem || !options.is_object()) {
    return refuse(check, fmt::format("backend_config is '{}', expected a JSON object", config));
  }
  for (const auto &[key, value] : options.get_object()) {
    if (name == serialized_check && (key == "probe_id" || key == "iter")) {
      continue;
    }
    if (target->option == nullptr || key != target->option) {
      return refuse(check, fmt::format("{} has no option '{}'", name, std::string_view(key)));
    }
    const double number = value.to_number<double>(problem);
    if (problem || !(number >= 0)) {
      return refuse(check, fmt::format("{} is {}, expected a number that is not negative", std::string_view(key),
                                       boost::json::serialize(value)));
    }
    rule.limit = number;
  }
  return rule;
}

class Surgery {
 public:
  explicit Surgery(ir::Module module)
      : module_(std::move(module)), entry_(module_.entry().id()), data_(module_.instruction_id_limit()) {}

  Result<SelfChecking> run() {
    if (module_.entry().parameter_count() != 0) {
      return invalid_input("{} takes {} parameters, expected none: a self-checking program has its inputs inside",
                           module_.entry().name(), module_.entry().parameter_count());
    }
    BP_TRY(find_data());
    find_probes();
    BP_TRY(read_checks());
    make_parameters();
    make_root();
    module_.header().has_entry_layout = false;
    module_.header().input_output_alias.clear();
    module_.header().buffer_donor.clear();
    BP_TRY(passes::run_passes(module_, {passes::dead_code_elimination}));
    BP_TRY(ir::verify(module_));
    result_.program = std::move(module_);
    return std::move(result_);
  }

 private:
  // Whether the computation and all computations it calls consist of constants.
  bool is_constant(ir::Computation computation) {
    auto [known, is_new] = constant_.try_emplace(computation.id(), false);
    if (is_new) {
      bool all = computation.parameter_count() == 0;
      for (Instruction i : computation.instructions()) {
        all =
            all && (i.opcode() == Opcode::Constant || i.opcode() == Opcode::Tuple ||
                    i.opcode() == Opcode::GetTupleElement || (i.opcode() == Opcode::Call && is_constant(i.called(0))));
      }
      constant_[computation.id()] = all;
    }
    return constant_[computation.id()];
  }

  Status find_data() {
    for (Instruction i : module_.entry().instructions()) {
      Literal &value = data_[index(i.id())];
      if (i.opcode() == Opcode::Constant) {
        value = i.literal();
      } else if (i.opcode() == Opcode::Call && is_constant(i.called(0))) {
        BP_ASSIGN(value, interpreter::evaluate(i.called(0), {}));
      } else if (i.opcode() == Opcode::GetTupleElement && is_data(i.operands()[0])) {
        value = data_[index(i.operands()[0])].tuple_elements()[static_cast<std::size_t>(i.tuple_index())];
      }
    }
    return {};
  }
  bool is_data(InstructionId id) const { return data_[index(id)].is_valid(); }

  void find_probes() {
    for (ir::Computation computation : module_.computations()) {
      for (Instruction i : computation.instructions()) {
        if (is_call_of(i, probe_target) && i.operand_count() == 1) {
          probes_[probe_id(i)] = computation.id() == entry_ ? i.operands()[0] : ir::no_instruction;
        }
      }
    }
  }

  Status read_checks() {
    for (Instruction i : module_.entry().instructions()) {
      if (!is_check(i)) {
        continue;
      }
      BP_ASSIGN(Rule rule, read_rule(i));
      if (is_call_of(i, serialized_check)) {
        BP_ASSIGN(Side expected, probed(i));
        result_.checks.push_back(
            {rule, {output_of(i.operands()[0]), {}, 0, {}}, std::move(expected), true, i.location()});
        continue;
      }
      if (i.operand_count() != 2 || !i.operand(0).shape().is_array() ||
          !ir::same(i.operand(0).shape(), i.operand(1).shape(), ir::CompareLayout::No)) {
        return refuse(i, "expected two arrays of the same shape: what is found, and what is expected");
      }
      // `found` goes through the program even if it is known: otherwise a check of data would run nothing.
      const InstructionId found = i.operands()[0], expected = i.operands()[1];
      Check check{rule, {output_of(found), {}, 0, {}}, {}, false, i.location()};
      if (is_data(expected)) {
        check.expected.value = data_[index(expected)];
      } else {
        check.expected.output = output_of(expected);
      }
      result_.checks.push_back(std::move(check));
    }
    return {};
  }

  // A value seen by a probe in the entry is an output; probes in other computations have to be watched.
  Result<Side> probed(Instruction check) {
    const std::string name = probe_id(check);
    const auto probe = probes_.find(name);
    if (check.operand_count() != 1 || probe == probes_.end()) {
      return refuse(check, "expected one operand, and the probe_id of a probe before it");
    }
    if (probe->second != ir::no_instruction) {
      return Side{output_of(probe->second), {}, 0, {}};
    }
    boost::json::object config = config_of(check);
    boost::system::error_code problem;
    const auto iteration = config["iter"].to_number<std::int64_t>(problem);
    return Side{{}, name, problem ? 0 : iteration, {}};
  }

  std::size_t output_of(InstructionId id) {
    const auto [place, is_new] = output_numbers_.try_emplace(id, outputs_.size());
    if (is_new) {
      outputs_.push_back(id);
    }
    return place->second;
  }

  // Turns the data that the program or a check's `found` uses into parameters.
  void make_parameters() {
    std::vector<bool> used(module_.instruction_id_limit());
    for (Instruction i : module_.entry().instructions()) {
      if (!is_check(i) && !is_data(i.id())) {
        for (InstructionId operand : i.operands()) {
          used[index(operand)] = true;
        }
      }
    }
    for (InstructionId id : outputs_) {
      used[index(id)] = true;
    }
    std::vector<InstructionId> replacements(module_.instruction_id_limit(), ir::no_instruction), order, rest;
    const std::vector<InstructionId> old = copy_order();
    for (InstructionId id : old) {
      if (is_data(id) && used[index(id)]) {
        const auto number = static_cast<std::int64_t>(result_.arguments.size());
        const ir::Shape shape = module_.instruction(id).shape();
        const InstructionId parameter = module_.add_parameter(entry_, number, shape, module_.instruction(id).name());
        replacements[index(id)] = parameter;
        result_.arguments.push_back(data_[index(id)]);
        order.push_back(parameter);
      }
      if (!is_check(module_.instruction(id)) && !is_call_of(module_.instruction(id), probe_target)) {
        rest.push_back(id);
      }
      if (is_call_of(module_.instruction(id), probe_target)) {
        replacements[index(id)] = module_.instruction(id).operands()[0];
      }
    }
    order.insert(order.end(), rest.begin(), rest.end());
    replacements.resize(module_.instruction_id_limit(), ir::no_instruction);
    module_.replace_uses(replacements);
    for (InstructionId &id : outputs_) {
      while (replacements[index(id)] != ir::no_instruction) {
        id = replacements[index(id)];
      }
    }
    order_ = std::move(order);
  }

  std::vector<InstructionId> copy_order() const {
    const auto ids = module_.entry().instruction_ids();
    return {ids.begin(), ids.end()};
  }

  void make_root() {
    std::vector<ir::Shape> shapes;
    for (InstructionId id : outputs_) {
      shapes.push_back(module_.instruction(id).shape());
    }
    order_.push_back(module_.add_instruction(entry_, Opcode::Tuple, ir::Shape::tuple(std::move(shapes)), outputs_));
    module_.set_root(entry_, order_.back());
    module_.set_instruction_order(entry_, order_);
    module_.unique_names();
  }

  ir::Module module_;
  const ir::ComputationId entry_;
  std::vector<Literal> data_;  // by instruction id; valid where the value is known
  std::unordered_map<ir::ComputationId, bool> constant_;
  std::unordered_map<std::string, InstructionId>
      probes_;  // the probed instruction, by probe name; no_instruction if it is not in the entry
  std::vector<InstructionId> outputs_, order_;
  std::unordered_map<InstructionId, std::size_t> output_numbers_;
  SelfChecking result_;
};

}  // namespace

std::string probe_name(Instruction instruction) {
  return is_call_of(instruction, probe_target) ? probe_id(instruction) : "";
}

std::string interpreter_only(const ir::Module &module) {
  for (ir::Computation computation : module.computations()) {
    for (Instruction i : computation.instructions()) {
      if (is_call_of(i, probe_target) && computation != module.entry()) {
        return "looks inside a loop or a call, which only the interpreter shows";
      }
    }
  }
  return {};
}

bool starts_devices(const ir::Module &module) {
  const auto instructions = module.entry().instructions();
  return std::ranges::any_of(instructions, [](Instruction i) { return is_call_of(i, "interpreter.run_parallel"); });
}

std::string fed_from_outside(const ir::Module &module) {
  bool takes_infeed = false;
  for (ir::Computation computation : module.computations()) {
    for (Instruction i : computation.instructions()) {
      if (is_call_of(i, "interpreter.run_parallel")) {
        return {};  // it feeds the programs that it starts
      }
      takes_infeed = takes_infeed || i.opcode() == ir::Opcode::Infeed;
    }
  }
  return takes_infeed ? "takes an infeed, which nothing feeds" : "";
}

Result<SelfChecking> split_checks(ir::Module module) {
  return Surgery(std::move(module)).run();
}

}  // namespace bp::conformance
