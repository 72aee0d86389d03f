#include "core/import/stablehlo/stablehlo.h"

#include <algorithm>

#include "core/import/mlir/bytecode.h"
#include "core/import/stablehlo/bytecode/reader.h"
#include "core/import/stablehlo/bytecode/writer.h"
#include "core/import/stablehlo/program_printer.h"
#include "core/import/stablehlo/program_reader.h"
#include "core/import/stablehlo/raising/raising.h"
#include "core/import/stablehlo/specialization.h"
#include "core/import/stablehlo/verifier.h"

namespace bp::import::stablehlo {
namespace {

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
constexpr std::string_view separator = "// -----";

// Reads and verifies a program. The text must outlive it.
Result<Program> read_program(std::string_view text, const Options &options) {
  if (mlir::is_bytecode(text)) {
    BP_ASSIGN(Program program, bytecode::read_program(text, options.file));
    BP_TRY(verify(program));
    return program;
  }
  if (text.size() >= text::Lexer::max_size) {
    return invalid_input("{}: a text of {} bytes, expected less than {}", options.file, text.size(),
                         text::Lexer::max_size);
  }
  if (text.starts_with(byte_order_mark)) {
    text.remove_prefix(byte_order_mark.size());
  }
  BP_ASSIGN(Program program, ProgramReader(text, options.file, options.first_line).read());
  BP_TRY(verify(program));
  return program;
}

}  // namespace

Result<ir::Module> read(std::string_view text, const Options &options) {
  BP_ASSIGN(const Program program, read_program(text, options));
  return specialize(program, options);
}

Result<std::vector<Parameter>> parameters(std::string_view text, const Options &options) {
  BP_ASSIGN(const Program program, read_program(text, options));
  return parameters(program, options);
}

Result<std::string> to_text(std::string_view program, const Options &options) {
  BP_ASSIGN(const Program read, read_program(program, options));
  return print(read);
}

Result<std::string> to_bytecode(std::string_view program, bytecode::Version target, const Options &options) {
  BP_ASSIGN(const Program read, read_program(program, options));
  return bytecode::write_program(read, target);
}

Result<std::string> to_text(const ir::Module &module) {
  BP_ASSIGN(const Program raised, raise(module, RaisedForm::Text));
  return print(raised);
}

Result<std::string> to_bytecode(const ir::Module &module, bytecode::Version target) {
  BP_ASSIGN(const Program raised, raise(module, RaisedForm::Bytecode));
  return bytecode::write_program(raised, target);
}

std::vector<TextPart> split(std::string_view text) {
  if (mlir::is_bytecode(text)) {
    return {{text}};
  }
  std::vector<TextPart> parts;
  std::size_t begin = 0;
  std::uint32_t first_line = 1, line = 1;
  auto add = [&](std::size_t end) {
    std::string_view part = text.substr(begin, end - begin);
    if (text::Lexer(part).at(0).kind != text::TokenKind::End) {
      parts.push_back({part, first_line});
    }
  };
  for (std::size_t at = 0; at < text.size(); ++line) {
    if (text.substr(at).starts_with(separator)) {
      add(at);
      begin = at;
      first_line = line;
    }
    at = std::min(text.find('\n', at), text.size() - 1) + 1;
  }
  add(text.size());
  return parts;
}

bool is_stablehlo(std::string_view text) {
  if (mlir::is_bytecode(text)) {
    return true;
  }
  text::Lexer lexer(text.starts_with(byte_order_mark) ? text.substr(byte_order_mark.size()) : text);
  text::Token first = lexer.at(0);
  std::string_view word = lexer.text(first);
  constexpr std::string_view words[] = {"module", "builtin.module", "func.func", "sdy.mesh"};
  if (first.kind == text::TokenKind::Character) {
    return word == "#" || word == "!";
  }
  return std::ranges::find(words, word) != std::end(words);
}

}  // namespace bp::import::stablehlo
