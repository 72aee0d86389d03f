#include "plugins/nvptx/options.h"

#include "plugin_api/cpp/options.h"

namespace bp::nvptx {

plugin::Status Options::set(std::string_view key, std::string_view value) {
  if (key == "target") {
    BP_ASSIGN(target, parse_target(value));
    return {};
  }
  return plugin::set_option(key, value,
                            {{"emulate", &is_emulated},
                             {"driver", &driver},
                             {"cache-dir", &cache_dir},
                             {"graphs", &has_graphs},
                             {"races", &finds_races},
                             {"memory", &memory_bytes, 1},
                             {"tf32", &may_round},
                             {"dump-dir", &dump_dir},
                             {"emit", &emit}});
}

}  // namespace bp::nvptx
