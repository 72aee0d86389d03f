// Lesson 2, the plugin: the vendor has nothing but a library of two routines, a matrix product and one that also adds a
// bias and replaces negative numbers by zero. The plugin takes the whole pattern where it finds it; the core runs
// everything else on the host.
#include <algorithm>
#include <array>
#include <atomic>
#include <optional>
#include <string>

#include "backplane/op_ids.h"
#include "plugin_api/cpp/module_view.h"
#include "plugin_api/cpp/single_device.h"

BP_PLUGIN_MANIFEST(R"({
  "abi": "1.0.0",
  "vendor": "Backplane",
  "version": "0.1.0",
  "opset": 1,
  "conformance": "none",
  "devices": [{
    "id": "dev.backplane.library-routines",
    "aliases": ["library-routines"],
    "name": "Two routines of a library",
    "extensions": ["bp.kernels/1", "bp.fusion/draft-3"]
  }]
})");

namespace {

using bp::plugin::Instruction;
using bp::plugin::Shape;

// The library: out[m, n] = lhs[m, k] * rhs[k, n], or max(lhs * rhs + bias[n], 0). All matrices are row-major.
struct Sizes {
  std::int64_t m, k, n;
};
void matrix_product(const Sizes &s, const float *lhs, const float *rhs, float *out) {
  std::fill_n(out, s.m * s.n, 0.0f);
  for (std::int64_t m = 0; m < s.m; ++m) {
    for (std::int64_t k = 0; k < s.k; ++k) {
      for (std::int64_t n = 0; n < s.n; ++n) {
        out[m * s.n + n] += lhs[m * s.k + k] * rhs[k * s.n + n];
      }
    }
  }
}
void dense_layer(const Sizes &s, const float *lhs, const float *rhs, const float *bias, float *out) {
  matrix_product(s, lhs, rhs, out);
  for (std::int64_t i = 0; i < s.m * s.n; ++i) {
    out[i] = std::max(out[i] + bias[i % s.n], 0.0f);
  }
}

std::atomic<int> matrix_products, dense_layers;  // numbers of runs, logged at the end

// Whether it is a product of two row-major matrices of f32, which the library can compute.
bool is_matrix_product(Instruction dot) {
  const auto is_matrix = [](Shape shape) {
    return shape.dtype() == BP_DTYPE_F32 && shape.rank() == 2 && shape.is_row_major();
  };
  const auto is_only = [](std::span<const std::int64_t> dims, std::int64_t d) {
    return dims.size() == 1 && dims[0] == d;
  };
  return dot.op() == BP_OP_DOT && is_matrix(dot.result().shape()) && is_matrix(dot.operand(0).shape()) &&
         is_matrix(dot.operand(1).shape()) && is_only(dot.integers(BP_ATTR_LHS_CONTRACTING_DIMS), 1) &&
         is_only(dot.integers(BP_ATTR_RHS_CONTRACTING_DIMS), 0) &&
         dot.has_only({BP_ATTR_LHS_CONTRACTING_DIMS, BP_ATTR_RHS_CONTRACTING_DIMS, BP_ATTR_OPERAND_PRECISION});
}

Sizes sizes_of(Instruction dot) {
  return {dot.operand(0).shape().dim(0), dot.operand(0).shape().dim(1), dot.operand(1).shape().dim(1)};
}

// Returns the number of the parameter that a value of a fused computation is, or -1 if it is none.
int parameter_number(bp::plugin::Computation computation, bp::plugin::Value value) {
  const auto parameters = computation.parameter_ids();
  const auto found = std::ranges::find(parameters, value.id());
  return found == parameters.end() ? -1 : static_cast<int>(found - parameters.begin());
}

// The pattern max(dot(lhs, rhs) + broadcast(bias), broadcast(0)), with the numbers of its operands in the fusion.
struct DenseLayer {
  Instruction dot;
  std::array<int, 3> operands;  // lhs, rhs, bias
};
std::optional<DenseLayer> match_dense_layer(Instruction fusion) {
  if (fusion.op() != BP_OP_FUSION || fusion.result_count() != 1) {
    return std::nullopt;
  }
  const bp::plugin::Computation body = fusion.called();
  const Instruction maximum = body.root().instruction();
  if (maximum.op() != BP_OP_MAXIMUM || !maximum.has_only({})) {
    return std::nullopt;
  }
  const Instruction add = maximum.operand(0).instruction(), zeros = maximum.operand(1).instruction();
  if (add.op() != BP_OP_ADD || !add.has_only({}) || zeros.op() != BP_OP_BROADCAST ||
      !zeros.has_only({BP_ATTR_DIMENSIONS})) {
    return std::nullopt;
  }
  const Instruction zero = zeros.operand(0).instruction();
  const auto bytes = zero.bytes(BP_ATTR_VALUE);
  if (zero.op() != BP_OP_CONSTANT || !std::ranges::all_of(bytes, [](std::uint8_t byte) { return byte == 0; })) {
    return std::nullopt;
  }
  const Instruction dot = add.operand(0).instruction(), biases = add.operand(1).instruction();
  if (!is_matrix_product(dot) || biases.op() != BP_OP_BROADCAST || !biases.has_only({BP_ATTR_DIMENSIONS})) {
    return std::nullopt;
  }
  const auto along = biases.integers(BP_ATTR_DIMENSIONS);
  const DenseLayer layer{dot,
                         {parameter_number(body, dot.operand(0)), parameter_number(body, dot.operand(1)),
                          parameter_number(body, biases.operand(0))}};
  const bool all = std::ranges::all_of(layer.operands, [](int operand) { return operand >= 0; });
  return all && along.size() == 1 && along[0] == 1 ? std::optional(layer) : std::nullopt;
}

bp_status run_matrix_product(const bp_device_t *, const bp_call_t *call, const bp_diag_t *) {
  const Instruction dot = bp::plugin::ModuleView(call->module).instruction(call->instr);
  ++matrix_products;
  matrix_product(sizes_of(dot), static_cast<const float *>(call->operands[0]),
                 static_cast<const float *>(call->operands[1]), static_cast<float *>(call->results[0]));
  return BP_OK;
}

bp_status run_dense_layer(const bp_device_t *, const bp_call_t *call, const bp_diag_t *) {
  const auto layer = match_dense_layer(bp::plugin::ModuleView(call->module).instruction(call->instr));
  const auto operand = [&](std::size_t i) {
    return static_cast<const float *>(call->operands[static_cast<std::size_t>(layer->operands[i])]);
  };
  ++dense_layers;
  dense_layer(sizes_of(layer->dot), operand(0), operand(1), operand(2), static_cast<float *>(call->results[0]));
  return BP_OK;
}

struct Device {
  static constexpr bp_device_desc_t description = {BP_VERSION_INIT,
                                                   1,
                                                   "dev.backplane.library-routines",
                                                   "Two routines of a library",
                                                   "Backplane",
                                                   "0.1.0",
                                                   nullptr,
                                                   nullptr,
                                                   nullptr,
                                                   0};
  // The core proposes fusions of a dot with the elementwise ops that follow it; find() says which of them it takes.
  static constexpr bp_fusion_limits_t fusion_limits = {BP_FUSES_CONTRACTIONS, 8, 4, 0, 0, 0, 0, 0};

  bp::plugin::HostServices services;

  bp::plugin::Result<std::string> init() { return "library 1"; }
  ~Device() {
    services.log(BP_LOG_INFO, "matrix products: " + std::to_string(matrix_products) +
                                  ", dense layers: " + std::to_string(dense_layers));
  }

  bp::plugin::Result<bp_kernel> find(const bp_module_t *module, std::uint32_t index) const {
    const Instruction instruction = bp::plugin::ModuleView(module).instruction(index);
    if (match_dense_layer(instruction)) {
      return run_dense_layer;
    }
    return is_matrix_product(instruction) ? run_matrix_product : nullptr;
  }
};

}  // namespace

const bp_plugin_entry_t bp_entry = bp::plugin::SingleDevice<Device>::entry;
