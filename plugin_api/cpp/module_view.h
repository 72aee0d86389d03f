// Classes that read a bp_module from C++: spans and small views instead of indices into arrays. They are header-only,
// without state and copies; everything is borrowed from the module. The core has checked the module, so nothing is
// checked again here.
//
//   for (Computation computation : ModuleView(module).computations())
//     for (Instruction instruction : computation.instructions())
//       if (instruction.op() == BP_OP_ADD) {
//         emit_add(instruction.operand(0), instruction.operand(1), instruction.result());
//       }
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <numeric>
#include <span>
#include <string_view>
#include <vector>

#include "backplane/module.h"
#include "backplane/op_ids.h"
#include "index_map.h"

namespace bp::plugin {

class Computation;
class Instruction;

// Returns the array of an image that a range describes.
template <class T>
std::span<const T> array(const bp_module_t *module, bp_range_t range) {
  return {reinterpret_cast<const T *>(reinterpret_cast<const char *>(module) + range.offset), range.count};
}

// A range of views, of consecutive indices or of the indices in a list.
template <class View>
class Views {
 public:
  Views(const bp_module_t *module, std::uint32_t first, std::uint32_t count)
      : module_(module), first_(first), count_(count) {}
  Views(const bp_module_t *module, std::span<const std::uint32_t> list)
      : module_(module), list_(list.data()), count_(static_cast<std::uint32_t>(list.size())) {}

  std::uint32_t size() const { return count_; }
  View operator[](std::uint32_t i) const { return {module_, list_ != nullptr ? list_[i] : first_ + i}; }

  class Iterator {
   public:
    Iterator(const Views &views, std::uint32_t at) : views_(views), at_(at) {}
    View operator*() const { return views_[at_]; }
    Iterator &operator++() {
      ++at_;
      return *this;
    }
    bool operator==(const Iterator &other) const { return at_ == other.at_; }

   private:
    const Views &views_;
    std::uint32_t at_;
  };
  Iterator begin() const { return {*this, 0}; }
  Iterator end() const { return {*this, count_}; }

 private:
  const bp_module_t *module_;
  const std::uint32_t *list_ = nullptr;
  std::uint32_t first_ = 0;
  std::uint32_t count_;
};

class Shape {
 public:
  Shape(const bp_module_t *module, std::uint32_t index)
      : module_(module), shape_(&array<bp_shape_t>(module, module->shapes)[index]), index_(index) {}

  std::uint32_t index() const { return index_; }  // shapes of a module are equal if and only if their indices are equal
  std::uint16_t dtype() const { return shape_->dtype; }
  std::uint32_t rank() const { return shape_->rank; }
  std::uint32_t element_bits() const { return shape_->element_bits; }  // as stored; 0 for a token

  std::span<const std::int64_t> dims() const { return i64s(shape_->dims, rank()); }
  std::int64_t dim(std::uint32_t i) const { return dims()[i]; }
  std::span<const std::int64_t> minor_to_major() const { return i64s(shape_->layout, rank()); }

  // The tiles of the layout. tile(i) returns the sizes of one tile, of which -1 combines dimensions.
  std::uint32_t tile_count() const { return static_cast<std::uint32_t>(i64s(shape_->layout + rank(), 1)[0]); }
  std::span<const std::int64_t> tile(std::uint32_t i) const {
    std::uint32_t at = shape_->layout + rank() + 1;
    while (i-- > 0) {
      at += 1 + static_cast<std::uint32_t>(i64s(at, 1)[0]);
    }
    return i64s(at + 1, static_cast<std::uint32_t>(i64s(at, 1)[0]));
  }

  std::int64_t element_count() const {
    const auto sizes = dims();
    return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>());
  }
  // Whether the layout is rank-1, ..., 1, 0 without tiles, which is C's row-major order.
  bool is_row_major() const {
    const auto order = minor_to_major();
    for (std::uint32_t i = 0; i < rank(); ++i) {
      if (order[i] != static_cast<std::int64_t>(rank() - 1 - i)) {
        return false;
      }
    }
    return tile_count() == 0;
  }

 private:
  std::span<const std::int64_t> i64s(std::uint32_t at, std::uint32_t count) const {
    return array<std::int64_t>(module_, module_->i64s).subspan(at, count);
  }

  const bp_module_t *module_;
  const bp_shape_t *shape_;
  std::uint32_t index_;
};

class Value {
 public:
  Value(const bp_module_t *module, std::uint32_t id)
      : module_(module), value_(&array<bp_value_t>(module, module->values)[id]), id_(id) {}

  std::uint32_t id() const { return id_; }
  Shape shape() const { return {module_, value_->shape}; }
  inline Instruction instruction() const;
  std::uint32_t precision() const { return value_->precision; }

  bool has_slice() const { return value_->allocation != BP_NONE; }
  std::uint32_t allocation() const { return value_->allocation; }
  std::uint64_t offset() const { return value_->offset; }  // in the allocation, bytes
  std::uint64_t size() const { return value_->size; }      // bytes

  bool operator==(const Value &other) const { return id_ == other.id_ && module_ == other.module_; }

 private:
  const bp_module_t *module_;
  const bp_value_t *value_;
  std::uint32_t id_;
};

class Instruction {
 public:
  Instruction(const bp_module_t *module, std::uint32_t index)
      : module_(module), instr_(&array<bp_instr_t>(module, module->instrs)[index]), index_(index) {}

  std::uint32_t index() const { return index_; }  // as bp_diag.report() and cost_ns use it
  std::uint16_t op() const { return instr_->op; }
  bool has_side_effect() const { return (instr_->flags & BP_INSTR_SIDE_EFFECT) != 0; }
  bool is_host_call() const { return (instr_->flags & BP_INSTR_HOST_CALL) != 0; }
  std::string_view name() const { return string(instr_->name); }
  std::string_view origin() const { return instr_->origin == BP_NONE ? std::string_view() : string(instr_->origin); }

  std::uint32_t operand_count() const { return instr_->operand_count; }
  std::span<const std::uint32_t> operand_ids() const { return ids(instr_->operands, instr_->operand_count); }
  Value operand(std::uint32_t i) const { return {module_, operand_ids()[i]}; }
  Views<Value> operands() const { return {module_, operand_ids()}; }

  std::uint32_t result_count() const { return instr_->result_count; }
  std::uint32_t result_id(std::uint32_t i = 0) const { return instr_->results + i; }
  Value result(std::uint32_t i = 0) const { return {module_, result_id(i)}; }
  Views<Value> results() const { return {module_, instr_->results, instr_->result_count}; }

  std::uint32_t call_count() const { return instr_->call_count; }
  inline Computation called(std::uint32_t i = 0) const;
  std::span<const std::uint32_t> call_ids() const { return ids(instr_->calls, instr_->call_count); }
  Views<Computation> calls() const { return {module_, call_ids()}; }

  // Attributes by key (op_ids.h). A list, text or bytes that the instruction does not have is returned empty; has()
  // tells it from one that is empty.
  std::span<const bp_attr_t> attributes() const {
    return array<bp_attr_t>(module_, module_->attrs).subspan(instr_->attrs, instr_->attr_count);
  }
  const bp_attr_t *find(std::uint16_t key) const {
    const auto all = attributes();
    const auto found = std::lower_bound(all.begin(), all.end(), key,
                                        [](const bp_attr_t &attribute, std::uint16_t k) { return attribute.key < k; });
    return found != all.end() && found->key == key ? &*found : nullptr;
  }
  bool has(std::uint16_t key) const { return find(key) != nullptr; }
  // Whether it has no attributes but some of these, and hints, which a plugin may ignore (BP-MODULE-07).
  bool has_only(std::initializer_list<std::uint16_t> keys) const {
    return std::ranges::all_of(attributes(), [&](const bp_attr_t &attribute) {
      return attribute.key >= BP_ATTR_HINT || std::ranges::find(keys, attribute.key) != keys.end();
    });
  }
  std::span<const std::int64_t> integers(std::uint16_t key) const {
    const bp_attr_t *attribute = find(key);
    return attribute != nullptr && attribute->type == BP_ATTR_I64
               ? array<std::int64_t>(module_, module_->i64s).subspan(attribute->data, attribute->count)
               : std::span<const std::int64_t>();
  }
  std::int64_t integer(std::uint16_t key, std::int64_t otherwise) const {
    const auto list = integers(key);
    return list.empty() ? otherwise : list[0];
  }
  double real(std::uint16_t key, double otherwise) const {
    const bp_attr_t *attribute = find(key);
    return attribute != nullptr && attribute->type == BP_ATTR_F64
               ? std::bit_cast<double>(array<std::int64_t>(module_, module_->i64s)[attribute->data])
               : otherwise;
  }
  std::string_view text(std::uint16_t key) const {
    const bp_attr_t *attribute = find(key);
    return attribute != nullptr && attribute->type == BP_ATTR_STRING
               ? std::string_view(&array<char>(module_, module_->strings)[attribute->data], attribute->count)
               : std::string_view();
  }
  std::span<const std::uint8_t> bytes(std::uint16_t key) const {
    const bp_attr_t *attribute = find(key);
    return attribute != nullptr && attribute->type == BP_ATTR_BYTES
               ? array<std::uint8_t>(module_, module_->bytes).subspan(attribute->data, attribute->count)
               : std::span<const std::uint8_t>();
  }

  // Returns which elements of an operand those of the result are taken from.
  IndexMap index_map(std::size_t operand) const {
    return plugin::index_map(operand, [this](std::size_t number) { return indexed(number); });
  }

  bool operator==(const Instruction &other) const { return index_ == other.index_ && module_ == other.module_; }

 private:
  IndexedOperand indexed(std::size_t number) const {
    return {.op = op(),
            .number = number,
            .count = operand_count(),
            .sizes = operand(static_cast<std::uint32_t>(number)).shape().dims(),
            .result = result().shape().dims(),
            .attribute = integers(indexing_attribute(op())),
            .has_scalar_starts = !has_vector_of_starts()};
  }
  bool has_vector_of_starts() const {
    const auto start = static_cast<std::uint32_t>(first_start(op()));
    return start != 0 && start < operand_count() && operand(start).shape().rank() != 0;
  }
  std::string_view string(std::uint32_t at) const { return &array<char>(module_, module_->strings)[at]; }
  std::span<const std::uint32_t> ids(std::uint32_t at, std::uint32_t count) const {
    return array<std::uint32_t>(module_, module_->operands).subspan(at, count);
  }

  const bp_module_t *module_;
  const bp_instr_t *instr_;
  std::uint32_t index_;
};

class Computation {
 public:
  Computation(const bp_module_t *module, std::uint32_t index)
      : module_(module), computation_(&array<bp_computation_t>(module, module->computations)[index]), index_(index) {}

  std::uint32_t index() const { return index_; }
  std::string_view name() const { return &array<char>(module_, module_->strings)[computation_->name]; }
  bool is_embedded() const { return computation_->kind == BP_COMPUTATION_EMBEDDED; }

  std::uint32_t first_instruction() const { return computation_->instrs; }
  std::uint32_t instruction_count() const { return computation_->instr_count; }
  Views<Instruction> instructions() const { return {module_, computation_->instrs, computation_->instr_count}; }
  std::span<const std::uint32_t> parameter_ids() const {
    return array<std::uint32_t>(module_, module_->operands).subspan(computation_->params, computation_->param_count);
  }
  std::span<const std::uint32_t> root_ids() const {
    return array<std::uint32_t>(module_, module_->operands).subspan(computation_->roots, computation_->root_count);
  }
  std::uint32_t parameter_count() const { return computation_->param_count; }
  Value parameter(std::uint32_t i) const { return {module_, parameter_ids()[i]}; }
  Views<Value> parameters() const { return {module_, parameter_ids()}; }
  std::uint32_t root_count() const { return computation_->root_count; }
  Value root(std::uint32_t i = 0) const { return {module_, root_ids()[i]}; }
  Views<Value> roots() const { return {module_, root_ids()}; }

  bool operator==(const Computation &other) const { return index_ == other.index_ && module_ == other.module_; }

 private:
  const bp_module_t *module_;
  const bp_computation_t *computation_;
  std::uint32_t index_;
};

inline Instruction Value::instruction() const {
  return {module_, value_->instr};
}
inline Computation Instruction::called(std::uint32_t i) const {
  return {module_, ids(instr_->calls + i, 1)[0]};
}

class ModuleView {
 public:
  explicit ModuleView(const bp_module_t *module) : module_(module) {}

  const bp_module_t *image() const { return module_; }
  std::string_view name() const { return &array<char>(module_, module_->strings)[module_->name]; }
  std::uint32_t stage() const { return module_->stage; }

  std::uint32_t computation_count() const { return module_->computations.count; }
  Computation computation(std::uint32_t i) const { return {module_, i}; }
  Computation entry() const { return {module_, module_->entry}; }
  Views<Computation> computations() const { return {module_, 0, module_->computations.count}; }

  std::uint32_t instruction_count() const { return module_->instrs.count; }
  Instruction instruction(std::uint32_t i) const { return {module_, i}; }
  Views<Instruction> instructions() const { return {module_, 0, module_->instrs.count}; }
  std::uint32_t value_count() const { return module_->values.count; }
  Value value(std::uint32_t i) const { return {module_, i}; }

  std::span<const bp_allocation_t> allocations() const { return array<bp_allocation_t>(module_, module_->allocations); }
  // Returns the SHA-256 of the content of a constant allocation.
  std::span<const std::uint8_t> content_hash(const bp_allocation_t &allocation) const {
    return array<std::uint8_t>(module_, module_->bytes).subspan(allocation.content, 32);
  }

  // Returns a table that was added after bp_module was frozen, or an empty span if the module does not have it.
  template <class T>
  std::span<const T> section(std::uint32_t id) const {
    for (const bp_section_t &section : array<bp_section_t>(module_, module_->sections)) {
      if (section.id == id && section.element_size == sizeof(T)) {
        return array<T>(module_, {section.offset, section.count});
      }
    }
    return {};
  }
  std::span<const bp_control_edge_t> control_edges() const {
    return section<bp_control_edge_t>(BP_SECTION_CONTROL_EDGES);
  }

 private:
  const bp_module_t *module_;
};

}  // namespace bp::plugin
