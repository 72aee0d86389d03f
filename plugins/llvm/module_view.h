// ModuleView: a bp_module image together with data that code generators need all the time, such as shapes with strides.
// The core has checked the image (plugin_api/cpp/module_view.h, on which this is built) and its types (BP-MODULE-08).
//
// Values, instructions and computations are the image's numbers. Views are two words, passed by value, and live as long
// as the ModuleView; the image must outlive it. Any number of threads may read at the same time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backplane/backplane.h"
#include "backplane/op_ids.h"
#include "plugin_api/cpp/module_view.h"
#include "plugin_api/cpp/result.h"

namespace bp::emit {

struct Shape {
  std::uint16_t dtype = 0;
  std::uint32_t element_bits = 0;
  bool tiled = false;
  std::vector<std::int64_t> tile;  // the sizes of its tile, if it has one
  std::vector<std::int64_t> dims;
  std::vector<std::int64_t> minor_to_major;
  std::vector<std::int64_t> strides;  // in elements, by dimension, but for tiles
  std::int64_t elements = 1;

  std::size_t rank() const { return dims.size(); }
  // Dimension numbers from the outermost in memory to the innermost.
  std::vector<std::int64_t> major_to_minor() const { return {minor_to_major.rbegin(), minor_to_major.rend()}; }
  bool is_array() const;
  // Whether a byte holds several elements, the first of them in its lowest bits.
  bool packed() const { return element_bits > 0 && element_bits < 8; }
  std::int64_t bytes() const {
    return packed() ? (elements * static_cast<std::int64_t>(element_bits) + 7) / 8
                    : elements * static_cast<std::int64_t>(element_bits / 8);
  }
};

class ModuleView;
class ComputationView;

class InstructionView {
 public:
  InstructionView(const ModuleView *module, std::uint32_t id) : module_(module), id_(id) {}
  std::uint32_t id() const { return id_; }
  const ModuleView &module() const { return *module_; }
  std::uint16_t op() const { return data().op(); }
  std::string_view name() const { return data().name(); }
  bool is_host_call() const { return data().is_host_call(); }  // run by the application (bp.host-call/draft-1)

  std::size_t operand_count() const { return data().operand_count(); }
  std::span<const std::uint32_t> operands() const { return data().operand_ids(); }
  std::uint32_t operand(std::size_t i) const { return operands()[i]; }
  const Shape &operand_shape(std::size_t i) const;
  std::size_t result_count() const { return data().result_count(); }
  std::uint32_t result(std::size_t i = 0) const { return data().result_id(static_cast<std::uint32_t>(i)); }
  const Shape &shape(std::size_t i = 0) const;
  // Max distance in ulp that its user asks for; 0: that of the op table (bp_value.precision).
  std::uint32_t precision() const { return data().result().precision(); }
  std::span<const std::uint32_t> calls() const { return data().call_ids(); }
  ComputationView called(std::size_t i) const;

  std::span<const bp_attr_t> attributes() const { return data().attributes(); }
  // Returns an empty span if the attribute is absent or of another type.
  std::span<const std::int64_t> numbers(std::uint16_t key) const { return data().integers(key); }
  std::int64_t number(std::uint16_t key, std::int64_t if_absent = 0) const { return data().integer(key, if_absent); }
  std::span<const unsigned char> bytes(std::uint16_t key) const { return data().bytes(key); }

  plugin::IndexMap index_map(std::size_t operand) const { return data().index_map(operand); }

 private:
  inline plugin::Instruction data() const;
  const ModuleView *module_;
  std::uint32_t id_;
};

class ComputationView {
 public:
  ComputationView(const ModuleView *module, std::uint32_t id) : module_(module), id_(id) {}
  std::uint32_t id() const { return id_; }
  std::uint32_t first_instruction() const { return data().first_instruction(); }
  std::uint32_t instruction_count() const { return data().instruction_count(); }
  std::span<const std::uint32_t> parameters() const { return data().parameter_ids(); }  // values
  std::span<const std::uint32_t> roots() const { return data().root_ids(); }            // values
  bool embedded() const { return data().is_embedded(); }
  const ModuleView &module() const { return *module_; }
  std::string_view name() const { return data().name(); }

 private:
  inline plugin::Computation data() const;
  const ModuleView *module_;
  std::uint32_t id_;
};

class ModuleView {
 public:
  // Fails with BP_INVALID if a shape is too large to compute with.
  static plugin::Result<std::unique_ptr<ModuleView>> open(const bp_module_t *image);

  const bp_module_t &image() const { return *image_; }
  std::string_view name() const { return plugin::ModuleView(image_).name(); }
  bool final() const { return image_->stage >= BP_STAGE_FINAL; }
  std::uint32_t instruction_count() const { return image_->instrs.count; }
  std::uint32_t computation_count() const { return image_->computations.count; }
  std::uint32_t value_count() const { return image_->values.count; }
  InstructionView instruction(std::uint32_t id) const { return {this, id}; }
  ComputationView computation(std::uint32_t id) const { return {this, id}; }
  ComputationView entry() const { return {this, image_->entry}; }
  const bp_value_t &value(std::uint32_t id) const { return *BP_AT(image_, values, bp_value_t, id); }
  const Shape &shape_of(std::uint32_t value_id) const { return shapes_[value(value_id).shape]; }
  InstructionView definition(std::uint32_t value_id) const { return {this, value(value_id).instr}; }
  std::span<const bp_allocation_t> allocations() const { return plugin::ModuleView(image_).allocations(); }

 private:
  explicit ModuleView(const bp_module_t *image) : image_(image) {}
  bool add_shape(plugin::Shape from);

  const bp_module_t *image_;
  std::vector<Shape> shapes_;
};

// Returns an error of an instruction, whose message begins with the instruction's name.
plugin::Error error_at(InstructionView instruction, bp_status status, std::string_view problem);

inline plugin::Instruction InstructionView::data() const {
  return {&module_->image(), id_};
}
inline plugin::Computation ComputationView::data() const {
  return {&module_->image(), id_};
}

}  // namespace bp::emit
