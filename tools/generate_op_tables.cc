// Writes include/backplane/op_ids.h and c/op_facts.h of plugin_api from the tables in core/ir
#include <fmt/format.h>

#include <fstream>
#include <string>

#include "core/ir/op_reference.h"

namespace {

bool write(const std::string &path, const std::string &text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) {
    fmt::print(stderr, "generate_op_tables: cannot write {}\n", path);
  }
  return file.good();
}

}  // namespace

int main(int argc, char **argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: generate_op_tables FOLDER, which is plugin_api\n");
    return 2;
  }
  const std::string folder = argv[1];
  const bool is_written = write(folder + "/include/backplane/op_ids.h", bp::ir::op_ids_header()) &&
                          write(folder + "/c/op_facts.h", bp::ir::op_facts_header());
  return is_written ? 0 : 1;
}
