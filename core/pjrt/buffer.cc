#include "core/pjrt/buffer.h"

#include <cstring>

#include "core/ir/storage.h"
#include "core/pjrt/args.h"
#include "core/pjrt/error.h"

namespace bp::pjrt {
namespace {

// Frameworks have tokens as arrays without elements.
ir::Literal token_array() {
  return ir::Literal::zeros(ir::Shape::array(ir::ElementType::Pred, {0})).value();
}

}  // namespace

template <>
Handles<PJRT_Buffer> &handles<PJRT_Buffer>() {
  static auto &all = *new Handles<PJRT_Buffer>("PJRT_Buffer");
  return all;
}

Content::Content(const ir::Shape &shape, std::shared_ptr<Moment> ready, std::shared_ptr<MemoryUse> use)
    : ready_(std::move(ready)), use_(std::move(use)), bytes_(shape.is_array() ? shape.byte_size() : 0) {
  ++use_->buffers;
  const std::int64_t now = use_->bytes += bytes_;
  std::int64_t peak = use_->peak_bytes;
  while (peak < now && !use_->peak_bytes.compare_exchange_weak(peak, now)) {
  }
}

Content::~Content() {
  use_->bytes -= bytes_;
  --use_->buffers;
}

void Content::provide(runtime::Value value) {
  value_ = value.shape().is_token() ? runtime::Value(token_array()) : std::move(value);
}

Result<runtime::Value> Content::value() const {
  if (std::optional<Error> error = ready_->wait()) {
    return *std::move(error);
  }
  return value_;
}

Result<runtime::Value> Content::take(std::shared_ptr<Content> content) {
  BP_TRY(content->value());
  return is_only_owner(content) ? std::move(content->value_) : content->value_;
}

PJRT_Buffer *make_buffer(OwnMemory &memory, const ir::Shape &shape, std::shared_ptr<Moment> ready) {
  auto buffer = std::make_unique<PJRT_Buffer>();
  buffer->client = memory.device->client;
  buffer->device = memory.device;
  buffer->memory = &memory;
  buffer->is_on_host = memory.array_device() == nullptr;
  buffer->shape = shape.is_token() ? token_array().shape() : shape;
  buffer->type = buffer_type(buffer->shape.element_type());
  buffer->sizes.assign(buffer->shape.sizes().begin(), buffer->shape.sizes().end());
  const ir::Dimensions &order = buffer->shape.layout().minor_to_major;
  buffer->minor_to_major.assign(order.begin(), order.end());
  buffer->content = std::make_shared<Content>(buffer->shape, ready, memory.device->use);
  buffer->ready = std::move(ready);
  return handles<PJRT_Buffer>().add(std::move(buffer));
}

Result<PJRT_Buffer *> make_buffer(OwnMemory &memory, const ir::Shape &shape, ir::Literal literal) {
  BP_ASSIGN(runtime::Value value, value_on(memory.array_device(), runtime::Value(std::move(literal))));
  auto ready = std::make_shared<Moment>();
  PJRT_Buffer *buffer = make_buffer(memory, shape, ready);
  buffer->content->provide(std::move(value));
  ready->set({});
  return buffer;
}

Result<std::shared_ptr<Content>> content_of(PJRT_Buffer &buffer) {
  const std::lock_guard lock(buffer.mutex);
  if (buffer.content == nullptr) {
    return invalid_input("the buffer was deleted or donated");
  }
  return buffer.content;
}

Result<runtime::Value> value_on(const std::shared_ptr<const host::Device> &device, runtime::Value value) {
  if ((device != nullptr) == (value.on_device() != nullptr)) {
    return value;
  }
  BP_ASSIGN(ir::Literal literal, std::move(value).literal());
  if (device != nullptr) {
    auto array = runtime::DeviceArray::upload(device, literal);
    if (!array.ok() && array.error().code() != ErrorCode::OutOfMemory) {
      return std::move(array).error();
    }
    if (array.ok() && *array != nullptr) {
      return runtime::Value(std::move(array).value());
    }
  }
  return runtime::Value(std::move(literal));
}

void follow(const std::shared_ptr<Content> &follower, const std::shared_ptr<Content> &content,
            std::shared_ptr<const host::Device> device) {
  content->ready()->when_set([follower, content, device = std::move(device)](std::optional<Error> error) {
    if (!error) {
      auto value = value_on(device, content->value().value());
      if (value.ok()) {
        follower->provide(std::move(value).value());
      } else {
        error = std::move(value).error();
      }
    }
    follower->ready()->set(std::move(error));
  });
}

std::shared_ptr<Content> give_up(PJRT_Buffer &buffer) {
  const std::lock_guard lock(buffer.mutex);
  return std::exchange(buffer.content, nullptr);
}

namespace {

Result<PJRT_Buffer *> find(PJRT_Buffer *buffer) {
  return handles<PJRT_Buffer>().find(buffer);
}

}  // namespace

namespace {

bool is_dense(std::span<const std::int64_t> sizes, const Strides &strides, const Strides &dense) {
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] != 1 && strides[i] != dense[i]) {
      return false;
    }
  }
  return true;
}

// Smaller arrays are copied in less time than it takes to tell the caller later that its memory is free.
constexpr std::int64_t min_borrowed_bytes = 4096;

// Returns the caller's array as a literal: its memory itself if the caller lets us keep it and it has the form of a
// literal, otherwise a copy. Calls `release`, on any thread, when the caller's memory is not read any more.
Result<ir::Literal> host_array(const ir::Shape &shape, const void *data, const Strides &strides, bool may_keep,
                               std::function<void()> release) {
  const std::size_t width = ir::byte_width(shape.element_type());
  const Strides dense = dense_strides(shape.sizes(), static_cast<std::int64_t>(width));
  const auto *bytes = static_cast<const std::byte *>(data);
  const bool is_literal = ir::is_stored_as_literal(shape) && is_dense(shape.sizes(), strides, dense) &&
                          reinterpret_cast<std::uintptr_t>(data) % ir::Literal::alignment == 0;
  if (may_keep && is_literal && shape.byte_size() >= min_borrowed_bytes) {
    return ir::Literal::borrowed(shape, {bytes, [release = std::move(release)](const std::byte *) { release(); }});
  }
  BP_ASSIGN(ir::Literal literal, ir::Literal::zeros(shape));
  copy_strided(shape.sizes(), bytes, strides, literal.mutable_bytes().data(), dense, width);
  ir::extend(literal);
  release();
  return literal;
}

}  // namespace

Status Client_BufferFromHostBuffer(PJRT_Client_BufferFromHostBuffer_Args &args) {
  BP_ASSIGN(PJRT_Client * client, handles<PJRT_Client>().find(args.client));
  BP_ASSIGN(OwnMemory * memory, memory_of(*client, args.device, args.memory));
  BP_ASSIGN(const ir::Shape shape, shape_of(args.type, args.dims, args.num_dims, args.device_layout));
  if (args.num_byte_strides != 0 && args.num_byte_strides != args.num_dims) {
    return invalid_input("{} strides for {} dimensions", args.num_byte_strides, args.num_dims);
  }
  const auto width = static_cast<std::int64_t>(ir::byte_width(shape.element_type()));
  const Strides strides = args.num_byte_strides == 0
                              ? dense_strides(shape.sizes(), width)
                              : Strides(args.byte_strides, args.byte_strides + args.num_byte_strides);
  const bool may_keep = args.host_buffer_semantics == PJRT_HostBufferSemantics_ImmutableZeroCopy ||
                        args.host_buffer_semantics == PJRT_HostBufferSemantics_MutableZeroCopy;
  auto done = std::make_shared<Moment>();
  BP_ASSIGN(ir::Literal literal, host_array(shape, args.data, strides, may_keep, [done] { done->set({}); }));
  BP_ASSIGN(args.buffer, make_buffer(*memory, shape, std::move(literal)));
  args.done_with_host_buffer = make_event(std::move(done));
  return {};
}

Status Client_CreateViewOfDeviceBuffer(PJRT_Client_CreateViewOfDeviceBuffer_Args &args) {
  using Args = PJRT_Client_CreateViewOfDeviceBuffer_Args;
  BP_ASSIGN(PJRT_Client * client, handles<PJRT_Client>().find(args.client));
  BP_ASSIGN(OwnMemory * memory, memory_of(*client, args.device, get(args, &Args::memory)));
  const bool has_order = args.layout != nullptr && args.layout->type == PJRT_Buffer_MemoryLayout_Type_Tiled;
  BP_ASSIGN(const ir::Shape shape,
            shape_of(args.element_type, args.dims, args.num_dims, has_order ? args.layout : nullptr));
  const auto width = static_cast<std::int64_t>(ir::byte_width(shape.element_type()));
  BP_ASSIGN(const Strides strides, wanted_strides(shape.sizes(), args.layout, width));
  const auto release = [callback = args.on_delete_callback, data = args.device_buffer_ptr,
                        argument = args.on_delete_callback_arg] {
    if (callback != nullptr) {
      callback(data, argument);
    }
  };
  BP_ASSIGN(ir::Literal literal, host_array(shape, args.device_buffer_ptr, strides, true, release));
  BP_ASSIGN(args.buffer, make_buffer(*memory, shape, std::move(literal)));
  return {};
}

Status Client_CreateUninitializedBuffer(PJRT_Client_CreateUninitializedBuffer_Args &args) {
  BP_ASSIGN(PJRT_Client * client, handles<PJRT_Client>().find(args.client));
  BP_ASSIGN(OwnMemory * memory, memory_of(*client, args.device, args.memory));
  BP_ASSIGN(const ir::Shape shape,
            shape_of(args.shape_element_type, args.shape_dims, args.shape_num_dims, args.shape_layout));
  BP_ASSIGN(ir::Literal literal, ir::Literal::zeros(shape));
  BP_ASSIGN(args.buffer, make_buffer(*memory, shape, std::move(literal)));
  return {};
}

Status Buffer_Destroy(PJRT_Buffer_Destroy_Args &args) {
  return args.buffer == nullptr ? Status() : handles<PJRT_Buffer>().destroy(args.buffer);
}

Status Buffer_ElementType(PJRT_Buffer_ElementType_Args &args) {
  BP_ASSIGN(const PJRT_Buffer *buffer, find(args.buffer));
  args.type = buffer->type;
  return {};
}

Status Buffer_Dimensions(PJRT_Buffer_Dimensions_Args &args) {
  BP_ASSIGN(const PJRT_Buffer *buffer, find(args.buffer));
  set(args, &PJRT_Buffer_Dimensions_Args::dims, buffer->sizes.data());
  set(args, &PJRT_Buffer_Dimensions_Args::num_dims, buffer->sizes.size());
  return {};
}

Status Buffer_UnpaddedDimensions(PJRT_Buffer_UnpaddedDimensions_Args &args) {
  BP_ASSIGN(const PJRT_Buffer *buffer, find(args.buffer));
  set(args, &PJRT_Buffer_UnpaddedDimensions_Args::unpadded_dims, buffer->sizes.data());
  set(args, &PJRT_Buffer_UnpaddedDimensions_Args::num_dims, buffer->sizes.size());
  return {};
}

Status Buffer_DynamicDimensionIndices(PJRT_Buffer_DynamicDimensionIndices_Args &args) {
  BP_TRY(find(args.buffer));
  set(args, &PJRT_Buffer_DynamicDimensionIndices_Args::dynamic_dim_indices, nullptr);
  set(args, &PJRT_Buffer_DynamicDimensionIndices_Args::num_dynamic_dims, 0);
  return {};
}

Status Buffer_GetMemoryLayout(PJRT_Buffer_GetMemoryLayout_Args &args) {
  BP_ASSIGN(const PJRT_Buffer *buffer, find(args.buffer));
  args.layout = {};
  args.layout.struct_size = sizeof args.layout;
  args.layout.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
  args.layout.tiled.struct_size = sizeof args.layout.tiled;
  args.layout.tiled.minor_to_major = buffer->minor_to_major.data();
  args.layout.tiled.minor_to_major_size = buffer->minor_to_major.size();
  return {};
}

Status Buffer_OnDeviceSizeInBytes(PJRT_Buffer_OnDeviceSizeInBytes_Args &args) {
  BP_ASSIGN(const PJRT_Buffer *buffer, find(args.buffer));
  args.on_device_size_in_bytes = static_cast<std::size_t>(buffer->shape.byte_size());
  return {};
}

Status Buffer_Device(PJRT_Buffer_Device_Args &args) {
  BP_ASSIGN(const PJRT_Buffer *buffer, find(args.buffer));
  args.device = buffer->device;
  return {};
}

Status Buffer_Memory(PJRT_Buffer_Memory_Args &args) {
  BP_ASSIGN(const PJRT_Buffer *buffer, find(args.buffer));
  args.memory = buffer->memory;
  return {};
}

Status Buffer_Delete(PJRT_Buffer_Delete_Args &args) {
  BP_ASSIGN(PJRT_Buffer * buffer, find(args.buffer));
  give_up(*buffer);
  return {};
}

Status Buffer_IsDeleted(PJRT_Buffer_IsDeleted_Args &args) {
  BP_ASSIGN(PJRT_Buffer * buffer, find(args.buffer));
  const std::lock_guard lock(buffer->mutex);
  args.is_deleted = buffer->content == nullptr;
  return {};
}

namespace {

// Calls a function with the value in the host's memory when it is ready, then sets the moment.
void when_ready(const std::shared_ptr<Content> &content, std::shared_ptr<Moment> done,
                std::function<void(const ir::Literal &)> function) {
  content->ready()->when_set(
      [content, done = std::move(done), function = std::move(function)](std::optional<Error> error) {
        if (!error) {
          auto literal = content->value().value().literal();
          if (literal.ok()) {
            function(*literal);
          } else {
            error = std::move(literal).error();
          }
        }
        done->set(std::move(error));
      });
}

Status check_range(const PJRT_Buffer &buffer, std::int64_t offset, std::int64_t count) {
  const std::int64_t size = buffer.shape.byte_size();
  return offset < 0 || count < 0 || offset > size || count > size - offset
             ? invalid_input("{} bytes at {} of {}", count, offset, size)
             : Status();
}

// Copies bytes of the array in the layout of its buffer.
void copy_raw(const std::shared_ptr<Content> &content, const ir::Shape &shape, std::shared_ptr<Moment> done, void *to,
              std::int64_t offset, std::int64_t count) {
  when_ready(content, std::move(done), [shape, to, offset, count](const ir::Literal &value) {
    std::vector<std::byte> stored;
    if (!is_row_major(shape)) {
      stored.resize(static_cast<std::size_t>(shape.byte_size()));
      ir::store(value, shape, stored);
    }
    if (count != 0) {
      std::memcpy(to, (stored.empty() ? value.bytes().data() : stored.data()) + offset,
                  static_cast<std::size_t>(count));
    }
  });
}

Result<PJRT_Buffer *> copy_to(PJRT_Buffer &buffer, OwnMemory &memory) {
  BP_ASSIGN(const auto content, content_of(buffer));
  PJRT_Buffer *copy = make_buffer(memory, buffer.shape, std::make_shared<Moment>());
  follow(copy->content, content, memory.array_device());
  return copy;
}

}  // namespace

Status Buffer_CopyToDevice(PJRT_Buffer_CopyToDevice_Args &args) {
  BP_ASSIGN(PJRT_Buffer * buffer, find(args.buffer));
  BP_ASSIGN(const PJRT_Device *device, find_device(args.dst_device));
  BP_ASSIGN(OwnMemory * memory, find_memory(device->memories.front()));
  BP_ASSIGN(args.dst_buffer, copy_to(*buffer, *memory));
  return {};
}

Status Buffer_CopyToMemory(PJRT_Buffer_CopyToMemory_Args &args) {
  BP_ASSIGN(PJRT_Buffer * buffer, find(args.buffer));
  BP_ASSIGN(OwnMemory * memory, find_memory(args.dst_memory));
  BP_ASSIGN(args.dst_buffer, copy_to(*buffer, *memory));
  return {};
}

// With dst == nullptr, tells the size that the buffer takes in the host's memory.
Status Buffer_ToHostBuffer(PJRT_Buffer_ToHostBuffer_Args &args) {
  BP_ASSIGN(PJRT_Buffer * buffer, find(args.src));
  const auto width = static_cast<std::int64_t>(buffer->shape.is_array() ? ir::byte_width(buffer->shape.element_type())
                                                                        : std::size_t{0});
  const auto size = static_cast<std::size_t>(buffer->shape.is_array() ? buffer->shape.element_count() * width : 0);
  if (args.dst == nullptr) {
    args.dst_size = size;
    return {};
  }
  BP_ASSIGN(Strides strides, wanted_strides(buffer->sizes, args.host_layout, width));
  if (args.dst_size < size) {
    return invalid_input("a destination of {} bytes, expected {}", args.dst_size, size);
  }
  BP_ASSIGN(const auto content, content_of(*buffer));
  auto done = std::make_shared<Moment>();
  when_ready(content, done,
             [to = static_cast<std::byte *>(args.dst), strides = std::move(strides), sizes = buffer->sizes,
              width](const ir::Literal &value) {
               copy_strided(sizes, value.bytes().data(), dense_strides(sizes, width), to, strides,
                            static_cast<std::size_t>(width));
             });
  args.event = make_event(std::move(done));
  return {};
}

Status Buffer_CopyRawToHost(PJRT_Buffer_CopyRawToHost_Args &args) {
  BP_ASSIGN(PJRT_Buffer * buffer, find(args.buffer));
  BP_TRY(check_range(*buffer, args.offset, args.transfer_size));
  BP_ASSIGN(const auto content, content_of(*buffer));
  auto done = std::make_shared<Moment>();
  copy_raw(content, buffer->shape, done, args.dst, args.offset, args.transfer_size);
  args.event = make_event(std::move(done));
  return {};
}

// Like CopyRawToHost, but the caller says where to only when the buffer is ready.
Status Buffer_CopyRawToHostFuture(PJRT_Buffer_CopyRawToHostFuture_Args &args) {
  BP_ASSIGN(PJRT_Buffer * buffer, find(args.buffer));
  BP_TRY(check_range(*buffer, args.offset, args.transfer_size));
  BP_ASSIGN(const auto content, content_of(*buffer));
  struct Waiting {
    std::shared_ptr<Content> content;
    ir::Shape shape;
    std::shared_ptr<Moment> done = std::make_shared<Moment>();
    std::int64_t offset, size;
  };
  auto waiting = std::make_unique<Waiting>(content, buffer->shape);
  waiting->offset = args.offset;
  waiting->size = args.transfer_size;
  args.event = make_event(waiting->done);
  args.callback_data = waiting.release();
  args.future_ready_callback = [](PJRT_Buffer_CopyRawToHostFuture_Callback_Args *told) {
    const std::unique_ptr<Waiting> taken(static_cast<Waiting *>(told->callback_data));
    if (told->error_code != PJRT_Error_Code_OK) {
      taken->done->set(error_of(told->error_code, std::string(told->error_message, told->error_message_size)));
      return;
    }
    copy_raw(taken->content, taken->shape, taken->done, told->dst, taken->offset, taken->size);
  };
  return {};
}

Status Buffer_IsOnCpu(PJRT_Buffer_IsOnCpu_Args &args) {
  BP_ASSIGN(const PJRT_Buffer *buffer, find(args.buffer));
  args.is_on_cpu = buffer->is_on_host && is_row_major(buffer->shape);  // otherwise callers take its address
  return {};
}

Status Buffer_ReadyEvent(PJRT_Buffer_ReadyEvent_Args &args) {
  BP_ASSIGN(const PJRT_Buffer *buffer, find(args.buffer));
  args.event = make_event(buffer->ready);
  return {};
}

namespace {

// Returns the address in the memory that the array is in, as its device counts.
Result<std::uintptr_t> address_of(PJRT_Buffer &buffer) {
  if (!is_row_major(buffer.shape)) {
    return unsupported("the address of an array whose layout is {}, expected the default one: copy it to that first",
                       ir::to_string(buffer.shape));
  }
  BP_ASSIGN(const auto content, content_of(buffer));
  BP_ASSIGN(const runtime::Value value, content->value());
  if (value.on_device() != nullptr) {
    const bp_loc_t place = value.on_device()->location();
    return static_cast<std::uintptr_t>(place.memory + place.offset);
  }
  BP_ASSIGN(const ir::Literal literal, value.literal());
  return reinterpret_cast<std::uintptr_t>(literal.bytes().data());
}

}  // namespace

Status Buffer_UnsafePointer(PJRT_Buffer_UnsafePointer_Args &args) {
  BP_ASSIGN(PJRT_Buffer * buffer, find(args.buffer));
  BP_ASSIGN(args.buffer_pointer, address_of(*buffer));
  return {};
}

// The value remains until the reference is given back, also if the buffer is deleted meanwhile.
Status Buffer_IncreaseExternalReferenceCount(PJRT_Buffer_IncreaseExternalReferenceCount_Args &args) {
  BP_ASSIGN(PJRT_Buffer * buffer, find(args.buffer));
  BP_ASSIGN(auto content, content_of(*buffer));
  const std::lock_guard lock(buffer->mutex);
  buffer->held.push_back(std::move(content));
  return {};
}

Status Buffer_DecreaseExternalReferenceCount(PJRT_Buffer_DecreaseExternalReferenceCount_Args &args) {
  BP_ASSIGN(PJRT_Buffer * buffer, find(args.buffer));
  const std::lock_guard lock(buffer->mutex);
  if (buffer->held.empty()) {
    return invalid_input("an external reference is given back, but none is held");
  }
  buffer->held.pop_back();
  return {};
}

Status Buffer_OpaqueDeviceMemoryDataPointer(PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args &args) {
  BP_ASSIGN(PJRT_Buffer * buffer, find(args.buffer));
  BP_ASSIGN(const std::uintptr_t address, address_of(*buffer));
  args.device_memory_ptr = reinterpret_cast<void *>(address);
  return {};
}

}  // namespace bp::pjrt
