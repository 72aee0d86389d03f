// A small program on a test plugin (core/compile/tests/plugins), under layers.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/backplane.h"
#include "core/layers/interposer.h"
#include "core/text/parser.h"

namespace bp::layers {

inline std::string plugin(const std::string &name) {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / "core/compile/tests/plugins" /
         ("libbackplane_" + name + ".so");
}

inline Literal literal(std::string_view text) {
  return text::parse_literal(text, text::parse_shape("f32[4]").value()).value();
}

// Runs (-x + y) * c on the plugin, under layers; returns "{...}" or the error.
inline std::string run(const std::string &name, std::vector<host::Layer> layers, bool has_memory = true) {
  BackendOptions options;
  options.settings = {{"ops", "negate,add,multiply"}};
  if (has_memory && name == "tiny") {
    options.settings.insert(options.settings.end(), {{"capacity", "100000"}, {"queues", "1"}});
  }
  options.layers = std::move(layers);
  auto backend = Backend::load(plugin(name), options);
  if (!backend.ok()) {
    return backend.error().to_string();
  }
  auto module = text::parse_module(R"(HloModule layered
    ENTRY main { x = f32[4] parameter(0)  y = f32[4] parameter(1)  n = f32[4] negate(x)  s = f32[4] add(n, y)
      c = f32[4] constant({1, 2, 3, 4})  ROOT m = f32[4] multiply(s, c) })");
  auto compiled = backend->compile(std::move(module).value());
  if (!compiled.ok()) {
    return compiled.error().to_string();
  }
  auto result = compiled->executable.run({literal("{1, 2, 3, 4}"), literal("{10, 20, 30, 40}")});
  return !result.ok() ? result.error().to_string()
                      : (result->identical(literal("{9, 36, 81, 144}")) ? "right" : "wrong");
}

// A layer with one deviation.
template <class Mutant>
host::Layer mutant() {
  return [](std::unique_ptr<host::Entry> below) { return std::make_unique<Mutant>(std::move(below)); };
}

}  // namespace bp::layers
