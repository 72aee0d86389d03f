#include "core/import/onnx/operator_table.h"

#include <algorithm>
#include <limits>

#include "core/import/onnx/lower.h"

namespace bp::import::onnx {
namespace {

constexpr std::int64_t newest = std::numeric_limits<std::int64_t>::max();

constexpr std::string_view bounded[] = {
#define BP_ONNX_OPERATOR(name, first, last, function)
#define BP_ONNX_DOMAIN(domain, name, first, last, function)
#define BP_ONNX_UNARY(name, first, last, opcode)
#define BP_ONNX_BINARY(name, first, last, opcode)
#define BP_ONNX_BOUNDED(name) #name,
#define BP_ONNX_BATCH(name)
#define BP_ONNX_BROADCAST(name)
#include "core/import/onnx/operators.def"
};
constexpr std::string_view batch[] = {
#define BP_ONNX_OPERATOR(name, first, last, function)
#define BP_ONNX_DOMAIN(domain, name, first, last, function)
#define BP_ONNX_UNARY(name, first, last, opcode)
#define BP_ONNX_BINARY(name, first, last, opcode)
#define BP_ONNX_BOUNDED(name)
#define BP_ONNX_BATCH(name) #name,
#define BP_ONNX_BROADCAST(name)
#include "core/import/onnx/operators.def"
};

constexpr std::string_view broadcast[] = {
#define BP_ONNX_OPERATOR(name, first, last, function)
#define BP_ONNX_DOMAIN(domain, name, first, last, function)
#define BP_ONNX_UNARY(name, first, last, opcode)
#define BP_ONNX_BINARY(name, first, last, opcode)
#define BP_ONNX_BOUNDED(name)
#define BP_ONNX_BATCH(name)
#define BP_ONNX_BROADCAST(name) #name,
#include "core/import/onnx/operators.def"
};

constexpr Operator table[] = {
#define BP_ONNX_OPERATOR(name, first, last, function) {"", #name, first, last, lower_##function},
#define BP_ONNX_DOMAIN(domain, name, first, last, function) {domain, #name, first, last, lower_##function},
#define BP_ONNX_UNARY(name, first, last, opcode) {"", #name, first, last, lower_unary<Opcode::opcode>},
#define BP_ONNX_BINARY(name, first, last, opcode) {"", #name, first, last, lower_binary<Opcode::opcode>},
#define BP_ONNX_BOUNDED(name)
#define BP_ONNX_BATCH(name)
#define BP_ONNX_BROADCAST(name)
#include "core/import/onnx/operators.def"
};

// Whether a run tells sizes of dimensions that are not 0, or of other inputs than the first one.
bool has_bounded_elements(const Values &inputs) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Array &x = inputs[i].array();
    for (std::size_t k = 0; inputs[i].is_array() && k < x.rank(); ++k) {
      if (x.shape().is_dynamic(k) && (i > 0 || k > 0)) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace

std::span<const Operator> all_operators() {
  return table;
}

const Operator *find_operator(std::string_view domain, std::string_view name, std::int64_t version) {
  const auto found = std::ranges::find_if(table, [&](const Operator &row) {
    return row.name == name && row.domain == domain && row.first_version <= version && version <= row.last_version;
  });
  return found == std::end(table) ? nullptr : found;
}

bool takes_bounded_sizes(const Operator &row, const Values &inputs) {
  return row.domain.empty() && (std::ranges::find(bounded, row.name) != std::end(bounded) ||
                                (takes_bounded_batch(row) && !has_bounded_elements(inputs)));
}

bool takes_bounded_batch(const Operator &row) {
  return row.domain.empty() && std::ranges::find(batch, row.name) != std::end(batch);
}

bool broadcasts_inputs(const Operator &row, std::int64_t version) {
  return row.domain.empty() && version >= 7 && std::ranges::find(broadcast, row.name) != std::end(broadcast);
}

}  // namespace bp::import::onnx
