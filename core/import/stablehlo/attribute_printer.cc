// Prints attributes as text, for operations that keep them unparsed: composites and typed custom calls.
#include <fmt/format.h>

#include "core/import/stablehlo/syntax.h"
#include "core/text/lexer.h"

namespace bp::import::stablehlo {
namespace {

struct Printer {
  std::string operator()(std::monostate) const { return "unit"; }
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(std::int64_t value) const { return fmt::format("{}", value); }
  std::string operator()(double value) const {
    std::string text = fmt::format("{}", value);
    return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
  }
  std::string operator()(const std::string &value) const { return fmt::format("\"{}\"", text::escape(value)); }
  std::string operator()(const Keyword &value) const { return std::string(value.text); }
  std::string operator()(const Symbol &value) const { return "@" + value.name; }
  std::string operator()(const Type &value) const { return to_string(value); }
  std::string operator()(const OpaqueText &value) const { return value.text; }
  std::string operator()(const FunctionType &value) const {
    return fmt::format("({}) -> ({})", types(value.operands), types(value.results));
  }
  std::string operator()(const std::vector<Attribute> &list) const {
    std::string text;
    for (const Attribute &item : list) {
      text += (text.empty() ? "" : ", ") + to_string(item);
    }
    return "[" + text + "]";
  }
  std::string operator()(const Dictionary &dictionary) const {
    std::string text;
    for (const NamedAttribute &entry : dictionary.entries) {
      bool is_unit = entry.value.get<std::monostate>() != nullptr;
      text += fmt::format("{}{}{}", text.empty() ? "" : ", ", entry.name,
                          is_unit ? std::string() : " = " + to_string(entry.value));
    }
    return "{" + text + "}";
  }
  std::string operator()(const Elements &elements) const {
    std::string bytes;
    for (std::byte byte : elements.literal.bytes()) {
      bytes += fmt::format("{:02X}", static_cast<unsigned>(byte));
    }
    return fmt::format("dense<\"0x{}\"> : {}", bytes, to_string(elements.type));
  }

  static std::string types(const std::vector<Type> &list) {
    std::string text;
    for (const Type &type : list) {
      text += (text.empty() ? "" : ", ") + to_string(type);
    }
    return text;
  }
};

}  // namespace

std::string to_string(const Attribute &attribute) {
  return std::visit(Printer{}, attribute.value);
}

}  // namespace bp::import::stablehlo
