#include "tools/filetest/kinds.h"

#include <fmt/core.h>

#include <array>
#include <boost/algorithm/string.hpp>
#include <optional>
#include <regex>

#include "core/buffers/assign.h"
#include "core/buffers/copy_insertion.h"
#include "core/buffers/print.h"
#include "core/buffers/schedule.h"
#include "core/buffers/validate.h"
#include "core/debugging/pass_check.h"
#include "core/import/caffe/caffe.h"
#include "core/import/hlo_proto/hlo_proto.h"
#include "core/import/stablehlo/stablehlo.h"
#include "core/interpreter/simulation.h"
#include "core/ir/verifier.h"
#include "core/text/parser.h"
#include "core/text/printer.h"
#include "tools/filetest/agreement.h"
#include "tools/filetest/opt_arguments.h"

namespace bp::filetest {
namespace {

bool is_caffe(const Case &test) {
  return test.file.ends_with(".prototxt");
}

// Parses and verifies the program.
Result<ir::Module> read(const Case &test) {
  if (is_caffe(test)) {
    return import::caffe::read(test.text, {}, {});
  }
  BP_ASSIGN(ir::Module module, text::parse_module(test.text));
  BP_TRY(ir::verify(module));
  return module;
}

std::vector<std::string> words_of(const std::string &text) {
  std::vector<std::string> words;
  if (!text.empty()) {
    boost::split(words, text, boost::is_any_of(" "), boost::token_compress_on);
  }
  return words;
}

// Returns the text of a module, which must be readable and print the same again.
Result<std::string> printed(const ir::Module &module) {
  std::string once = text::print(module);
  BP_ASSIGN(ir::Module again, text::parse_module(once));
  if (text::print(again) != once) {
    return make_error(ErrorCode::Internal, "the printed text is printed differently when it is read again:\n{}",
                      text::print(again));
  }
  return once;
}

// Returns the text of a module without the usual layouts, from which it must be read as it is.
Result<std::string> printed_with_unusual_layouts(const ir::Module &module) {
  text::PrintOptions options;
  options.layouts = ir::PrintLayout::WhenNotDescending;
  std::string brief = text::print(module, options);
  BP_ASSIGN(const ir::Module again, text::parse_module(brief));
  if (text::print(again) != text::print(module)) {
    return make_error(ErrorCode::Internal, "without layouts the text is that of another module:\n{}", brief);
  }
  return brief;
}

Result<std::string> print(const Case &test) {
  BP_ASSIGN(ir::Module module, read(test));
  return printed(module);
}

Result<std::string> error(const Case &test) {
  Result<ir::Module> module = read(test);
  if (module.ok()) {
    return invalid_input("the program is accepted, expected an error");
  }
  return module.error().to_string() + "\n";
}

// Returns a line for each match, in order; consecutive equal matches are combined in one line with their number.
std::string matches(const std::string &text, const std::regex &pattern) {
  std::string lines, last;
  std::size_t times = 0;
  const auto finish = [&] {
    if (times > 0) {
      lines += times == 1 ? last + "\n" : fmt::format("{} x{}\n", last, times);
    }
  };
  for (std::sregex_iterator match(text.begin(), text.end(), pattern), end; match != end; ++match) {
    if (times == 0 || match->str() != last) {
      finish();
      last = match->str();
      times = 0;
    }
    ++times;
  }
  finish();
  return lines;
}

constexpr std::string_view match_prefix = "match=";

// The arguments of a test whose last may be match=PATTERN, which leaves only what matches of its text.
struct Filtered {
  std::string arguments;  // the others
  std::optional<std::regex> pattern;

  std::string of(const std::string &text) const { return pattern ? matches(text, *pattern) : text; }
};

Result<Filtered> read_filtered(const std::string &arguments) {
  const std::size_t at = std::min(arguments.find(match_prefix), arguments.size());
  Filtered filtered{boost::trim_copy(arguments.substr(0, at)), {}};
  if (at < arguments.size()) {
    try {
      filtered.pattern.emplace(arguments.substr(at + match_prefix.size()),
                               std::regex::ECMAScript | std::regex::optimize);
    } catch (const std::regex_error &problem) {
      return invalid_input("'{}' is not a regular expression: {}", arguments.substr(at), problem.what());
    }
  }
  return filtered;
}

Result<std::string> optimize(const Case &test) {
  BP_ASSIGN(ir::Module module, read(test));
  BP_ASSIGN(const Filtered filtered, read_filtered(test.arguments));
  BP_ASSIGN(OptArguments arguments, read_opt_arguments(filtered.arguments, module));
  debugging::PassCheck check({});
  passes::PipelineOptions pipeline;
  pipeline.verify_between_passes = true;
  pipeline.compare = check.compare();
  pipeline.context = std::move(arguments.context);
  // One by one, because each call of run_passes ends with renumbering the instructions.
  for (const passes::Pass &pass : arguments.passes) {
    BP_TRY(passes::run_passes(module, std::span(&pass, 1), pipeline));
    pipeline.context.layout_preferences.clear();
  }
  BP_ASSIGN(const std::string brief, printed_with_unusual_layouts(module));
  return filtered.of(brief);
}

// Returns "line:column: message" and a line for each note.
std::string describe(const Error &error) {
  std::string lines = fmt::format("{}:{}: {}\n", error.location().line, error.location().column, error.message());
  for (const std::string &note : error.notes()) {
    lines += fmt::format("note: {}\n", note);
  }
  return lines;
}

// Returns the text of a module that was imported, or the error with which the program is refused.
Result<std::string> imported(const Result<ir::Module> &module, const Filtered &filtered) {
  if (!module.ok()) {
    return describe(module.error());
  }
  BP_TRY(printed(*module));
  BP_ASSIGN(const std::string brief, printed_with_unusual_layouts(*module));
  return filtered.of(brief);
}

// Warnings come first, a line each.
Result<std::string> import_caffe(const Case &test, const Filtered &filtered) {
  std::vector<std::string> warnings;
  import::caffe::Options options;
  options.warnings = &warnings;
  for (const std::string &word : words_of(filtered.arguments)) {
    BP_ASSIGN(ir::Shape shape, text::parse_shape(word));
    options.shapes.push_back(std::move(shape));
  }
  BP_ASSIGN(const std::string text, imported(import::caffe::read(test.text, {}, options), filtered));
  std::string lines;
  for (const std::string &warning : warnings) {
    lines += fmt::format("warning: {}\n", warning);
  }
  return lines + text;
}

Result<std::string> import_program(const Case &test) {
  BP_ASSIGN(const Filtered filtered, read_filtered(test.arguments));
  if (is_caffe(test)) {
    return import_caffe(test, filtered);
  }
  import::stablehlo::Options options;
  for (const std::string &word : words_of(filtered.arguments)) {
    if (const std::size_t at = word.find_first_of("=:"); at != std::string::npos && !word.ends_with(']')) {
      const bool is_value = word[at] == '=';
      std::vector<std::string> numbers;
      boost::split(numbers, word.substr(at + 1), boost::is_any_of(is_value ? "," : "x"));
      import::ParameterIntegers given{word.substr(0, at), {}};
      for (const std::string &number : numbers) {
        given.integers.push_back(std::atoll(number.c_str()));
      }
      (is_value ? options.reading.parameter_values : options.reading.parameter_sizes).push_back(std::move(given));
      continue;
    }
    BP_ASSIGN(ir::Shape shape, text::parse_shape(word));
    options.reading.parameter_shapes.push_back(std::move(shape));
  }
  return imported(import::stablehlo::read(test.text, options), filtered);
}

// Returns the StableHLO of the program, or the error with which it is refused. `bytecode`: as it is read from bytecode.
Result<std::string> export_stablehlo(const Case &test) {
  BP_ASSIGN(const ir::Module module, read(test));
  BP_ASSIGN(const Filtered filtered, read_filtered(test.arguments));
  const bool is_stored = filtered.arguments == "bytecode";
  if (!is_stored && !filtered.arguments.empty()) {
    return invalid_input("'{}' after '// test: stablehlo', expected nothing, bytecode or match=PATTERN",
                         test.arguments);
  }
  Result<std::string> written =
      is_stored ? import::stablehlo::to_bytecode(module, import::stablehlo::bytecode::default_target)
                : import::stablehlo::to_text(module);
  if (!written.ok()) {
    return describe(written.error());
  }
  if (is_stored) {
    written = import::stablehlo::to_text(*written);
    BP_TRY(written);
  }
  return filtered.of(*written);
}

// Writes and reads an HLO protocol buffer, which must keep all of the text.
Result<std::string> pass_through_proto(const Case &test) {
  BP_ASSIGN(const ir::Module module, text::parse_module(test.text));
  BP_ASSIGN(const std::string bytes, import::hlo_proto::write_module(module));
  BP_ASSIGN(const ir::Module again, import::hlo_proto::read_module(bytes));
  if (text::print(again) != text::print(module)) {
    return make_error(ErrorCode::Internal, "the module that is read is another:\n{}", text::print(again));
  }
  return printed_with_unusual_layouts(again);
}

Result<std::string> assign_buffers(const Case &test) {
  BP_ASSIGN(ir::Module module, read(test));
  if (!module.header().is_scheduled) {
    BP_TRY(buffers::schedule(module));
  }
  BP_TRY(buffers::insert_copies(module));
  BP_ASSIGN(buffers::Plan plan, buffers::assign(module));
  BP_TRY(buffers::validate(module, plan));
  return buffers::to_string(plan, module);
}

// Reads one literal per parameter.
Result<std::vector<ir::Literal>> read_inputs(const Case &test, const ir::Module &module) {
  const ir::Computation entry = module.entry();
  if (test.inputs.size() != entry.parameter_count()) {
    return invalid_input("{} lines '// input:', expected {}: one per parameter", test.inputs.size(),
                         entry.parameter_count());
  }
  std::vector<ir::Literal> arguments;
  for (std::size_t i = 0; i < test.inputs.size(); ++i) {
    BP_ASSIGN(ir::Literal literal, text::parse_literal(test.inputs[i], entry.parameter(i).shape()));
    arguments.push_back(std::move(literal));
  }
  return arguments;
}

// Returns a line "f32[2] {1, 2}" for each array of the result.
std::string print_arrays(const ir::Literal &literal) {
  if (literal.shape().is_tuple()) {
    std::string lines;
    for (const ir::Literal &element : literal.tuple_elements()) {
      lines += print_arrays(element);
    }
    return lines;
  }
  return fmt::format("{} {}\n", ir::to_string(literal.shape(), ir::PrintLayout::Never), text::print(literal));
}

Result<std::string> interpret(const Case &test) {
  BP_ASSIGN(Backend interpreter, Backend::load("interpreter"));
  return run_on(interpreter, test);
}

Result<std::string> simulate(const Case &test) {
  BP_ASSIGN(const ir::Module module, read(test));
  BP_ASSIGN(const std::vector<ir::Literal> arguments, read_inputs(test, module));
  BP_ASSIGN(const std::vector<ir::Literal> results, interpreter::simulate(module, arguments));
  std::string printed;
  for (std::size_t device = 0; device < results.size(); ++device) {
    printed += fmt::format("device {}:\n{}", device, print_arrays(results[device]));
  }
  return printed;
}

Result<std::string> emit(const Case &test) {
  BP_ASSIGN(const Filtered filtered, read_filtered(test.arguments));
  std::vector<std::string> words = words_of(filtered.arguments);
  if (words.empty()) {
    return invalid_input("no backend is named, expected '// test: emit BACKEND NAME=VALUE... match=PATTERN'");
  }
  BackendOptions settings;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::size_t equals = std::min(words[i].find('='), words[i].size() - 1);
    settings.settings.emplace_back(words[i].substr(0, equals), words[i].substr(equals + 1));
  }
  BP_ASSIGN(Backend backend, Backend::load(words[0], settings));
  BP_ASSIGN(ir::Module module, read(test));
  CompileOptions options;
  options.verify = true;
  options.fold_constants = false;
  BP_ASSIGN(Artifact artifact, backend.make_artifact(std::move(module), options));
  return filtered.of(std::string(reinterpret_cast<const char *>(artifact.bytes.data()), artifact.bytes.size()));
}

constexpr std::array all_kinds = {
    Kind{"print", "parse, verify, print; and that reading the print gives the same print", print},
    Kind{"error", "the message with which the program is refused", error},
    Kind{"opt",
         "the module after the passes named, which must not change results: // test: opt PASS,PASS SETTING... "
         "match=PATTERN; settings are in tools/filetest/opt_arguments.h",
         optimize},
    Kind{"import",
         "the HLO of StableHLO or Caffe text, or the error: // test: import SHAPE... match=PATTERN; shapes are those "
         "of the "
         "parameters of a program that leaves sizes open",
         import_program},
    Kind{"proto", "the program after it was written and read as an HLO protocol buffer: it must be the same",
         pass_through_proto},
    Kind{"stablehlo",
         "the StableHLO of the program, or the error: // test: stablehlo match=PATTERN; with bytecode in front of it, "
         "what is read from bytecode",
         export_stablehlo},
    Kind{"buffers", "the plan of memory", assign_buffers},
    Kind{"emit",
         "what a backend makes of the program: // test: emit BACKEND NAME=VALUE... match=PATTERN; with a pattern only "
         "what matches it, line by line; skipped without the backend",
         emit},
    Kind{"simulate", "the results of each device of the program: all have the same inputs", simulate},
    Kind{"run", "the results: // test: run, or // test: run tolerance=1e-6, or ulp=2", interpret},
};

}  // namespace

std::span<const Kind> kinds() {
  return all_kinds;
}

Result<std::string> run_on(const Backend &backend, const Case &test) {
  BP_ASSIGN(ir::Module module, read(test));
  BP_ASSIGN(std::vector<ir::Literal> arguments, read_inputs(test, module));
  CompileOptions options;
  options.verify = true;
  BP_ASSIGN(Compiled compiled, backend.compile(std::move(module), options));
  for (const compile::OnHost &left : compiled.report.on_host) {
    if (left.opcode != ir::Opcode::CustomCall) {  // instructions called by a custom call belong to the host
      return unsupported("backend {} does not run {} ({}): {}", backend.device()->id(), left.name,
                         ir::to_string(left.opcode), left.reason);
    }
  }
  BP_ASSIGN(ir::Literal result, compiled.executable.run(std::move(arguments)));
  std::string printed = print_arrays(result);
  return test.arguments.empty() ? printed : expectation_if_agreed(test, result, printed);
}

}  // namespace bp::filetest
