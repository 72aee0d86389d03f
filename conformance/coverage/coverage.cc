#include "conformance/coverage/coverage.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>

#include "conformance/coverage/programs.h"
#include "core/compile/compile.h"
#include "core/interpreter/interpreter.h"
#include "core/interpreter/random_inputs.h"
#include "core/ir/verifier.h"
#include "core/text/parser.h"

namespace bp::coverage {
namespace {

Result<ir::Module> read(const std::string &program) {
  BP_ASSIGN(ir::Module module, text::parse_module(program));
  BP_TRY(ir::verify(module));
  return module;
}

bool holds(const ir::Shape &shape, ir::ElementType type) {
  return shape.is_tuple() ? std::ranges::any_of(shape.elements(), [&](const ir::Shape &s) { return holds(s, type); })
                          : shape.element_type() == type;
}

// Whether the module still has the op, with that type.
bool has_op(const ir::Module &module, ir::Opcode opcode, ir::ElementType type) {
  for (ir::Computation computation : module.computations()) {
    for (ir::Instruction instruction : computation.instructions()) {
      const bool is_of_type = type == ir::ElementType::Invalid || holds(instruction.shape(), type) ||
                              std::ranges::any_of(instruction.operands(), [&](ir::InstructionId id) {
                                return holds(module.instruction(id).shape(), type);
                              });
      if (instruction.opcode() == opcode && is_of_type) {
        return true;
      }
    }
  }
  return false;
}

// Worsens the cell's answer to the one for this program, if that is worse.
Status ask(const ir::Module &module, const Device &device, Cell &cell) {
  auto worsen = [&](Answer answer, const std::string &reason = "") {
    if (answer > cell.answer) {
      cell.answer = answer;
      cell.reason = reason;
    }
  };
  BP_ASSIGN(const std::vector<ir::Literal> arguments, interpreter::random_arguments(module, 1));
  if (auto result = interpreter::interpret(module, arguments); !result.ok()) {
    worsen(Answer::Nowhere, result.error().message());
    return {};
  }
  ir::Module divided;
  BP_ASSIGN(const compile::Report report, compile::survey(module, device, &divided));
  if (!report.on_host.empty()) {
    const compile::OnHost &first = report.on_host[0];
    worsen(Answer::Interpreter, fmt::format("{} {}", ir::to_string(first.opcode), first.reason));
  } else if (!has_op(divided, cell.opcode, cell.type)) {
    worsen(Answer::Expanded);
  }
  return {};
}

Status add_cell(ir::Opcode opcode, ir::ElementType type, const Device &device, std::vector<Cell> &cells,
                std::string &refusal) {
  Cell cell{opcode, is_typeless(opcode) ? ir::ElementType::Invalid : type, Answer::Native, "", {}};
  for (const Program &program : programs(opcode, type)) {
    if (program.is_extreme) {
      continue;
    }
    auto module = read(program.text);
    if (!module.ok()) {
      refusal = module.error().to_string();
      continue;
    }
    Status asked = ask(*module, device, cell);
    if (!asked.ok()) {
      return std::move(asked).error().note(fmt::format("in the program\n{}", program.text));
    }
    cell.programs.push_back(program.text);
  }
  if (!cell.programs.empty()) {
    cells.push_back(std::move(cell));
  }
  return {};
}

struct Family {
  std::string_view name;
  bool (*has)(ir::ElementType type);
};
constexpr std::array families = {
    Family{"signed", ir::is_signed},
    Family{"unsigned", ir::is_unsigned},
    Family{"floats", ir::is_floating},
    Family{"complex", ir::is_complex},
};

// Returns "pred, signed, f32"; the name of a family stands for its types if all of them are present.
std::string describe(const std::vector<ir::ElementType> &types) {
  std::string text;
  auto add = [&](std::string_view name) { text += fmt::format("{}{}", text.empty() ? "" : ", ", name); };
  auto has = [&](ir::ElementType type) { return std::ranges::find(types, type) != types.end(); };
  if (has(ir::ElementType::Invalid)) {
    return "yes";
  }
  if (has(ir::ElementType::Pred)) {
    add("pred");
  }
  for (const Family &family : families) {
    std::vector<std::string_view> names;
    bool is_whole = true;
    for (const ir::ElementTypeInfo &row : ir::element_types()) {
      if (family.has(row.type)) {
        is_whole = is_whole && has(row.type);
        if (has(row.type)) {
          names.push_back(row.text);
        }
      }
    }
    if (is_whole) {
      names = {family.name};
    }
    std::ranges::for_each(names, add);
  }
  return text == "pred, signed, unsigned, floats, complex" ? "all" : text;
}

// Returns the cells that the device does not run, grouped by op, answer and reason.
std::vector<std::vector<Cell>> not_run(const std::vector<Cell> &cells) {
  std::map<std::tuple<ir::Opcode, Answer, std::string>, std::vector<Cell>> alike;
  for (const Cell &cell : cells) {
    if (cell.answer > Answer::Expanded) {
      alike[{cell.opcode, cell.answer, cell.reason}].push_back(cell);
    }
  }
  std::vector<std::vector<Cell>> result;
  for (auto &[key, group] : alike) {
    result.push_back(std::move(group));
  }
  return result;
}

}  // namespace

Result<std::vector<Cell>> survey(const Device &device) {
  std::vector<Cell> cells;
  for (const ir::OpInfo &op : ir::ops()) {
    const std::size_t before = cells.size();
    std::string refusal = "none was written";
    for (const ir::ElementTypeInfo &row : ir::element_types()) {
      if (!ir::is_opaque(row.type) && (cells.size() == before || !is_typeless(op.opcode))) {
        BP_TRY(add_cell(op.opcode, row.type, device, cells, refusal));
      }
    }
    if (cells.size() == before) {
      return invalid_input("{} has no program that can be asked about: {}", op.text, refusal);
    }
  }
  return cells;
}

Result<std::vector<interpreter::Comparison>> run(const Cell &cell, const Device &device) {
  std::vector<interpreter::Comparison> all;
  for (const std::string &program : cell.programs) {
    BP_ASSIGN(ir::Module module, read(program));
    BP_ASSIGN(std::vector<ir::Literal> arguments, interpreter::random_arguments(module, 1));
    BP_ASSIGN(ir::Literal reference, interpreter::interpret(module, arguments));
    compile::Options options;
    options.device_only = options.verify = true;
    options.fold_constants = false;
    BP_ASSIGN(compile::Compiled compiled, compile::compile(std::move(module), device, options));
    BP_ASSIGN(ir::Literal result, compiled.executable.run(std::move(arguments)));
    BP_ASSIGN(std::vector<interpreter::Comparison> comparisons, interpreter::compare(result, reference));
    if (!is_random(cell.opcode)) {
      all.insert(all.end(), comparisons.begin(), comparisons.end());
    }
  }
  return all;
}

std::string describe(const std::vector<Cell> &cells, ir::Opcode opcode, Answer answer) {
  std::vector<ir::ElementType> types;
  for (const Cell &cell : cells) {
    if (cell.opcode == opcode && cell.answer == answer) {
      types.push_back(cell.type);
    }
  }
  return describe(types);
}

std::string to_markdown(const std::vector<Cell> &cells, std::string_view id) {
  const std::string_view name = id.substr(id.rfind('.') + 1);
  const bool is_own = id.starts_with("dev.backplane.");  // only the backends of this repository have such a test
  std::string out = fmt::format(
      "# Where operations run\n\n"
      "This table shows, for each operation, where each element type runs that the verifier accepts.\n\n"
      "- *native*: the {0} backend claims the op.\n"
      "- *expanded*: passes of the core rewrite the op as ops that {0} claims, or remove it.\n"
      "- *yes* stands for an op without an element type.\n\n"
      "The second table has the types that are in neither column. {1}\n\n"
      "| op | native | expanded |\n|---|---|---|\n",
      name,
      is_own ? "A test compares results on " + std::string(name) +
                   " with those of the\ninterpreter. `backplane ops --coverage` writes this page."
             : "`backplane conform` compares results with those of the\ninterpreter.");
  for (const ir::OpInfo &op : ir::ops()) {
    out += fmt::format("| `{}` | {} | {} |\n", op.text, describe(cells, op.opcode, Answer::Native),
                       describe(cells, op.opcode, Answer::Expanded));
  }
  out += fmt::format(
      "\n## What {} does not run\n\n| op | element types | on the interpreter | why |\n|---|---|---|---|\n", name);
  const auto add = [&](ir::Opcode opcode, std::string_view types, Answer answer, std::string_view reason) {
    out += fmt::format("| `{}` | {} | {} | {} |\n", ir::to_string(opcode), types,
                       answer == Answer::Interpreter ? "yes" : "no", reason);
  };
  std::set<std::pair<ir::Opcode, Answer>> told;
  for (const std::vector<Cell> &alike : not_run(cells)) {
    const ir::Opcode opcode = alike[0].opcode;
    const Answer answer = alike[0].answer;
    const auto known = std::ranges::find_if(
        exceptions(), [&](const Exception &one) { return one.opcode == opcode && one.answer == answer; });
    const bool is_known = known != exceptions().end();
    if (is_known && !told.insert({opcode, answer}).second) {
      continue;  // of several answers, all with the known reason
    }
    add(opcode, describe(is_known ? cells : alike, opcode, answer), answer, is_known ? known->reason : alike[0].reason);
  }
  return out;
}

}  // namespace bp::coverage
