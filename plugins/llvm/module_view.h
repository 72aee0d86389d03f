// ModuleView: reads a bp_module image. open() checks every offset, count and id once, so that whoever reads afterwards
// need not; what the ops mean is not checked here.
//
// Values, instructions and computations are the image's numbers. Views are two words, passed by value, and live as long
// as the ModuleView; the image must outlive it. Threads: any number may read.
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

namespace bp::emit {

struct Shape {
  std::uint16_t dtype = 0;
  std::uint32_t element_bits = 0;
  bool tiled = false;
  std::vector<std::int64_t> dims;
  std::vector<std::int64_t> minor_to_major;
  std::vector<std::int64_t> strides;  // in elements, by dimension
  std::int64_t elements = 1;

  std::size_t rank() const { return dims.size(); }
  // Dimension numbers from the outermost in memory to the innermost.
  std::vector<std::int64_t> major_to_minor() const { return {minor_to_major.rbegin(), minor_to_major.rend()}; }
  bool is_array() const;
  std::int64_t bytes() const { return elements * static_cast<std::int64_t>(element_bits / 8); }
};

class ModuleView;
class ComputationView;

class InstructionView {
 public:
  InstructionView(const ModuleView *module, std::uint32_t id) : module_(module), id_(id) {}
  std::uint32_t id() const { return id_; }
  const ModuleView &module() const { return *module_; }
  std::uint16_t op() const { return data().op; }
  std::string_view name() const;

  std::size_t operand_count() const { return data().operand_count; }
  std::span<const std::uint32_t> operands() const;
  std::uint32_t operand(std::size_t i) const { return operands()[i]; }
  const Shape &operand_shape(std::size_t i) const;
  std::size_t result_count() const { return data().result_count; }
  std::uint32_t result(std::size_t i = 0) const { return data().results + static_cast<std::uint32_t>(i); }
  const Shape &shape(std::size_t i = 0) const;
  std::span<const std::uint32_t> calls() const;
  ComputationView called(std::size_t i) const;

  std::span<const bp_attr_t> attributes() const;
  // Empty if absent or of another type.
  std::span<const std::int64_t> numbers(std::uint16_t key) const;
  std::int64_t number(std::uint16_t key, std::int64_t if_absent = 0) const;
  std::span<const unsigned char> bytes(std::uint16_t key) const;

 private:
  const bp_instr_t &data() const;
  const bp_attr_t *find(std::uint16_t key) const;
  const ModuleView *module_;
  std::uint32_t id_;
};

class ComputationView {
 public:
  ComputationView(const ModuleView *module, std::uint32_t id) : module_(module), id_(id) {}
  std::uint32_t id() const { return id_; }
  std::uint32_t first_instruction() const { return data().instrs; }
  std::uint32_t instruction_count() const { return data().instr_count; }
  std::span<const std::uint32_t> parameters() const;  // values
  std::span<const std::uint32_t> roots() const;       // values
  bool embedded() const { return data().kind == BP_COMPUTATION_EMBEDDED; }
  const ModuleView &module() const { return *module_; }
  std::string_view name() const;

 private:
  const bp_computation_t &data() const;
  const ModuleView *module_;
  std::uint32_t id_;
};

class ModuleView {
 public:
  // Null, and what is wrong in `error`, if the image is not one.
  static std::unique_ptr<ModuleView> open(const bp_module_t *image, std::string &error);

  const bp_module_t &image() const { return *image_; }
  std::string_view name() const { return text(image_->name); }
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
  std::span<const bp_allocation_t> allocations() const;
  // Computations such that callees come before callers.
  std::span<const std::uint32_t> callees_first() const { return callees_first_; }

 private:
  friend class InstructionView;
  friend class ComputationView;
  explicit ModuleView(const bp_module_t *image) : image_(image) {}
  std::string check();
  std::string check_tables() const;
  std::string read_shapes();
  std::string check_instructions() const;
  std::string check_computations() const;
  std::string order_computations();
  std::string_view text(std::uint32_t offset) const;

  const bp_module_t *image_;
  std::vector<Shape> shapes_;
  std::vector<std::uint32_t> callees_first_;
};

}  // namespace bp::emit
