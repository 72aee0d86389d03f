#include "plugins/llvm/module_view.h"

#include <algorithm>
#include <cstring>

namespace bp::emit {
namespace {

template <class T>
const T *at(const bp_module_t &image, const bp_range_t &range, std::uint32_t i) {
  return reinterpret_cast<const T *>(reinterpret_cast<const char *>(&image) + range.offset) + i;
}

// offset, count and id arithmetic in 64 bits cannot overflow.
bool within(std::uint64_t begin, std::uint64_t count, std::uint64_t limit) {
  return begin <= limit && count <= limit - begin;
}

}  // namespace

bool Shape::is_array() const {
  return dtype != BP_DTYPE_TUPLE && dtype != BP_DTYPE_OPAQUE && dtype != BP_DTYPE_TOKEN && dtype != BP_DTYPE_B;
}

const bp_instr_t &InstructionView::data() const {
  return *at<bp_instr_t>(*module_->image_, module_->image_->instrs, id_);
}

std::string_view InstructionView::name() const {
  return module_->text(data().name);
}

std::span<const std::uint32_t> InstructionView::operands() const {
  return {at<std::uint32_t>(*module_->image_, module_->image_->operands, data().operands), data().operand_count};
}

const Shape &InstructionView::operand_shape(std::size_t i) const {
  return module_->shape_of(operand(i));
}

const Shape &InstructionView::shape(std::size_t i) const {
  return module_->shape_of(result(i));
}

std::span<const std::uint32_t> InstructionView::calls() const {
  return {at<std::uint32_t>(*module_->image_, module_->image_->operands, data().calls), data().call_count};
}

ComputationView InstructionView::called(std::size_t i) const {
  return {module_, calls()[i]};
}

std::span<const bp_attr_t> InstructionView::attributes() const {
  return {at<bp_attr_t>(*module_->image_, module_->image_->attrs, data().attrs), data().attr_count};
}

const bp_attr_t *InstructionView::find(std::uint16_t key) const {
  for (const bp_attr_t &attribute : attributes()) {
    if (attribute.key == key) {
      return &attribute;
    }
  }
  return nullptr;
}

std::span<const std::int64_t> InstructionView::numbers(std::uint16_t key) const {
  const bp_attr_t *attribute = find(key);
  if (attribute == nullptr || attribute->type != BP_ATTR_I64) {
    return {};
  }
  return {at<std::int64_t>(*module_->image_, module_->image_->i64s, attribute->data), attribute->count};
}

std::int64_t InstructionView::number(std::uint16_t key, std::int64_t if_absent) const {
  const auto all = numbers(key);
  return all.empty() ? if_absent : all[0];
}

std::span<const unsigned char> InstructionView::bytes(std::uint16_t key) const {
  const bp_attr_t *attribute = find(key);
  if (attribute == nullptr || attribute->type != BP_ATTR_BYTES) {
    return {};
  }
  return {at<unsigned char>(*module_->image_, module_->image_->bytes, attribute->data), attribute->count};
}

const bp_computation_t &ComputationView::data() const {
  return *at<bp_computation_t>(*module_->image_, module_->image_->computations, id_);
}

std::span<const std::uint32_t> ComputationView::parameters() const {
  return {at<std::uint32_t>(*module_->image_, module_->image_->operands, data().params), data().param_count};
}

std::span<const std::uint32_t> ComputationView::roots() const {
  return {at<std::uint32_t>(*module_->image_, module_->image_->operands, data().roots), data().root_count};
}

std::string_view ComputationView::name() const {
  return module_->text(data().name);
}

std::span<const bp_allocation_t> ModuleView::allocations() const {
  return {at<bp_allocation_t>(*image_, image_->allocations, 0), image_->allocations.count};
}

std::string_view ModuleView::text(std::uint32_t offset) const {
  return offset < image_->strings.count ? at<char>(*image_, image_->strings, offset) : "";
}

std::unique_ptr<ModuleView> ModuleView::open(const bp_module_t *image, std::string &error) {
  std::unique_ptr<ModuleView> view(new ModuleView(image));
  error = view->check();
  if (!error.empty()) {
    error = "module image: " + error;
    view.reset();
  }
  return view;
}

std::string ModuleView::check() {
  if (image_ == nullptr || std::memcmp(image_->magic, "BPMODULE", 8) != 0) {
    return "no magic BPMODULE";
  }
  if (std::string error = check_tables(); !error.empty()) {
    return error;
  }
  if (std::string error = read_shapes(); !error.empty()) {
    return error;
  }
  if (std::string error = check_instructions(); !error.empty()) {
    return error;
  }
  if (std::string error = check_computations(); !error.empty()) {
    return error;
  }
  return order_computations();
}

std::string ModuleView::check_tables() const {
  const bp_module_t &m = *image_;
  const struct {
    const char *name;
    const bp_range_t &range;
    std::uint64_t element_size;
  } tables[] = {
      {"computations", m.computations, sizeof(bp_computation_t)},
      {"instrs", m.instrs, sizeof(bp_instr_t)},
      {"values", m.values, sizeof(bp_value_t)},
      {"shapes", m.shapes, sizeof(bp_shape_t)},
      {"operands", m.operands, sizeof(std::uint32_t)},
      {"attrs", m.attrs, sizeof(bp_attr_t)},
      {"allocations", m.allocations, sizeof(bp_allocation_t)},
      {"i64s", m.i64s, sizeof(std::int64_t)},
      {"strings", m.strings, 1},
      {"bytes", m.bytes, 1},
  };
  for (const auto &table : tables) {
    if (table.range.offset % 8 != 0 || !within(table.range.offset, table.range.count * table.element_size, m.size)) {
      return std::string("table ") + table.name + " lies outside the image";
    }
  }
  if (m.strings.count != 0 && *at<char>(m, m.strings, m.strings.count - 1) != 0) {
    return "strings do not end with 0";
  }
  if (m.entry >= m.computations.count) {
    return "there is no entry computation";
  }
  return {};
}

std::string ModuleView::read_shapes() {
  const bp_module_t &m = *image_;
  shapes_.resize(m.shapes.count);
  for (std::uint32_t i = 0; i < m.shapes.count; ++i) {
    const bp_shape_t &from = *at<bp_shape_t>(m, m.shapes, i);
    Shape &shape = shapes_[i];
    const std::string where = "shape " + std::to_string(i);
    shape.dtype = from.dtype;
    shape.element_bits = from.element_bits;
    if (!within(from.dims, from.rank, m.i64s.count)) {
      return where + " has dimensions outside i64s";
    }
    const std::int64_t *dims = at<std::int64_t>(m, m.i64s, from.dims);
    shape.dims.assign(dims, dims + from.rank);
    for (const std::int64_t size : shape.dims) {
      if (size < 0 || __builtin_mul_overflow(shape.elements, size, &shape.elements) ||
          shape.elements > (std::int64_t{1} << 56)) {
        return where + " has an impossible size";
      }
    }
    shape.minor_to_major.resize(from.rank);
    shape.strides.resize(from.rank);
    if (!shape.is_array()) {
      continue;
    }
    if (!within(from.layout, std::uint64_t{from.rank} + 1, m.i64s.count)) {
      return where + " has a layout outside i64s";
    }
    const std::int64_t *layout = at<std::int64_t>(m, m.i64s, from.layout);
    std::vector<bool> seen(from.rank);
    std::int64_t stride = 1;
    for (std::size_t k = 0; k < from.rank; ++k) {
      const std::int64_t dimension = layout[k];
      if (dimension < 0 || dimension >= from.rank || seen[static_cast<std::size_t>(dimension)]) {
        return where + " has a layout that is no permutation";
      }
      seen[static_cast<std::size_t>(dimension)] = true;
      shape.minor_to_major[k] = dimension;
      shape.strides[static_cast<std::size_t>(dimension)] = stride;
      stride *= std::max<std::int64_t>(shape.dims[static_cast<std::size_t>(dimension)], 1);
    }
    shape.tiled = layout[from.rank] != 0;
  }
  return {};
}

std::string ModuleView::check_instructions() const {
  const bp_module_t &m = *image_;
  for (const bp_allocation_t &allocation : allocations()) {
    if (allocation.alignment == 0 || (allocation.alignment & (allocation.alignment - 1)) != 0) {
      return "an allocation is aligned to " + std::to_string(allocation.alignment);
    }
  }
  for (std::uint32_t i = 0; i < m.values.count; ++i) {
    const bp_value_t &v = value(i);
    if (v.shape >= m.shapes.count || v.instr >= m.instrs.count) {
      return "value " + std::to_string(i) + " has no shape or no instruction";
    }
    if (v.allocation != BP_NONE &&
        (v.allocation >= m.allocations.count || !within(v.offset, v.size, allocations()[v.allocation].size))) {
      return "value " + std::to_string(i) + " lies outside its allocation";
    }
  }
  for (std::uint32_t i = 0; i < m.instrs.count; ++i) {
    const bp_instr_t &from = *at<bp_instr_t>(m, m.instrs, i);
    const std::string where = "instruction " + std::to_string(i);
    if (!within(from.operands, from.operand_count, m.operands.count) ||
        !within(from.results, from.result_count, m.values.count) ||
        !within(from.calls, from.call_count, m.operands.count) || !within(from.attrs, from.attr_count, m.attrs.count)) {
      return where + " points outside the tables";
    }
    const InstructionView instruction(this, i);
    if ((from.op == BP_OP_PARAMETER || from.op == BP_OP_CONSTANT) && from.result_count != 1) {
      return where + " is a parameter or constant of several values";
    }
    for (const std::uint32_t operand : instruction.operands()) {
      // The order of instructions is the schedule, so whoever defines an operand comes before.
      if (operand >= m.values.count || value(operand).instr >= i) {
        return where + " has an operand that is not defined before it";
      }
    }
    for (std::size_t k = 0; k < instruction.result_count(); ++k) {
      if (value(instruction.result(k)).instr != i) {
        return where + " does not own its results";
      }
    }
    for (const std::uint32_t callee : instruction.calls()) {
      if (callee >= m.computations.count) {
        return where + " calls a computation that is not there";
      }
    }
    for (const bp_attr_t &attribute : instruction.attributes()) {
      const std::uint64_t limit = attribute.type == BP_ATTR_I64 || attribute.type == BP_ATTR_F64 ? m.i64s.count
                                  : attribute.type == BP_ATTR_STRING                             ? m.strings.count
                                                                                                 : m.bytes.count;
      if (!within(attribute.data, attribute.count, limit)) {
        return where + " has an attribute outside the tables";
      }
    }
  }
  return {};
}

std::string ModuleView::check_computations() const {
  const bp_module_t &m = *image_;
  for (std::uint32_t i = 0; i < m.computations.count; ++i) {
    const bp_computation_t &from = *at<bp_computation_t>(m, m.computations, i);
    const std::string where = "computation " + std::to_string(i);
    if (!within(from.instrs, from.instr_count, m.instrs.count) ||
        !within(from.params, from.param_count, m.operands.count) ||
        !within(from.roots, from.root_count, m.operands.count)) {
      return where + " points outside the tables";
    }
    const ComputationView computation(this, i);
    const auto owns = [&](std::uint32_t id) {
      return id < m.values.count && value(id).instr >= from.instrs && value(id).instr - from.instrs < from.instr_count;
    };
    if (!std::ranges::all_of(computation.parameters(), owns) || !std::ranges::all_of(computation.roots(), owns)) {
      return where + " has parameters or roots that are not its own";
    }
    // The parameters listed are all there are.
    std::vector<std::uint32_t> listed(computation.parameters().begin(), computation.parameters().end());
    std::ranges::sort(listed);
    std::size_t parameter_count = 0;
    for (std::uint32_t k = from.instrs; k < from.instrs + from.instr_count; ++k) {
      const InstructionView instruction(this, k);
      parameter_count += instruction.op() == BP_OP_PARAMETER ? 1 : 0;
      if (instruction.op() == BP_OP_PARAMETER && !std::ranges::binary_search(listed, instruction.result())) {
        return where + " has a parameter that it does not list";
      }
    }
    if (parameter_count != listed.size() || std::ranges::adjacent_find(listed) != listed.end()) {
      return where + " lists parameters that are none";
    }
    for (std::uint32_t k = from.instrs; k < from.instrs + from.instr_count; ++k) {
      if (!std::ranges::all_of(InstructionView(this, k).operands(), owns)) {
        return where + " uses a value of another computation";
      }
    }
  }
  return {};
}

std::string ModuleView::order_computations() {
  // Kahn's algorithm over the call graph: what is left over calls itself.
  const std::uint32_t count = computation_count();
  std::vector<std::vector<std::uint32_t>> callers(count);
  std::vector<std::uint32_t> open_calls(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    const ComputationView computation(this, i);
    for (std::uint32_t k = 0; k < computation.instruction_count(); ++k) {
      for (const std::uint32_t callee : InstructionView(this, computation.first_instruction() + k).calls()) {
        callers[callee].push_back(i);
        ++open_calls[i];
      }
    }
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    if (open_calls[i] == 0) {
      callees_first_.push_back(i);
    }
  }
  for (std::size_t next = 0; next < callees_first_.size(); ++next) {
    for (const std::uint32_t caller : callers[callees_first_[next]]) {
      if (--open_calls[caller] == 0) {
        callees_first_.push_back(caller);
      }
    }
  }
  return callees_first_.size() == count ? "" : "computations call each other in a circle";
}

}  // namespace bp::emit
