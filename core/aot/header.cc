#include "core/aot/header.h"

#include <algorithm>
#include <boost/algorithm/string.hpp>
#include <map>
#include <utility>
#include <vector>

#include "core/aot/common_declarations.h"
#include "core/host/build_configuration.h"

namespace bp::aot {
namespace {

using Words = std::vector<std::pair<std::string_view, std::string>>;

// Returns the text with each $word$ replaced by its meaning.
std::string fill(std::string text, const Words &words) {
  for (const auto &[word, meaning] : words) {
    boost::replace_all(text, fmt::format("${}$", word), meaning);
  }
  return text;
}

// Returns a text as it can stand in a comment and in a literal.
std::string printable(std::string_view text) {
  std::string out;
  for (const char c : text) {
    out += c < ' ' || c > '~' || c == '"' || c == '\\' || c == '$' || c == '*' ? '_' : c;
  }
  return out;
}

// Returns what a constant array of characters is initialized with. A compiler for C99 need not take long literals.
std::string c_initializer(std::string_view text) {
  constexpr std::size_t max_literal = 4000;
  std::vector<std::string> characters;
  for (const char c : text) {
    const bool is_plain = c >= ' ' && c <= '~' && c != '"' && c != '\\' && c != '?' && c != '\'' && c != '$';
    characters.push_back(is_plain ? std::string(1, c) : fmt::format("\\{:03o}", static_cast<unsigned char>(c)));
  }
  return text.size() <= max_literal ? "\"" + boost::join(characters, "") + "\""
                                    : "{'" + boost::join(characters, "', '") + "', '\\0'}";
}

std::string upper(std::string text) {
  boost::to_upper(text);
  return text;
}

std::string_view c_type(ir::ElementType type) {
  using enum ir::ElementType;
  switch (type) {
    case F32: return "float";
    case F64: return "double";
    case S8: return "int8_t";
    case S16: return "int16_t";
    case S32: return "int32_t";
    case S64: return "int64_t";
    case U16:
    case F16:
    case BF16: return "uint16_t";
    case U32: return "uint32_t";
    case U64: return "uint64_t";
    case C64: return "float";
    case C128: return "double";
    default: return "uint8_t";
  }
}

class HeaderWriter {
 public:
  explicit HeaderWriter(const Description &description) : d_(description), name_(description.options.name) {
    words_ = {{"name", name_},
              {"NAME", upper(name_)},
              {"module", printable(d_.module)},
              {"version", host::core_version},
              {"target", printable(d_.target)},
              {"hash", d_.hash},
              {"program", d_.symbol("program")},
              {"check", d_.symbol("check")},
              {"constants", d_.symbol("constants")},
              {"arena", d_.symbol("arena")}};
  }

  std::string interface(Functions functions) const {
    std::string text = filled(R"(
/* The program "$module$", for $target$. */
#define $NAME$_HASH "$hash$"
#define $NAME$_TARGET "$target$"
)");
    text += sizes() + structs() + declarations_of_calls();
    return text +
           (functions == Functions::Inline ? declarations_of_object() + definitions("static inline ") : declarations());
  }

  std::string implementation() const { return declarations_of_object() + definitions(""); }

 private:
  std::string filled(const std::string &text) const { return fill(text, words_); }
  bool has_weights() const { return d_.options.constants == Constants::InFile; }
  bool has_own_arena() const { return d_.options.arena == Arena::InObject; }

  static std::string comment_of(const Array &array, const std::string &size_name) {
    return fmt::format("{}: {} bytes, {}", printable(ir::to_string(array.shape)), array.size, size_name);
  }
  std::string size_name(const Array &array) const { return upper(name_ + "_" + array.name) + "_BYTES"; }

  std::string sizes() const {
    std::string text = filled(
        "\n/* Sizes in bytes. All addresses are multiples of $NAME$_ALIGNMENT. */\n"
        "#define $NAME$_ALIGNMENT 64\n");
    for (const Array &array : d_.arguments) {
      text += fmt::format("#define {} {}\n", size_name(array), array.size);
    }
    for (const Array &array : d_.results) {
      text += fmt::format("#define {} {}\n", size_name(array), array.size);
    }
    if (has_weights()) {
      text += fmt::format("#define {}_WEIGHTS_BYTES {}\n", upper(name_), d_.weights_bytes);
    }
    text += fmt::format("#define {}_ARENA_BYTES(threads) ((size_t){} + (size_t)(threads) * (size_t){})\n", upper(name_),
                        d_.temporary_bytes + d_.shared_bytes, d_.thread_bytes);
    return text;
  }

  std::string structs() const {
    std::string text = filled("\ntypedef struct $name$_arguments {\n");
    for (const Array &array : d_.arguments) {
      text +=
          fmt::format("  {}{} *{}; /* {}{} */\n", array.is_written ? "" : "const ", c_type(array.shape.element_type()),
                      array.name, comment_of(array, size_name(array)), array.is_written ? "; is overwritten" : "");
    }
    if (d_.arguments.empty()) {
      text += "  char none; /* the program has no arguments */\n";
    }
    text += filled("} $name$_arguments;\n\ntypedef struct $name$_results {\n");
    bool is_empty = true;
    for (const ResultArray &array : d_.results) {
      if (array.delivery == Delivery::InArgument) {
        text += fmt::format("  /* {} is in the argument {} afterwards: {} */\n", array.name,
                            d_.arguments[array.argument].name, comment_of(array, size_name(array)));
      } else {
        text += fmt::format("  {} *{}; /* {} */\n", c_type(array.shape.element_type()), array.name,
                            comment_of(array, size_name(array)));
        is_empty = false;
      }
    }
    if (is_empty) {
      text += "  char none; /* no result has memory of its own */\n";
    }
    return text + filled("} $name$_results;\n");
  }

  std::string run_parameters() const {
    return filled(fmt::format("const $name$_arguments *arguments, const $name$_results *results,\n    {}{}const "
                              "backplane_aot_threads *threads",
                              has_weights() ? "const void *weights, size_t weights_bytes, " : "",
                              has_own_arena() ? "" : "void *arena, size_t arena_bytes, ")) +
           (d_.calls.empty() ? "" : ", void *context");
  }

  std::string explanation() const {
    std::string text = filled(
        "\n/* Computes the results. Returns BACKPLANE_AOT_OK, or what is wrong with the arguments, before anything is\n"
        " * written. Allocates nothing, and keeps nothing between calls.\n");
    text += filled(
        has_own_arena()
            ? " * Works in memory of its own: one call at a time.\n"
            : " * arena: $NAME$_ARENA_BYTES(n) bytes for n threads. Calls at the same time need an arena each.\n");
    if (has_weights()) {
      text += " * weights: the content of the weights file, such as the address of its mapping.\n";
    }
    text += " * threads: NULL for the calling thread alone";
    text += has_own_arena() ? fmt::format("; at most {}", d_.options.threads) : "";
    text += d_.calls.empty() ? "" : ".\n * context: is passed to the functions of the application";
    return text + ". */\n";
  }

  static std::string shapes_of(std::span<const Slice> slices) {
    std::vector<std::string> shapes;
    for (const Slice &slice : slices) {
      shapes.push_back(ir::to_string(slice.shape));
    }
    return boost::join(shapes, ", ");
  }

  // The functions of the application, each with the instructions that call it.
  std::string declarations_of_calls() const {
    std::map<std::string_view, std::string> instructions;
    for (const Call &call : d_.calls) {
      instructions[call.function] +=
          fmt::format(" *   {}: ({}) -> ({})\n", printable(call.target.empty() ? call.name : call.target),
                      printable(shapes_of(call.inputs)), printable(shapes_of(call.outputs)));
    }
    std::string text;
    for (const auto &[function, lines] : instructions) {
      text += fmt::format(
          "\n/* The application defines this function, which the program calls on the thread of the run:\n"
          "{} * Any result but 0 ends the run with BACKPLANE_AOT_CALL_FAILED. */\n"
          "extern int {}(void *context, const backplane_aot_call *call);\n",
          lines, function);
    }
    return text;
  }

  // Statements that describe the arrays of a call in `array`, whose sizes are in `sizes` from `first` on.
  static std::string set_arrays(std::string_view array, std::span<const Slice> slices, std::size_t &first) {
    std::string text;
    for (std::size_t i = 0; i < slices.size(); ++i) {
      const Slice &slice = slices[i];
      text +=
          fmt::format("      backplane_aot_set(&{}[{}], \"{}\", sizes + {}, {}, {}u, run->memory[{}].address + {}u);\n",
                      array, i, ir::to_string(slice.shape.element_type()), first, slice.shape.rank(), slice.size,
                      slice.allocation, slice.offset);
      first += static_cast<std::size_t>(slice.shape.rank());
    }
    return text;
  }

  static std::string sizes_of(const Call &call) {
    std::string text;
    for (const std::vector<Slice> *slices : {&call.inputs, &call.outputs}) {
      for (const Slice &slice : *slices) {
        for (const std::int64_t size : slice.shape.sizes()) {
          text += fmt::format("{}, ", size);
        }
      }
    }
    return text + "0";  // an array has elements
  }

  // The function that has the application run an instruction.
  std::string definition_of_calls() const {
    std::size_t inputs = 1, outputs = 1;
    std::string cases;
    for (const Call &call : d_.calls) {
      inputs = std::max(inputs, call.inputs.size());
      outputs = std::max(outputs, call.outputs.size());
      std::size_t first = 0;
      cases += fmt::format("    case {}: {{\n", call.instruction);
      cases += fmt::format("      static const int64_t sizes[] = {{{}}};\n", sizes_of(call));
      cases += fmt::format("      static const char config[] = {};\n", c_initializer(call.config));
      if (!call.target.empty()) {
        cases += fmt::format("      static const char target[] = {};\n", c_initializer(call.target));
      }
      cases += set_arrays("inputs", call.inputs, first);
      cases += set_arrays("outputs", call.outputs, first);
      cases += fmt::format("      call.target = {};\n      call.config = config;\n",
                           call.target.empty() ? "NULL" : "target");
      cases += fmt::format("      call.config_length = {};\n", call.config.size());
      cases += fmt::format("      call.input_count = {};\n      call.output_count = {};\n", call.inputs.size(),
                           call.outputs.size());
      cases += fmt::format("      status = {}(run->context, &call);\n      break;\n    }}\n", call.function);
    }
    return filled("\nstatic uint32_t $name$_call(const backplane_aot_caller *caller, uint32_t instruction) {\n") +
           fmt::format(R"(  backplane_aot_run *run = (backplane_aot_run *)caller->context;
  backplane_aot_array inputs[{}], outputs[{}];
  backplane_aot_call call;
  int status = 1;
  call.inputs = inputs;
  call.outputs = outputs;
  switch (instruction) {{
{}    default: break;
  }}
  run->has_failed = status != 0;
  return run->has_failed;
}}
)",
                       inputs, outputs, cases);
  }

  std::string declarations() const {
    // The names that a program links with contain the hash, as those of an object do.
    std::string text = "\n";
    for (const std::string_view part : {"check", "check_weights", "run"}) {
      if (has_weights() || part != "check_weights") {
        text += fmt::format("#define {}_{} {}\n", name_, part, d_.symbol(fmt::format("call_{}", part)));
      }
    }
    text += filled(
        "\n/* Whether this processor has all that the program was compiled for. */\n"
        "int $name$_check(void);\n");
    if (has_weights()) {
      text += filled("int $name$_check_weights(const void *weights, size_t weights_bytes);\n");
    }
    return text + explanation() + filled("int $name$_run(") + run_parameters() + ");\n";
  }

  std::string declarations_of_object() const {
    std::string text = filled(
        "\nextern void $program$(\n"
        "    const backplane_aot_location *allocations, void *scratch,\n"
        "    const backplane_aot_caller *caller);\n"
        "extern int32_t $check$(void);\n");
    if (d_.constant_bytes != 0) {
      text += filled("extern const unsigned char $constants$[];\n");
    }
    if (has_own_arena() && d_.arena_bytes(d_.options.threads) != 0) {
      text += filled("extern unsigned char $arena$[];\n");
    }
    return text;
  }

  std::string definitions(const std::string &linkage) const {
    std::string text = filled("\n/* Whether this processor has all that the program was compiled for. */\n" + linkage +
                              R"(int $name$_check(void) {
  return $check$() != 0 ? BACKPLANE_AOT_OK : BACKPLANE_AOT_WRONG_MACHINE;
}
)");
    if (has_weights()) {
      text += weights_check(linkage);
    }
    if (!d_.calls.empty()) {
      text += definition_of_calls();
    }
    text += explanation() + filled(linkage + "int $name$_run(") + run_parameters() + ") {\n";
    return text + body() + "}\n";
  }

  std::string weights_check(const std::string &linkage) const {
    std::vector<std::string> bytes;
    for (const char c : d_.weights_hash) {
      bytes.push_back(fmt::format("{}", static_cast<unsigned char>(c)));
    }
    Words words = words_;
    words.emplace_back("bytes", boost::join(bytes, ", "));
    return fill(R"(
/* Whether the weights are those that the program was compiled with: by their size, and the hash in their file. */
)" + linkage + R"(int $name$_check_weights(const void *weights, size_t weights_bytes) {
  static const unsigned char hash[32] = {$bytes$};
  const unsigned char *bytes = (const unsigned char *)weights;
  size_t i;
  if (bytes == NULL) {
    return BACKPLANE_AOT_NO_ADDRESS;
  }
  if (backplane_aot_address(bytes) % $NAME$_ALIGNMENT != 0) {
    return BACKPLANE_AOT_MISALIGNED;
  }
  if (weights_bytes != $NAME$_WEIGHTS_BYTES) {
    return BACKPLANE_AOT_WRONG_WEIGHTS;
  }
  for (i = 0; i < sizeof hash; ++i) {
    if (bytes[16 + i] != hash[i]) {
      return BACKPLANE_AOT_WRONG_WEIGHTS;
    }
  }
  return BACKPLANE_AOT_OK;
}
)",
                words);
  }

  // The addresses that the application gives, as expressions.
  std::vector<std::string> given() const {
    std::vector<std::string> all;
    for (const Array &array : d_.arguments) {
      if (array.size != 0) {
        all.push_back("arguments->" + array.name);
      }
    }
    for (const ResultArray &array : d_.results) {
      if (array.size != 0 && array.delivery != Delivery::InArgument) {
        all.push_back("results->" + array.name);
      }
    }
    if (!has_own_arena() && (d_.arena_bytes(1) != 0)) {
      all.emplace_back("arena");
    }
    return all;
  }

  std::string checks() const {
    std::string text;
    const std::vector<std::string> all = given();
    if (!all.empty()) {
      text += "  if (" + boost::join(all, " == NULL ||\n      ") +
              " == NULL) {\n"
              "    return BACKPLANE_AOT_NO_ADDRESS;\n  }\n";
      std::vector<std::string> addresses;
      for (const std::string &pointer : all) {
        addresses.push_back("backplane_aot_address(" + pointer + ")");
      }
      text += filled("  if (((" + boost::join(addresses, " |\n        ") + ") % $NAME$_ALIGNMENT) != 0) {\n" +
                     "    return BACKPLANE_AOT_MISALIGNED;\n  }\n");
    }
    if (has_own_arena() || d_.arena_bytes(1) != 0) {
      text += has_own_arena() ? fmt::format("  if (thread_count > {}) {{\n", d_.options.threads)
                              : filled("  if (arena_bytes < $NAME$_ARENA_BYTES(thread_count)) {\n");
      text += "    return BACKPLANE_AOT_ARENA_TOO_SMALL;\n  }\n";
    } else {
      text += "  (void)arena;\n  (void)arena_bytes;\n  (void)thread_count;\n";
    }
    if (has_weights()) {
      text += filled(
          "  if ($name$_check_weights(weights, weights_bytes) != BACKPLANE_AOT_OK) {\n"
          "    return $name$_check_weights(weights, weights_bytes);\n  }\n");
    }
    return text;
  }

  static std::string set(std::uint32_t allocation, const std::string &address) {
    return fmt::format("  memory[{}].address = {};\n", allocation, address);
  }

  std::string addresses() const {
    std::string text;
    for (const Array &array : d_.arguments) {
      text += set(array.allocation, fmt::format("backplane_aot_address(arguments->{})", array.name));
    }
    for (const ResultArray &array : d_.results) {
      if (array.delivery == Delivery::Direct) {
        text += set(array.allocation, fmt::format("backplane_aot_address(results->{})", array.name));
      }
    }
    for (const Alias &alias : d_.aliases) {
      text +=
          set(alias.allocation, fmt::format("backplane_aot_address(arguments->{})", d_.arguments[alias.argument].name));
    }
    for (const Temporary &temporary : d_.temporaries) {
      text += set(temporary.allocation, fmt::format("arena_address + {}u", temporary.offset));
    }
    if (!d_.constants.empty()) {
      text +=
          "  for (i = 0; i < sizeof constants / sizeof constants[0]; i += 2) {\n"
          "    memory[constants[i]].address = constants_address + (uint64_t)constants[i + 1] * 64u;\n  }\n";
    }
    return text;
  }

  std::string body() const {
    const bool has_arena = d_.arena_bytes(1) != 0;
    std::string text;
    if (!d_.constants.empty()) {
      // Pairs of an allocation and a multiple of 64 bytes.
      std::vector<std::string> pairs;
      for (const ConstantArray &constant : d_.constants) {
        pairs.push_back(fmt::format("{}, {}", constant.allocation, constant.offset / 64));
      }
      text += "  static const uint32_t constants[] = {" + boost::join(pairs, ", ") + "};\n";
    }
    text += fmt::format("  backplane_aot_location memory[{}];\n", std::max<std::uint32_t>(d_.allocation_count, 1));
    text += "  backplane_aot_caller caller;\n  backplane_aot_run run;\n  uint64_t arena_address;\n";
    text += d_.constants.empty() ? "" : "  uint64_t constants_address;\n";
    text += "  uint32_t thread_count, i;\n";
    text += "  if (arguments == NULL || results == NULL) {\n    return BACKPLANE_AOT_NO_ADDRESS;\n  }\n";
    text += "  thread_count = threads == NULL || threads->count == 0 ? 1 : threads->count;\n";
    text += "  if (thread_count > 1 && threads->run == NULL) {\n    return BACKPLANE_AOT_NO_ADDRESS;\n  }\n";
    text += checks();
    text += !has_arena        ? "  arena_address = 0;\n"
            : has_own_arena() ? filled("  arena_address = backplane_aot_address($arena$);\n")
                              : "  arena_address = backplane_aot_address(arena);\n";
    if (!d_.constants.empty()) {
      text += has_weights()            ? "  constants_address = backplane_aot_address(weights);\n"
              : d_.constant_bytes == 0 ? "  constants_address = 0;\n"
                                       : filled("  constants_address = backplane_aot_address($constants$);\n");
    }
    text += fmt::format("  for (i = 0; i < {}; ++i) {{\n    memory[i].memory = 0;\n    memory[i].address = 0;\n  }}\n",
                        std::max<std::uint32_t>(d_.allocation_count, 1));
    text += addresses();
    text += fmt::format(R"(  run.threads = threads;
  run.thread_bytes = {}u;
  run.memory = memory;
  run.context = {};
  run.has_failed = 0;
  caller.share = backplane_aot_share;
  caller.is_over = {};
  caller.call = {};
  caller.context = &run;
)",
                        d_.thread_bytes, d_.calls.empty() ? "NULL" : "context",
                        d_.calls.empty() ? "NULL" : "backplane_aot_has_failed",
                        d_.calls.empty() ? "NULL" : name_ + "_call");
    text += fmt::format("  {}(memory, (void *)(uintptr_t)(arena_address + {}u), &caller);\n", d_.symbol("program"),
                        d_.temporary_bytes + d_.shared_bytes);
    if (!d_.calls.empty()) {
      text += "  if (run.has_failed) {\n    return BACKPLANE_AOT_CALL_FAILED;\n  }\n";
    }
    for (const ResultArray &array : d_.results) {
      if (array.delivery == Delivery::Copied && array.size != 0) {
        text += fmt::format("  backplane_aot_copy(results->{}, memory[{}].address + {}u, {}u);\n", array.name,
                            array.allocation, array.offset, array.size);
      }
    }
    return text + "  return BACKPLANE_AOT_OK;\n";
  }

  const Description &d_;
  const std::string &name_;
  Words words_;
};

// Around what is C, also in a compiler for C++.
constexpr std::string_view begin_c = R"(
#ifdef __cplusplus
#ifdef __GNUC__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast"
#endif
extern "C" {
#endif

)";
constexpr std::string_view end_c = R"(
#ifdef __cplusplus
}
#ifdef __GNUC__
#pragma GCC diagnostic pop
#endif
#endif
)";

}  // namespace

std::string header_text(std::span<const Description> programs, const std::string &name, Functions functions,
                        const std::string &file) {
  const Words words = {{"NAME", upper(name)}, {"file", printable(file)}, {"version", host::core_version}};
  std::string text = fill(R"(/* $file$, made by Backplane $version$.
 *
 * Generated: do not edit. It belongs to the one object or library that was made with it, and links with no other. */
#ifndef $NAME$_BACKPLANE_H
#define $NAME$_BACKPLANE_H

#include <stddef.h>
#include <stdint.h>
)",
                          words);
  text += begin_c;
  text += common_declarations;
  for (const Description &program : programs) {
    text += HeaderWriter(program).interface(functions);
  }
  return text + std::string(end_c) + fill("\n#endif /* $NAME$_BACKPLANE_H */\n", words);
}

std::string source_text(std::span<const Description> programs, const std::string &header) {
  std::string text = "#include \"" + header + "\"\n" + std::string(begin_c);
  for (const Description &program : programs) {
    text += HeaderWriter(program).implementation();
  }
  return text + std::string(end_c);
}

}  // namespace bp::aot
