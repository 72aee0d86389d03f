// A backend that multiplies and adds matrices of f32, and whose dot prefers its right operand to be column-major,
// requested by bp.layout/draft-1. Options: "gain": benefit of that layout in nanoseconds, -1: required; "bad": the
// error in the request: stream, instr, slot, layout, gain.
#include <array>
#include <cmath>
#include <cstdlib>

#include "backplane/ext/draft/layout.h"
#include "backplane/ext/kernels.h"
#include "plugin_api/cpp/module_view.h"
#include "plugin_api/cpp/single_device.h"

BP_PLUGIN_MANIFEST(
    R"({"abi": "1.0.0", "version": "1", "opset": 1, "devices": [{"id": "org.example.columns", "name": "Columns",
        "extensions": ["bp.kernels/1", "bp.layout/draft-1"]}]})");

namespace {

using bp::plugin::Instruction;
using bp::plugin::ModuleView;
using bp::plugin::Shape;

constexpr const char *faults[] = {"stream", "instr", "slot", "layout", "gain", nullptr};
constexpr bp_option_desc_t options[] = {
    {"gain", "-1", "nanoseconds that a granted preference saves; negative: required", nullptr, BP_OPTION_REAL, 0},
    {"bad", nullptr, "what a preference has wrong", faults, BP_OPTION_TEXT, 0},
};

// Returns the index of element (i, j) in a matrix without tiles.
std::size_t place(Shape shape, std::size_t i, std::size_t j) {
  const auto rows = static_cast<std::size_t>(shape.dim(0)), columns = static_cast<std::size_t>(shape.dim(1));
  return shape.minor_to_major()[0] == 1 ? i * columns + j : j * rows + i;
}

struct Matrix {
  Shape shape;
  float *data;
  float &operator()(std::size_t i, std::size_t j) const { return data[place(shape, i, j)]; }
  std::size_t rows() const { return static_cast<std::size_t>(shape.dim(0)); }
  std::size_t columns() const { return static_cast<std::size_t>(shape.dim(1)); }
};

Matrix operand(const bp_call_t *call, std::uint32_t i) {
  return {ModuleView(call->module).instruction(call->instr).operand(i).shape(),
          static_cast<float *>(const_cast<void *>(call->operands[i]))};
}
Matrix result(const bp_call_t *call) {
  return {ModuleView(call->module).instruction(call->instr).result().shape(), static_cast<float *>(call->results[0])};
}

bp_status dot(const bp_device_t *, const bp_call_t *call, const bp_diag_t *) {
  const Matrix a = operand(call, 0), b = operand(call, 1), c = result(call);
  for (std::size_t i = 0; i < c.rows(); ++i) {
    for (std::size_t j = 0; j < c.columns(); ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < a.columns(); ++k) {
        sum += static_cast<double>(a(i, k)) * static_cast<double>(b(k, j));
      }
      c(i, j) = static_cast<float>(sum);
    }
  }
  return BP_OK;
}

bp_status add(const bp_device_t *, const bp_call_t *call, const bp_diag_t *) {
  const Matrix a = operand(call, 0), b = operand(call, 1), c = result(call);
  for (std::size_t i = 0; i < c.rows(); ++i) {
    for (std::size_t j = 0; j < c.columns(); ++j) {
      c(i, j) = a(i, j) + b(i, j);
    }
  }
  return BP_OK;
}

bp_status copy(const bp_device_t *, const bp_call_t *call, const bp_diag_t *) {
  const Matrix a = operand(call, 0), c = result(call);
  for (std::size_t i = 0; i < c.rows(); ++i) {
    for (std::size_t j = 0; j < c.columns(); ++j) {
      c(i, j) = a(i, j);
    }
  }
  return BP_OK;
}

bp_status transpose(const bp_device_t *, const bp_call_t *call, const bp_diag_t *) {
  const Matrix a = operand(call, 0), c = result(call);
  for (std::size_t i = 0; i < c.rows(); ++i) {
    for (std::size_t j = 0; j < c.columns(); ++j) {
      c(i, j) = a(j, i);
    }
  }
  return BP_OK;
}

bool is_matrix(Shape shape) {
  return shape.dtype() == BP_DTYPE_F32 && shape.rank() == 2 && shape.tile_count() == 0;
}

// Whether it multiplies the rows of the left operand by the columns of the right one.
bool is_product(Instruction i) {
  const auto left = i.integers(BP_ATTR_LHS_CONTRACTING_DIMS), right = i.integers(BP_ATTR_RHS_CONTRACTING_DIMS);
  return left.size() == 1 && right.size() == 1 && left[0] == 1 && right[0] == 0;
}

struct Columns {
  static constexpr bp_device_desc_t description = {
      BP_VERSION_INIT, 1, "org.example.columns", "Columns", nullptr, "1", nullptr, nullptr, options, 2};
  float gain = -1;
  std::string bad;

  bp::plugin::Status set_option(std::string_view key, std::string_view value) {
    if (key == "gain") {
      gain = std::strtof(std::string(value).c_str(), nullptr);
    } else {
      bad = value;
    }
    return {};
  }
  bp::plugin::Result<std::string> init() { return "columns"; }
  bp::plugin::Result<bp_kernel> find(const bp_module_t *module, std::uint32_t instr) const;
  bp::plugin::Result<std::string> preferences(const bp_module_t *module) const;
};

bp::plugin::Result<bp_kernel> Columns::find(const bp_module_t *module, std::uint32_t instr) const {
  const Instruction i = ModuleView(module).instruction(instr);
  for (std::uint32_t k = 0; k < i.operand_count(); ++k) {
    if (!is_matrix(i.operand(k).shape())) {
      return nullptr;
    }
  }
  switch (i.op()) {
    case BP_OP_ADD: return add;
    case BP_OP_COPY: return copy;
    case BP_OP_TRANSPOSE: return transpose;
    case BP_OP_DOT: {
      const bool along_columns = i.operand(1).shape().minor_to_major()[0] == 0;
      const bool may_change = module->stage == BP_STAGE_LEGALIZE || gain >= 0;
      return is_product(i) && (along_columns || may_change) ? dot : nullptr;
    }
    default: return nullptr;
  }
}

bp::plugin::Result<std::string> Columns::preferences(const bp_module_t *module) const {
  std::string bytes;
  for (const Instruction i : ModuleView(module).entry().instructions()) {
    if (i.op() != BP_OP_DOT) {
      continue;
    }
    bp_layout_preference_t preference = {i.index(), 1, gain, 3};
    std::array<std::int64_t, 3> words = {0, 1, 0};
    if (bad == "instr") {
      preference.instr = 1000;
    } else if (bad == "slot") {
      preference.slot = BP_SLOT_RESULT + 1;
    } else if (bad == "layout") {
      words[1] = 0;
    } else if (bad == "gain") {
      preference.gain_ns = std::nanf("");
    } else if (bad == "stream") {
      preference.word_count = 4;
    }
    bp::plugin::append_preference(bytes, preference, words);
  }
  return bytes;
}

}  // namespace

const bp_plugin_entry_t bp_entry = bp::plugin::SingleDevice<Columns>::entry;
