// The parts of the verifier. Only verifier*.cc include this.
#pragma once

#include <map>
#include <string_view>

#include "core/base/result.h"
#include "core/ir/module.h"

namespace bp::ir {

// The replicas and partitions that the header names are at least one each.
Status verify_device_counts(const Module &module);

// The module's header: aliases, donors and layouts of the entry computation, which must be sound already.
Status verify_header(const Module &module);

// The pairs of ops that begin and end something: the shapes passed between them, their tokens and computations.
Status verify_asynchronous(const Instruction &instruction);

// Who takes part in collectives: the groups and pairs of devices, against each other, the shapes and, where the header
// says for how many devices the program is, their number. Groups that are written alike are looked at once; the module
// must outlive this.
class CollectiveVerifier {
 public:
  Status verify(const Instruction &instruction);

 private:
  // The numbers in replica_groups.
  struct Groups {
    std::int64_t count = 0;         // of groups
    std::int64_t number_count = 0;  // of numbers, which are different
    std::int64_t largest = -1;      // number
    std::int64_t group_size = -1;   // -1: the sizes differ
  };

  static Status check_numbers(const Instruction &collective, const Groups &groups);
  Result<Groups> groups_of(const Instruction &collective);
  static Result<Groups> read_groups(std::string_view text);

  std::map<std::string_view, Groups> groups_;  // by the text of the attribute
};

// Whether a layout fits an array of this rank, tuples by their parts, and the size in bytes is a number.
Status verify_shape(const Shape &shape);

}  // namespace bp::ir
