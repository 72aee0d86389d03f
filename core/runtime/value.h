// Values between runs of programs: in the host's memory, or where a device has computed or received them.
#pragma once

#include <memory>

#include "core/base/result.h"
#include "core/host/plugin.h"
#include "core/ir/literal.h"
#include "core/runtime/memory.h"

namespace bp::runtime {

// An array in memory of a device, row-major, in the representation of literals. Threads: any; it is not changed while
// more than one owner has it.
class DeviceArray {
 public:
  // The block holds the array's bytes, in this memory space of the device.
  DeviceArray(std::shared_ptr<const host::Device> device, std::uint32_t space, Block block, ir::Shape shape)
      : device_(std::move(device)), space_(space), block_(std::move(block)), shape_(std::move(shape)) {}

  // Returns a copy of a literal on the device; nullptr if its elements are stored differently there, or if the device
  // has no memory of its own. OutOfMemory if the device's is exhausted.
  static Result<std::shared_ptr<const DeviceArray>> upload(const std::shared_ptr<const host::Device> &device,
                                                           const ir::Literal &literal);
  Result<ir::Literal> download() const;
  Result<std::shared_ptr<const DeviceArray>> copy() const;

  const std::shared_ptr<const host::Device> &device() const { return device_; }
  std::uint32_t space() const { return space_; }
  const ir::Shape &shape() const { return shape_; }
  std::size_t size() const { return block_.size(); }  // bytes
  bp_loc_t location() const { return block_.location(); }

 private:
  std::shared_ptr<const host::Device> device_;  // outlives the block
  std::uint32_t space_;
  Block block_;
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

 private:
  ir::Literal literal_;
  std::shared_ptr<const DeviceArray> array_;
};

}  // namespace bp::runtime
