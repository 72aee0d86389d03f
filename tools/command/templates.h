// The files that `backplane new` writes, as they are in tools/command/templates: a backend called acme. Each is in a
// folder that says for which backends it is: "all", "kernels", "compiler-cpp".
#pragma once

#include <span>
#include <string_view>

namespace bp::command {

struct Template {
  std::string_view folder, name, content;
};

// Made by embed_templates.py.
std::span<const Template> templates();

}  // namespace bp::command
