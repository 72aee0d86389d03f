#include "plugins/nvptx/options.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <system_error>

#include "plugin_api/cpp/call.h"

namespace bp::nvptx {

bp_status Options::set(std::string_view key, const char *value, const bp_diag_t *diag) {
  const auto refuse = [&](const std::string &problem) { return plugin::fail(diag, BP_INVALID, "nvptx: " + problem); };
  const std::string text(value);
  if (key == "emulate" || key == "graphs" || key == "tf32" || key == "races") {
    if (text != "0" && text != "1") {
      return refuse(std::string(key) + " is " + text + ", expected 0 or 1");
    }
    (key == "emulate"  ? is_emulated
     : key == "graphs" ? has_graphs
     : key == "tf32"   ? may_round
                       : finds_races) = text == "1";
  } else if (key == "memory") {
    const auto [end, problem] = std::from_chars(value, value + text.size(), memory_bytes);
    if (problem != std::errc() || end != value + text.size() || memory_bytes == 0) {
      return refuse("memory is " + text + ", expected a number of bytes");
    }
  } else if (key == "dump-dir") {
    dump_dir = text;
  } else if (key == "emit") {
    if (std::find(std::begin(emit_choices), std::end(emit_choices) - 1, text) == std::end(emit_choices) - 1) {
      return refuse("emit is " + text + ", expected llvm, ptx or plan");
    }
    emit = text;
  } else if (key == "cache-dir") {
    cache_dir = text;
  } else if (key == "driver") {
    driver = text;
  } else {
    std::string error;
    target = parse_target(value, error);
    if (!target) {
      return refuse(error);
    }
  }
  return BP_OK;
}

}  // namespace bp::nvptx
