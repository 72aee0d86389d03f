// Parts of the verifier. Included only by verifier*.cc.
#pragma once

#include <map>
#include <string_view>

#include "core/base/result.h"
#include "core/ir/module.h"

namespace bp::ir {

// Checks that the header's numbers of replicas and partitions are at least 1.
Status verify_device_counts(const Module &module);

// Checks the module's header: aliases, donors and layouts of the entry computation, which must have been verified
// before.
Status verify_header(const Module &module);

// Checks pairs of ops that start and finish an operation: the shapes passed between them, their tokens and
// computations.
Status verify_asynchronous(const Instruction &instruction);

// Checks which devices take part in collectives: groups and pairs of devices, for consistency, against the shapes and,
// if the header gives the number of devices, against that number. Groups with equal text are decoded once; the module
// must outlive this object.
class CollectiveVerifier {
 public:
  Status verify(const Instruction &instruction);

 private:
  // Properties of the groups in a replica_groups attribute.
  struct Groups {
    std::int64_t count = 0;         // number of groups
    std::int64_t number_count = 0;  // total count of numbers, which are all different
    std::int64_t largest = -1;      // largest number
    std::int64_t group_size = -1;   // size of each group; -1: the sizes differ
  };

  static Status check_numbers(const Instruction &collective, const Groups &groups);
  Result<Groups> groups_of(const Instruction &collective);
  static Result<Groups> read_groups(std::string_view text);

  std::map<std::string_view, Groups> groups_;  // by the text of the attribute
};

// Checks that the layout fits the rank of an array and that the size in bytes does not overflow; tuples by their parts.
Status verify_shape(const Shape &shape);

}  // namespace bp::ir
