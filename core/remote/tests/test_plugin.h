// The plugins of core/compile/tests, as the tests of this folder load them, and the arrays they give them.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "core/ir/literal.h"
#include "core/text/parser.h"

namespace bp::remote {

using Given = std::vector<std::pair<std::string, std::string>>;  // options

inline std::string plugin(const std::string &name) {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / "core/compile/tests/plugins" /
         ("libbackplane_" + name + ".so");
}

// Returns a literal of shape f32[4].
inline ir::Literal literal(std::string_view text) {
  return text::parse_literal(text, text::parse_shape("f32[4]").value()).value();
}

}  // namespace bp::remote
