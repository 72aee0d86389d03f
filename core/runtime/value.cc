#include "core/runtime/value.h"

#include "core/ir/storage.h"

namespace bp::runtime {

Result<std::shared_ptr<const DeviceArray>> DeviceArray::upload(const std::shared_ptr<const host::Device> &device,
                                                               const ir::Literal &literal) {
  const ir::Shape &given = literal.shape();
  if (device->memory() == nullptr || !given.is_array() || !given.is_static()) {
    return std::shared_ptr<const DeviceArray>();
  }
  const ir::Shape shape = ir::Shape::array(given.element_type(), given.sizes());
  if (!ir::is_stored_as_literal(shape)) {
    return std::shared_ptr<const DeviceArray>();
  }
  BP_ASSIGN(Block block, Block::allocate_on(*device, main_space, literal.bytes().size()));
  BP_TRY(runtime::copy(*device, block.location(), host_location(literal.bytes().data()), literal.bytes().size()));
  return std::make_shared<const DeviceArray>(device, main_space, std::move(block), shape);
}

Result<std::shared_ptr<const DeviceArray>> DeviceArray::borrow(std::shared_ptr<const host::Device> device,
                                                               ir::Literal literal) {
  const ir::Shape &given = literal.shape();
  const ir::Shape shape = given.is_array() ? ir::Shape::array(given.element_type(), given.sizes()) : given;
  if (!given.is_array() || !given.is_static() || !ir::is_stored_as_literal(shape)) {
    return unsupported(
        "backend {}: a value of shape {} cannot be used where it is, expected an array whose elements "
        "are stored as in literals",
        device->id(), to_string(given));
  }
  BP_ASSIGN(Block block, Block::import_from(*device, main_space, host_handle(literal.bytes(), true)));
  return std::make_shared<const DeviceArray>(std::move(device), main_space, std::move(block), shape,
                                             std::move(literal));
}

Result<ir::Literal> DeviceArray::download() const {
  BP_ASSIGN(ir::Literal literal, ir::Literal::zeros(shape_));
  const std::span<std::byte> bytes = literal.mutable_bytes();
  BP_TRY(runtime::copy(*device_, host_location(bytes.data()), block_.location(), bytes.size()));
  return literal;
}

Result<std::shared_ptr<const DeviceArray>> DeviceArray::copy() const {
  BP_ASSIGN(Block block, Block::allocate_on(*device_, space_, block_.size()));
  BP_TRY(runtime::copy(*device_, block.location(), block_.location(), block_.size()));
  return std::make_shared<const DeviceArray>(device_, space_, std::move(block), shape_);
}

std::byte *DeviceArray::host_address() const {
  const std::span<std::byte> bytes = block_.bytes();
  const bool is_there = bytes.size() == size() && !bytes.empty() &&
                        reinterpret_cast<std::uintptr_t>(bytes.data()) % ir::Literal::alignment == 0;
  return is_there ? bytes.data() : nullptr;
}

Result<ir::Literal> Value::view() const & {
  if (array_ == nullptr || array_->host_address() == nullptr) {
    return literal();
  }
  return ir::Literal::borrowed(array_->shape(), std::shared_ptr<const std::byte[]>(array_, array_->host_address()));
}

Result<std::vector<Value>> elements_of(Value value) {
  std::vector<Value> elements;
  if (!value.shape().is_tuple()) {
    elements.push_back(std::move(value));
    return elements;
  }
  BP_ASSIGN(ir::Literal tuple, std::move(value).literal());
  for (std::size_t i = 0; i < tuple.tuple_elements().size(); ++i) {
    elements.emplace_back(tuple.take_element(i));
  }
  return elements;
}

}  // namespace bp::runtime
