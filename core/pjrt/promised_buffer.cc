#include "core/pjrt/promised_buffer.h"

#include <algorithm>
#include <cstring>

#include "core/pjrt/args.h"
#include "core/pjrt/error.h"

using Manager = PJRT_AsyncHostToDeviceTransferManager;
using AliasPromise = PJRT_FulfillAliasBufferCallback;

Manager::~PJRT_AsyncHostToDeviceTransferManager() {
  for (Transfer &transfer : transfers) {
    if (!transfer.is_ready) {
      transfer.content->ready()->set(
          bp::invalid_input("the transfer of a buffer was given up before its last bytes had arrived"));
    }
    if (transfer.buffer != nullptr) {
      static_cast<void>(bp::pjrt::handles<PJRT_Buffer>().destroy(transfer.buffer));
    }
  }
}

namespace bp::pjrt {

template <>
Handles<Manager> &handles<Manager>() {
  static auto &all = *new Handles<Manager>("PJRT_AsyncHostToDeviceTransferManager");
  return all;
}

template <>
Handles<AliasPromise> &handles<AliasPromise>() {
  static auto &all = *new Handles<AliasPromise>("PJRT_FulfillAliasBufferCallback");
  return all;
}

namespace {

// Makes a buffer that will hold an array of this shape; it is ready when the moment of its content is set.
Result<PJRT_Buffer *> promise(OwnMemory &memory, PJRT_Buffer_Type type, const std::int64_t *dims, std::size_t rank,
                              const PJRT_Buffer_MemoryLayout *layout) {
  BP_ASSIGN(const ir::Shape shape, shape_of(type, dims, rank, layout));
  if (!is_row_major(shape)) {
    return unsupported("a promised buffer in another layout than the row-major one");
  }
  return make_buffer(memory, shape, std::make_shared<Moment>());
}

Result<Manager::Transfer *> find_transfer(Manager &manager, int index) {
  if (index < 0 || static_cast<std::size_t>(index) >= manager.transfers.size()) {
    return invalid_input("buffer {} of a transfer of {}", index, manager.transfers.size());
  }
  return &manager.transfers[static_cast<std::size_t>(index)];
}

Result<Manager::Transfer *> find_unfinished(Manager &manager, int index) {
  BP_ASSIGN(Manager::Transfer * transfer, find_transfer(manager, index));
  if (transfer->is_ready) {
    return invalid_input("buffer {} of a transfer is complete already", index);
  }
  return transfer;
}

// Ends a transfer. Releases the lock first: those who wait are told, and may use the manager.
void complete(Manager &manager, Manager::Transfer &transfer, std::unique_lock<std::mutex> &lock) {
  ir::extend(transfer.value);
  const std::shared_ptr<Content> content = transfer.content;
  auto value = value_on(manager.array_device, runtime::Value(std::move(transfer.value)));
  transfer.is_ready = true;
  lock.unlock();
  if (value.ok()) {
    content->provide(std::move(value).value());
    content->ready()->set({});
  } else {
    content->ready()->set(std::move(value).error());
  }
}

std::string text(const char *message, std::size_t size) {
  return message == nullptr ? std::string() : std::string(message, size);
}

}  // namespace

Status Client_CreateBuffersForAsyncHostToDevice(PJRT_Client_CreateBuffersForAsyncHostToDevice_Args &args) {
  BP_ASSIGN(PJRT_Client * client, handles<PJRT_Client>().find(args.client));
  BP_ASSIGN(OwnMemory * memory, memory_of(*client, nullptr, args.memory));
  auto manager = std::make_unique<Manager>();
  manager->device = memory->device;
  manager->array_device = memory->array_device();
  for (std::size_t i = 0; i < args.num_shape_specs; ++i) {
    const PJRT_ShapeSpec &spec = args.shape_specs[i];
    const PJRT_Buffer_MemoryLayout *layout = i < args.num_device_layouts ? args.device_layouts[i] : nullptr;
    Manager::Transfer transfer;
    BP_ASSIGN(transfer.buffer, promise(*memory, spec.element_type, spec.dims, spec.num_dims, layout));
    transfer.content = transfer.buffer->content;
    manager->transfers.push_back(std::move(transfer));
    BP_ASSIGN(manager->transfers.back().value, ir::Literal::zeros(manager->transfers.back().buffer->shape));
  }
  args.transfer_manager = handles<Manager>().add(std::move(manager));
  return {};
}

Status AsyncHostToDeviceTransferManager_Destroy(PJRT_AsyncHostToDeviceTransferManager_Destroy_Args &args) {
  return args.transfer_manager == nullptr ? Status() : handles<Manager>().destroy(args.transfer_manager);
}

Status AsyncHostToDeviceTransferManager_TransferData(PJRT_AsyncHostToDeviceTransferManager_TransferData_Args &args) {
  BP_ASSIGN(Manager * manager, handles<Manager>().find(args.transfer_manager));
  std::unique_lock lock(manager->mutex);
  BP_ASSIGN(Manager::Transfer * transfer, find_unfinished(*manager, args.buffer_index));
  const std::int64_t size = std::ssize(transfer->value.bytes());
  if (args.offset < 0 || args.transfer_size < 0 || args.offset > size || args.transfer_size > size - args.offset) {
    return invalid_input("{} bytes at {} of {}", args.transfer_size, args.offset, size);
  }
  if (args.transfer_size != 0) {
    std::memcpy(transfer->value.mutable_bytes().data() + args.offset, args.data,
                static_cast<std::size_t>(args.transfer_size));
  }
  if (args.is_last_transfer) {
    complete(*manager, *transfer, lock);
  }
  args.done_with_h2d_transfer = make_event();
  return {};
}

Status AsyncHostToDeviceTransferManager_TransferLiteral(
    PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args &args) {
  BP_ASSIGN(Manager * manager, handles<Manager>().find(args.transfer_manager));
  std::unique_lock lock(manager->mutex);
  BP_ASSIGN(Manager::Transfer * transfer, find_unfinished(*manager, args.buffer_index));
  BP_ASSIGN(const ir::Shape shape, shape_of(args.shape_element_type, args.shape_dims, args.shape_num_dims));
  if (shape != transfer->value.shape()) {
    return invalid_input("a literal of shape {}, expected {}", ir::to_string(shape),
                         ir::to_string(transfer->value.shape()));
  }
  const std::size_t width = ir::byte_width(shape.element_type());
  const auto bytes = static_cast<std::int64_t>(width);
  BP_ASSIGN(const Strides strides, wanted_strides(shape.sizes(), args.shape_layout, bytes));
  copy_strided(shape.sizes(), static_cast<const std::byte *>(args.data), strides,
               transfer->value.mutable_bytes().data(), dense_strides(shape.sizes(), bytes), width);
  complete(*manager, *transfer, lock);
  args.done_with_h2d_transfer = make_event();
  return {};
}

// Each buffer can be retrieved once: it is the caller's then.
Status AsyncHostToDeviceTransferManager_RetrieveBuffer(
    PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args &args) {
  BP_ASSIGN(Manager * manager, handles<Manager>().find(args.transfer_manager));
  const std::lock_guard lock(manager->mutex);
  BP_ASSIGN(Manager::Transfer * transfer, find_transfer(*manager, args.buffer_index));
  if (transfer->buffer == nullptr) {
    return invalid_input("buffer {} of a transfer was retrieved already", args.buffer_index);
  }
  args.buffer_out = std::exchange(transfer->buffer, nullptr);
  return {};
}

Status AsyncHostToDeviceTransferManager_Device(PJRT_AsyncHostToDeviceTransferManager_Device_Args &args) {
  BP_ASSIGN(const Manager *manager, handles<Manager>().find(args.transfer_manager));
  args.device_out = manager->device;
  return {};
}

Status AsyncHostToDeviceTransferManager_BufferCount(PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args &args) {
  BP_ASSIGN(const Manager *manager, handles<Manager>().find(args.transfer_manager));
  args.buffer_count = manager->transfers.size();
  return {};
}

Status AsyncHostToDeviceTransferManager_BufferSize(PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args &args) {
  BP_ASSIGN(Manager * manager, handles<Manager>().find(args.transfer_manager));
  const std::lock_guard lock(manager->mutex);
  BP_ASSIGN(const Manager::Transfer *transfer, find_transfer(*manager, args.buffer_index));
  args.buffer_size = static_cast<std::size_t>(transfer->content->bytes());
  return {};
}

Status AsyncHostToDeviceTransferManager_SetBufferError(
    PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args &args) {
  BP_ASSIGN(Manager * manager, handles<Manager>().find(args.transfer_manager));
  std::unique_lock lock(manager->mutex);
  BP_ASSIGN(Manager::Transfer * transfer, find_unfinished(*manager, args.buffer_index));
  transfer->is_ready = true;
  const std::shared_ptr<Moment> ready = transfer->content->ready();
  lock.unlock();
  ready->set(error_of(args.error_code, text(args.error_message, args.error_message_size)));
  return {};
}

// Metadata have no effect.
Status AsyncHostToDeviceTransferManager_AddMetadata(PJRT_AsyncHostToDeviceTransferManager_AddMetadata_Args &args) {
  BP_TRY(handles<Manager>().find(args.transfer_manager));
  return {};
}

// A buffer that has failed: whatever reads it fails with this error.
Status Client_CreateErrorBuffer(PJRT_Client_CreateErrorBuffer_Args &args) {
  BP_ASSIGN(PJRT_Client * client, handles<PJRT_Client>().find(args.client));
  BP_ASSIGN(OwnMemory * memory, memory_of(*client, nullptr, args.memory));
  BP_ASSIGN(args.buffer,
            promise(*memory, args.shape_element_type, args.shape_dims, args.shape_num_dims, args.shape_layout));
  args.buffer->ready->set(error_of(args.error_code, text(args.error_message, args.error_message_size)));
  return {};
}

Status Client_CreateAliasBuffer(PJRT_Client_CreateAliasBuffer_Args &args) {
  BP_ASSIGN(PJRT_Client * client, handles<PJRT_Client>().find(args.client));
  BP_ASSIGN(OwnMemory * memory, memory_of(*client, nullptr, args.memory));
  BP_ASSIGN(args.alias_buffer,
            promise(*memory, args.shape_element_type, args.shape_dims, args.shape_num_dims, args.shape_layout));
  args.fulfill_alias_buffer_cb =
      handles<AliasPromise>().add(std::make_unique<AliasPromise>(args.alias_buffer->content, memory->array_device()));
  return {};
}

// Consumes the promise: the alias becomes what the buffer is, or fails.
Status Client_FulfillAliasBuffer(PJRT_Client_FulfillAliasBuffer_Args &args) {
  BP_ASSIGN(const AliasPromise *promise, handles<AliasPromise>().find(args.fulfill_alias_buffer_cb));
  const auto [alias, array_device] = *promise;
  BP_TRY(handles<AliasPromise>().destroy(args.fulfill_alias_buffer_cb));
  if (args.status_code != PJRT_Error_Code_OK) {
    alias->ready()->set(error_of(args.status_code, text(args.error_message, args.error_message_size)));
    return {};
  }
  BP_ASSIGN(PJRT_Buffer * buffer, handles<PJRT_Buffer>().find(args.buffer));
  BP_ASSIGN(const auto content, content_of(*buffer));
  follow(alias, content, array_device);
  return {};
}

}  // namespace bp::pjrt
