// Writes plugin_api/include/backplane/op_ids.h from the tables in core/ir: generate_op_ids FILE
#include <fmt/format.h>

#include <fstream>

#include "core/ir/op_reference.h"

int main(int argc, char **argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: generate_op_ids FILE\n");
    return 2;
  }
  std::ofstream file(argv[1], std::ios::binary);
  file << bp::ir::op_ids_header();
  file.close();
  if (!file) {
    fmt::print(stderr, "generate_op_ids: cannot write {}\n", argv[1]);
    return 1;
  }
  return 0;
}
