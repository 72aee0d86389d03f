// Imports one operation in a function and returns the resulting instruction as text.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "core/import/stablehlo/stablehlo.h"
#include "core/text/printer.h"

namespace bp::import::stablehlo {

// Returns the module of a function of one operation as text, or the error. `results`: types of the results of %r.
inline std::string printed(std::string_view results, std::string_view body) {
  std::string returned = "%r";
  if (body.find("%r:") != std::string_view::npos) {
    const int count = body[body.find("%r:") + 3] - '0';
    returned = "%r#0";
    for (int i = 1; i < count; ++i) {
      returned += fmt::format(", %r#{}", i);
    }
  }
  std::string text = fmt::format(
      "func.func @main(%x: tensor<2x3xf32>, %v: tensor<3xf32>, %n: tensor<i32>, %p: tensor<i1>, "
      "%c: tensor<3xcomplex<f32>>, %t: !stablehlo.token) -> ({}) {{\n{}\nreturn {} : {}\n}}",
      results, body, returned, results);
  auto module = read(text);
  if (!module.ok()) {
    return module.error().to_string();
  }
  return text::print(*module);
}

// Returns the text of the entry's root, without "%name = "; names of operands are kept.
inline std::string root_of(std::string_view results, std::string_view body) {
  const std::string text = printed(results, body);
  const std::size_t entry = text.find("ENTRY"), root = text.find("ROOT ", entry);
  if (entry == std::string::npos) {
    return text;
  }
  const std::size_t equals = text.find(" = ", root);
  return text.substr(equals + 3, text.find('\n', equals) - equals - 3);
}

struct Case {
  std::string_view results, body;
  std::string_view root;  // the root or another instruction
};

}  // namespace bp::import::stablehlo
