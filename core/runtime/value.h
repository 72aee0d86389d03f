// Values between runs of programs: in the host's memory, or where a device has computed or received them.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/host/plugin.h"
#include "core/ir/literal.h"
#include "core/runtime/memory.h"

namespace bp::runtime {

inline constexpr std::uint32_t main_space = 0;  // of a device's memory

// An array in memory of a device, or in other memory that the device uses where it is; row-major, in the representation
// of literals. Threads: any; it is not changed while more than one owner has it, nor if it is borrowed.
class DeviceArray {
 public:
  // The block holds the array's bytes, in this memory space of the device. `borrowed`: see borrow().
  DeviceArray(std::shared_ptr<const host::Device> device, std::uint32_t space, Block block, ir::Shape shape,
              ir::Literal borrowed = {})
      : device_(std::move(device)),
        space_(space),
        borrowed_(std::move(borrowed)),
        block_(std::move(block)),
        shape_(std::move(shape)) {}

  // Returns a copy of a literal on the device; nullptr if its elements are stored differently there, or if the device
  // has no memory of its own. OutOfMemory if the device's is exhausted.
  static Result<std::shared_ptr<const DeviceArray>> upload(const std::shared_ptr<const host::Device> &device,
                                                           const ir::Literal &literal);
  // Returns the literal as an array that the device reads where it is, in the host's memory, without a copy. The array
  // keeps the literal's bytes, and gives them back when its last owner is gone: a program that runs at that time is
  // such an owner. For bytes that belong to somebody else, such as a mapped file with weights, Literal::borrowed().
  // Unsupported if the device cannot do this (bp.external-memory/draft-1), or stores the elements differently;
  // InvalidInput if the bytes do not have the alignment that it requires.
  static Result<std::shared_ptr<const DeviceArray>> borrow(std::shared_ptr<const host::Device> device,
                                                           ir::Literal literal);
  Result<ir::Literal> download() const;
  Result<std::shared_ptr<const DeviceArray>> copy() const;

  const std::shared_ptr<const host::Device> &device() const { return device_; }
  std::uint32_t space() const { return space_; }
  const ir::Shape &shape() const { return shape_; }
  std::size_t size() const { return block_.size(); }  // bytes
  bp_loc_t location() const { return block_.location(); }
  // Returns the address at which host code can use it; nullptr if there is none with a literal's alignment.
  std::byte *host_address() const;
  bool is_borrowed() const { return borrowed_.is_valid(); }

 private:
  std::shared_ptr<const host::Device> device_;  // outlives the block
  std::uint32_t space_;
  ir::Literal borrowed_;  // whose bytes the block is; not valid for other arrays
  Block block_;           // released before them
  ir::Shape shape_;
};

// A value of any shape. Copies share its bytes.
class Value {
 public:
  Value() = default;
  explicit Value(ir::Literal literal) : literal_(std::move(literal)) {}
  explicit Value(std::shared_ptr<const DeviceArray> array) : array_(std::move(array)) {}

  const ir::Shape &shape() const { return array_ != nullptr ? array_->shape() : literal_.shape(); }
  // nullptr if it is in the host's memory.
  const std::shared_ptr<const DeviceArray> &on_device() const { return array_; }
  // Returns the value in the host's memory; for a value on the device a copy.
  Result<ir::Literal> literal() const & { return array_ != nullptr ? array_->download() : literal_; }
  Result<ir::Literal> literal() && { return array_ != nullptr ? array_->download() : std::move(literal_); }
  // Returns the value for reading: in the device's memory, if the host can address it; otherwise as literal().
  Result<ir::Literal> view() const &;
  Result<ir::Literal> view() && { return array_ != nullptr ? view() : std::move(literal_); }

 private:
  ir::Literal literal_;
  std::shared_ptr<const DeviceArray> array_;
};

// Returns the elements of a tuple, otherwise the value itself.
Result<std::vector<Value>> elements_of(Value value);

}  // namespace bp::runtime
