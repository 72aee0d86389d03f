#include "core/import/stablehlo/verifier.h"

#include <unordered_map>

#include "core/import/stablehlo/verifier_rules.h"

namespace bp::import::stablehlo {
namespace {

using Rule = Status (*)(const Checked &);

// Returns the rule of an operation beyond its signature and attributes; nullptr if there is none.
Rule find_rule(std::string_view operation) {
  static const std::unordered_map<std::string_view, Rule> rules = {
      {"chlo.constant_like", verify_constant_like},
      {"chlo.scan", verify_scan},
      {"stablehlo.abs", verify_abs},
      {"stablehlo.add", verify_add},
      {"stablehlo.all_gather", verify_all_gather},
      {"stablehlo.all_reduce", verify_all_reduce},
      {"stablehlo.all_to_all", verify_all_to_all},
      {"stablehlo.broadcast", verify_broadcast},
      {"stablehlo.broadcast_in_dim", verify_broadcast_in_dim},
      {"stablehlo.cbrt", verify_result_accuracy},
      {"stablehlo.collective_broadcast", verify_collective_broadcast},
      {"stablehlo.collective_permute", verify_collective_permute},
      {"stablehlo.convolution", verify_convolution},
      {"stablehlo.cosine", verify_result_accuracy},
      {"stablehlo.custom_call", verify_custom_call},
      {"stablehlo.dot_general", verify_dot_general},
      {"stablehlo.dynamic_broadcast_in_dim", verify_broadcast_dimensions},
      {"stablehlo.dynamic_gather", verify_dynamic_gather},
      {"stablehlo.dynamic_reshape", verify_dynamic_reshape},
      {"stablehlo.dynamic_update_slice", verify_dynamic_update_slice},
      {"stablehlo.exponential", verify_result_accuracy},
      {"stablehlo.exponential_minus_one", verify_result_accuracy},
      {"stablehlo.infeed", verify_infeed},
      {"stablehlo.log", verify_result_accuracy},
      {"stablehlo.log_plus_one", verify_result_accuracy},
      {"stablehlo.logistic", verify_result_accuracy},
      {"stablehlo.recv", verify_recv},
      {"stablehlo.reduce_scatter", verify_reduce_scatter},
      {"stablehlo.reshape", verify_reshape},
      {"stablehlo.rng", verify_rng},
      {"stablehlo.rsqrt", verify_result_accuracy},
      {"stablehlo.scatter", verify_scatter},
      {"stablehlo.select", verify_select},
      {"stablehlo.send", verify_send},
      {"stablehlo.sine", verify_result_accuracy},
      {"stablehlo.sqrt", verify_result_accuracy},
      {"stablehlo.tan", verify_result_accuracy},
      {"stablehlo.tanh", verify_result_accuracy},
      {"stablehlo.transpose", verify_transpose},
      {"stablehlo.while", verify_while},
  };
  auto found = rules.find(operation);
  return found == rules.end() ? nullptr : found->second;
}

// Recursion is bounded, because the reader limits the nesting of regions.
Status verify_region(const Program &program, const Region &region) {
  for (const Operation &operation : region.operations) {
    const Checked checked(program, operation);
    BP_TRY(verify_signature(checked));
    BP_TRY(verify_attributes(checked));
    if (Rule rule = find_rule(operation.name)) {
      BP_TRY(rule(checked));
    }
    for (const Region &inner : operation.regions) {
      BP_TRY(verify_region(program, inner));
    }
  }
  return {};
}

}  // namespace

Status verify(const Program &program) {
  for (const Region &region : program.module.regions) {
    BP_TRY(verify_region(program, region));
  }
  return {};
}

}  // namespace bp::import::stablehlo
