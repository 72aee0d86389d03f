// Writes a module in another form, for bp.rewrite/1: instructions are copied one after the other, or replaced by
// others. Header-only; the original module is borrowed.
//
//   ModuleWriter writer{ModuleView(module)};
//   writer.for_each([&](Instruction i) {
//     if (i.op() != BP_OP_NEGATE) {
//       return false;  // keeps the instruction
//     }
//     const std::uint32_t zero = ...;
//     writer.define(i.result(), writer.add(BP_OP_SUBTRACT, {zero, writer.value(i.operand(0))},
//                                          i.result().shape().index(), {}, i.name()));
//     return true;
//   });
//   return writer.bytes();
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "backplane/base/status.h"
#include "module_view.h"

namespace bp::plugin {

class ModuleWriter {
 public:
  struct Attribute {
    std::uint16_t key;  // in ascending order within one instruction
    std::vector<std::int64_t> numbers;
  };

  explicit ModuleWriter(ModuleView from)
      : from_(from),
        values_of_(from.value_count(), BP_NONE),
        instruction_of_(from.instruction_count(), BP_NONE),
        shapes_(all<bp_shape_t>(from.image()->shapes)),
        ids_(),
        attributes_(all<bp_attr_t>(from.image()->attrs)),
        numbers_(all<std::int64_t>(from.image()->i64s)),
        strings_(all<char>(from.image()->strings)) {}

  // Calls visit(Instruction) -> bool for every instruction except for parameters, in order. If it returns false, the
  // instruction is copied unchanged; otherwise it must have defined the instruction's results by define().
  template <class Visit>
  void for_each(Visit &&visit) {
    for (const Computation computation : from_.computations()) {
      bp_computation_t written =
          array<bp_computation_t>(from_.image(), from_.image()->computations)[computation.index()];
      written.instrs = count(instructions_);
      for (const Instruction i : computation.instructions()) {
        if (i.op() == BP_OP_PARAMETER || !visit(i)) {
          copy(i);
        }
      }
      written.instr_count = count(instructions_) - written.instrs;
      written.params = add_values(computation.parameter_ids());
      written.roots = add_values(computation.root_ids());
      computations_.push_back(written);
    }
  }

  // Returns the value that replaces a value of the old module; define() sets it.
  std::uint32_t value(Value old) const { return values_of_[old.id()]; }
  void define(Value old, std::uint32_t value) { values_of_[old.id()] = value; }

  // Adds a row-major shape of these sizes with the element type of `like`, and returns its index.
  std::uint32_t add_shape(Shape like, std::span<const std::int64_t> sizes) {
    bp_shape_t shape = {like.dtype(), static_cast<std::uint16_t>(sizes.size()), add_numbers(sizes), count(numbers_),
                        like.element_bits()};
    shape.layout = count(numbers_);
    for (std::size_t d = sizes.size(); d-- > 0;) {
      numbers_.push_back(static_cast<std::int64_t>(d));
    }
    numbers_.push_back(0);  // tiles
    shapes_.push_back(shape);
    return count(shapes_) - 1;
  }

  // Adds an instruction with one result, and returns the id of the result. `shape` is the index of a shape of the old
  // module or one returned by add_shape().
  std::uint32_t add(std::uint16_t op, std::span<const std::uint32_t> operands, std::uint32_t shape,
                    std::span<const Attribute> attributes, std::string_view name) {
    bp_instr_t written{};
    written.op = op;
    written.operands = count(ids_);
    written.operand_count = static_cast<std::uint32_t>(operands.size());
    ids_.insert(ids_.end(), operands.begin(), operands.end());
    written.results = count(values_);
    written.result_count = 1;
    written.attrs = count(attributes_);
    written.attr_count = static_cast<std::uint32_t>(attributes.size());
    for (const Attribute &attribute : attributes) {
      attributes_.push_back({attribute.key, BP_ATTR_I64, add_numbers(attribute.numbers),
                             static_cast<std::uint32_t>(attribute.numbers.size())});
    }
    written.name = count(strings_);
    strings_.insert(strings_.end(), name.begin(), name.end());
    strings_.push_back(0);
    written.origin = BP_NONE;
    values_.push_back({shape, count(instructions_), BP_NONE, 0, 0, bytes_of(shapes_[shape])});
    instructions_.push_back(written);
    return written.results;
  }
  std::uint32_t add(std::uint16_t op, std::initializer_list<std::uint32_t> operands, std::uint32_t shape,
                    std::initializer_list<Attribute> attributes, std::string_view name) {
    return add(op, std::span(operands.begin(), operands.size()), shape,
               std::span(attributes.begin(), attributes.size()), name);
  }

  // Returns the new module, without its hash, which the core fills in.
  std::string bytes() const {
    const bp_module_t *old = from_.image();
    std::vector<bp_control_edge_t> edges;
    for (const bp_control_edge_t &edge : from_.control_edges()) {
      if (instruction_of_[edge.before] != BP_NONE && instruction_of_[edge.after] != BP_NONE) {
        edges.push_back({instruction_of_[edge.before], instruction_of_[edge.after]});
      }
    }
    bp_module_t header = *old;
    std::string block(sizeof header, '\0');
    const auto lay_out = [&](const auto *data, std::size_t size) {
      block.resize((block.size() + 63) / 64 * 64);
      const bp_range_t range = {count(block), static_cast<std::uint32_t>(size)};
      const auto *bytes = reinterpret_cast<const char *>(data);
      block.append(bytes, size * sizeof *data);
      return range;
    };
    const auto lay_out_all = [&](const auto &list) { return lay_out(list.data(), list.size()); };
    header.computations = lay_out_all(computations_);
    header.instrs = lay_out_all(instructions_);
    header.values = lay_out_all(values_);
    header.shapes = lay_out_all(shapes_);
    header.operands = lay_out_all(ids_);
    header.attrs = lay_out_all(attributes_);
    header.allocations = lay_out_all(array<bp_allocation_t>(old, old->allocations));
    header.i64s = lay_out_all(numbers_);
    header.strings = lay_out_all(strings_);
    header.bytes = lay_out_all(array<std::uint8_t>(old, old->bytes));
    bp_section_t section = {BP_SECTION_CONTROL_EDGES, 0, count(edges), sizeof(bp_control_edge_t)};
    header.sections = lay_out(&section, edges.empty() ? 0 : 1);
    if (!edges.empty()) {
      section.offset = lay_out_all(edges).offset;
      std::memcpy(block.data() + header.sections.offset, &section, sizeof section);
    }
    header.size = block.size();
    std::memcpy(block.data(), &header, sizeof header);
    return block;
  }

 private:
  template <class List>
  static std::uint32_t count(const List &list) {
    return static_cast<std::uint32_t>(list.size());
  }
  template <class T>
  std::vector<T> all(bp_range_t range) const {
    const auto list = array<T>(from_.image(), range);
    return {list.begin(), list.end()};
  }

  std::uint32_t add_numbers(std::span<const std::int64_t> numbers) {
    const std::uint32_t first = count(numbers_);
    numbers_.insert(numbers_.end(), numbers.begin(), numbers.end());
    return first;
  }
  std::uint32_t add_values(std::span<const std::uint32_t> old) {
    const std::uint32_t first = count(ids_);
    for (std::uint32_t id : old) {
      ids_.push_back(values_of_[id]);
    }
    return first;
  }
  std::uint64_t bytes_of(const bp_shape_t &shape) const {
    std::uint64_t bits = shape.element_bits;
    for (std::uint32_t d = 0; d < shape.rank; ++d) {
      bits *= static_cast<std::uint64_t>(numbers_[shape.dims + d]);
    }
    return (bits + 7) / 8;
  }

  void copy(Instruction i) {
    bp_instr_t written = array<bp_instr_t>(from_.image(), from_.image()->instrs)[i.index()];
    written.operands = add_values(i.operand_ids());
    written.calls = count(ids_);
    ids_.insert(ids_.end(), i.call_ids().begin(), i.call_ids().end());
    written.results = count(values_);
    instruction_of_[i.index()] = count(instructions_);
    for (const Value result : i.results()) {
      bp_value_t value = array<bp_value_t>(from_.image(), from_.image()->values)[result.id()];
      value.instr = count(instructions_);
      values_of_[result.id()] = count(values_);
      values_.push_back(value);
    }
    instructions_.push_back(written);
  }

  ModuleView from_;
  std::vector<std::uint32_t> values_of_;       // by value of the old module
  std::vector<std::uint32_t> instruction_of_;  // by instruction of the old module, if it was copied
  std::vector<bp_computation_t> computations_;
  std::vector<bp_instr_t> instructions_;
  std::vector<bp_value_t> values_;
  std::vector<bp_shape_t> shapes_;
  std::vector<std::uint32_t> ids_;
  std::vector<bp_attr_t> attributes_;
  std::vector<std::int64_t> numbers_;
  std::vector<char> strings_;
};

}  // namespace bp::plugin
