// Reads attributes with a notation of their own, one entry per dimension:
//   window      {size=3x3 stride=2x2 pad=1_1x0_1 lhs_dilate=1x2 rhs_dilate=1x2 rhs_reversal=0x1}
//   padding     0_1x2_2_1             low_high or low_high_interior
//   slice       {[0:4:2], [1:3]}      start:limit or start:limit:stride
//   dim_labels  b01f_01io->b01f       batch, feature, input and output feature, spatial dimensions by number
#pragma once

#include "core/ir/module.h"
#include "core/text/token_reader.h"

namespace bp::text {

Result<std::vector<ir::WindowDimension>> read_window(TokenReader &reader);
Result<std::vector<ir::PaddingDimension>> read_padding(TokenReader &reader);
Result<std::vector<ir::SliceRange>> read_slice_ranges(TokenReader &reader);
// Reads dim_labels, encoded as described in attributes.def.
Result<std::vector<std::int64_t>> read_dim_labels(TokenReader &reader);

}  // namespace bp::text
