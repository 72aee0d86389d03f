// A program for all sizes up to those of a bucket, made of two that the reader made for given sizes: the exact one and
// the padded one, whose sizes are those of the bucket.
#pragma once

#include <cstddef>
#include <vector>

#include "core/base/result.h"
#include "core/ir/module.h"

namespace bp {

struct BucketedProgram {
  // A dimension of a parameter.
  struct Dimension {
    std::size_t parameter, dimension;
    bool operator==(const Dimension &) const = default;
  };

  // Takes the arguments in arrays of the padded sizes, then an s32[] for each of `sizes`, and returns arrays of the
  // padded sizes. Elements beyond the exact sizes have any value, in arguments and results.
  ir::Module module{""};
  std::vector<Dimension> sizes;
};

// Returns a program that computes what `exact` computes, for arguments of its sizes. Unsupported, with the instruction,
// if that is not shown by the rules for run-time sizes (core/ir/run_time_sizes.h): if the programs differ in more than
// sizes, such as in a constant that was computed from a size; or if elements beyond the sizes would matter.
Result<BucketedProgram> make_bucketed(ir::Module exact, ir::Module padded);

}  // namespace bp
