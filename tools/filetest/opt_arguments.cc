#include "tools/filetest/opt_arguments.h"

#include <algorithm>
#include <boost/algorithm/string.hpp>
#include <charconv>

#include "core/compile/passes.h"
#include "core/text/parser.h"

namespace bp::filetest {
namespace {

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  boost::split(parts, text, [&](char c) { return c == separator; });
  std::erase(parts, "");
  return parts;
}

Result<std::int64_t> parse_number(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc() || end != text.data() + text.size() || number < 0) {
    return invalid_input("'{}' is not a number", text);
  }
  return number;
}

// Opcodes and element types that a device does not run.
struct Refused {
  std::vector<ir::Opcode> opcodes;
  std::vector<ir::ElementType> types;

  bool has(ir::ElementType type) const { return std::ranges::find(types, type) != types.end(); }
  bool has(const ir::Shape &shape) const {
    return shape.is_array() ? has(shape.element_type())
                            : std::ranges::any_of(shape.elements(), [&](const ir::Shape &part) { return has(part); });
  }
  bool has(const ir::Instruction &instruction) const {
    return std::ranges::find(opcodes, instruction.opcode()) != opcodes.end() || has(instruction.shape()) ||
           std::ranges::any_of(instruction.operands(), [&](ir::InstructionId operand) {
             return has(instruction.module().instruction(operand).shape());
           });
  }
};

Result<Refused> parse_refused(std::string_view text) {
  Refused refused;
  for (const std::string &name : split(text, ',')) {
    if (const auto type = ir::element_type_from_string(name)) {
      refused.types.push_back(*type);
    } else if (const auto opcode = ir::opcode_from_string(name)) {
      refused.opcodes.push_back(*opcode);
    } else {
      return invalid_input("'{}' is neither an opcode nor an element type", name);
    }
  }
  return refused;
}

Result<ir::Instruction> find_instruction(const ir::Module &module, std::string_view name) {
  for (ir::Computation computation : module.computations()) {
    for (ir::Instruction instruction : computation.instructions()) {
      if (instruction.name() == name) {
        return instruction;
      }
    }
  }
  return invalid_input("there is no instruction '{}'", name);
}

// Parses y:{0,1}, y/0:{0,1:T(2,1)} and y/0:{0,1}:5. Results are arrays, not tuples.
Result<passes::LayoutPreference> parse_layout(std::string_view text, const ir::Module &module) {
  const std::size_t begin = text.find(":{"), end = text.find('}');
  const std::vector<std::string> place = split(text.substr(0, std::min(begin, text.size())), '/');
  const std::string_view gain = end == std::string_view::npos ? "" : text.substr(end + 1);
  if (begin == std::string_view::npos || end == std::string_view::npos || place.empty() ||
      (!gain.empty() && gain[0] != ':')) {
    return invalid_input("'{}' after layout=, expected PLACE:LAYOUT or PLACE:LAYOUT:NANOSECONDS", text);
  }
  BP_ASSIGN(const ir::Instruction instruction, find_instruction(module, place.front()));
  passes::LayoutPreference preference{instruction.id(), place.size() == 1, 0, {}, -1};
  if (!preference.is_result) {
    BP_ASSIGN(const std::int64_t operand, parse_number(place[1]));
    preference.slot = static_cast<std::size_t>(operand);
  }
  if (!preference.is_result && preference.slot >= instruction.operand_count()) {
    return invalid_input("{} has no operand {}", place[0], preference.slot);
  }
  const ir::Shape &shape = preference.is_result ? instruction.shape() : instruction.operand(preference.slot).shape();
  BP_ASSIGN(const ir::Shape laid_out, text::parse_shape(ir::to_string(shape, ir::PrintLayout::Never) +
                                                        std::string(text.substr(begin + 1, end - begin))));
  preference.layout = laid_out.layout();
  if (!gain.empty()) {
    BP_ASSIGN(const std::int64_t nanoseconds, parse_number(gain.substr(1)));
    preference.gain_nanoseconds = static_cast<double>(nanoseconds);
  }
  return preference;
}

Status apply_setting(std::string_view name, std::string_view value, const ir::Module &module, OptArguments &arguments) {
  passes::PassContext &context = arguments.context;
  if (name == "rematerialization") {
    BP_ASSIGN(context.memory_limit, parse_number(value));
  } else if (name == "fused-constant-bytes") {
    BP_ASSIGN(context.max_fused_constant_bytes, parse_number(value));
  } else if (name == "refuses") {
    BP_ASSIGN(const Refused refused, parse_refused(value));
    context.has_f64 = !refused.has(ir::ElementType::F64);
    context.is_native = [refused](const ir::Instruction &instruction) { return !refused.has(instruction); };
  } else if (name == "layout") {
    BP_ASSIGN(passes::LayoutPreference preference, parse_layout(value, module));
    context.layout_preferences.push_back(std::move(preference));
  } else {
    return invalid_input("there is no setting '{}'", name);
  }
  return {};
}

}  // namespace

Result<OptArguments> read_opt_arguments(std::string_view text, const ir::Module &module) {
  OptArguments arguments;
  std::vector<std::string> names;
  for (const std::string &word : split(text, ' ')) {
    const std::size_t equals = word.find('=');
    if (equals != std::string::npos) {
      BP_TRY(apply_setting(std::string_view(word).substr(0, equals), std::string_view(word).substr(equals + 1), module,
                           arguments));
    }
    if (equals == std::string::npos || word.starts_with("rematerialization=")) {
      std::ranges::copy(split(word.substr(0, equals), ','), std::back_inserter(names));
    }
  }
  BP_ASSIGN(arguments.passes, compile::passes_named(names));
  return arguments;
}

}  // namespace bp::filetest
