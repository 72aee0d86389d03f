// Signature: equal for instructions whose code is the same, so that it is generated only once. Names, addresses and
// positions in the module are not included.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>

#include "plugins/llvm/module_view.h"

namespace bp::emit {

// Collects bytes that are equal for instructions whose code is equal.
class Signature {
 public:
  template <class T>
  void add(const T &value) {
    bytes_.append(reinterpret_cast<const char *>(&value), sizeof value);
  }
  void add(std::span<const std::int64_t> numbers) {
    add(numbers.size());
    bytes_.append(reinterpret_cast<const char *>(numbers.data()), numbers.size_bytes());
  }
  void add(std::span<const unsigned char> data) {
    add(data.size());
    bytes_.append(reinterpret_cast<const char *>(data.data()), data.size());
  }
  void add(const Shape &shape) {
    add(shape.dtype);
    add(shape.element_bits);
    add(std::span<const std::int64_t>(shape.dims));
    add(std::span<const std::int64_t>(shape.minor_to_major));
    add(std::span<const std::int64_t>(shape.tile));
  }
  // Adds op, attributes, shapes and callees; the caller adds the operands.
  void add(InstructionView instruction) {
    add(instruction.op());
    for (const bp_attr_t &attribute : instruction.attributes()) {
      if (attribute.key < BP_ATTR_HINT) {
        add(attribute.key);
        add(instruction.numbers(attribute.key));
        add(instruction.bytes(attribute.key));
      }
    }
    for (std::size_t i = 0; i < instruction.operand_count(); ++i) {
      add(instruction.operand_shape(i));
    }
    for (std::size_t i = 0; i < instruction.result_count(); ++i) {
      add(instruction.shape(i));
    }
    for (std::size_t i = 0; i < instruction.calls().size(); ++i) {
      add(instruction.called(i));
    }
  }
  void add(ComputationView computation) {
    add(computation.instruction_count());
    // Values of a computation are identified by their number in it.
    std::unordered_map<std::uint32_t, std::uint32_t> numbers;
    for (const std::uint32_t parameter : computation.parameters()) {
      numbers.emplace(parameter, static_cast<std::uint32_t>(numbers.size()));
    }
    for (std::uint32_t n = 0; n < computation.instruction_count(); ++n) {
      const InstructionView instruction = computation.module().instruction(computation.first_instruction() + n);
      for (const std::uint32_t operand : instruction.operands()) {
        add(numbers[operand]);
      }
      for (std::size_t i = 0; i < instruction.result_count(); ++i) {
        numbers.emplace(instruction.result(i), static_cast<std::uint32_t>(numbers.size()));
      }
      add(instruction);
    }
    for (const std::uint32_t root : computation.roots()) {
      add(numbers[root]);
    }
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

}  // namespace bp::emit
