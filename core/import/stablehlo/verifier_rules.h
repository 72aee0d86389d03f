// Rules of single operations in StableHLO's verifier. Included only by verif*.cc.
#pragma once

#include "core/base/result.h"
#include "core/import/stablehlo/checked_operation.h"

namespace bp::import::stablehlo {

// verify_types.cc
Status verify_signature(const Checked &checked);

// verify_attributes.cc
Status verify_attributes(const Checked &checked);

// verify_quantized.cc
Status verify_abs(const Checked &checked);
Status verify_add(const Checked &checked);
Status verify_transpose(const Checked &checked);
Status verify_reshape(const Checked &checked);
Status verify_broadcast_in_dim(const Checked &checked);
Status verify_dot_general(const Checked &checked);
Status verify_convolution(const Checked &checked);

// verify_collectives.cc
Status verify_all_gather(const Checked &checked);
Status verify_all_reduce(const Checked &checked);
Status verify_all_to_all(const Checked &checked);
Status verify_collective_broadcast(const Checked &checked);
Status verify_collective_permute(const Checked &checked);
Status verify_reduce_scatter(const Checked &checked);
Status verify_send(const Checked &checked);
Status verify_recv(const Checked &checked);
Status verify_infeed(const Checked &checked);

// verify_control.cc
Status verify_while(const Checked &checked);
Status verify_custom_call(const Checked &checked);
Status verify_select(const Checked &checked);
Status verify_broadcast(const Checked &checked);
Status verify_broadcast_dimensions(const Checked &checked);
Status verify_dynamic_gather(const Checked &checked);
Status verify_dynamic_reshape(const Checked &checked);
Status verify_dynamic_update_slice(const Checked &checked);
Status verify_rng(const Checked &checked);
Status verify_scan(const Checked &checked);
Status verify_scatter(const Checked &checked);
Status verify_constant_like(const Checked &checked);
Status verify_result_accuracy(const Checked &checked);
Status verify_algorithm(const Checked &checked);  // for dot_general

}  // namespace bp::import::stablehlo
