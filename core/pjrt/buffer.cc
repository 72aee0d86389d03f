#include "core/pjrt/buffer.h"

#include <cstring>

#include "core/pjrt/args.h"

namespace bp::pjrt {
namespace {

using ir::ElementType;

constexpr std::pair<PJRT_Buffer_Type, ElementType> types[] = {
    {PJRT_Buffer_Type_PRED, ElementType::Pred},
    {PJRT_Buffer_Type_S1, ElementType::S1},
    {PJRT_Buffer_Type_S2, ElementType::S2},
    {PJRT_Buffer_Type_S4, ElementType::S4},
    {PJRT_Buffer_Type_S8, ElementType::S8},
    {PJRT_Buffer_Type_S16, ElementType::S16},
    {PJRT_Buffer_Type_S32, ElementType::S32},
    {PJRT_Buffer_Type_S64, ElementType::S64},
    {PJRT_Buffer_Type_U1, ElementType::U1},
    {PJRT_Buffer_Type_U2, ElementType::U2},
    {PJRT_Buffer_Type_U4, ElementType::U4},
    {PJRT_Buffer_Type_U8, ElementType::U8},
    {PJRT_Buffer_Type_U16, ElementType::U16},
    {PJRT_Buffer_Type_U32, ElementType::U32},
    {PJRT_Buffer_Type_U64, ElementType::U64},
    {PJRT_Buffer_Type_F4E2M1FN, ElementType::F4E2M1FN},
    {PJRT_Buffer_Type_F6E2M3FN, ElementType::F6E2M3FN},
    {PJRT_Buffer_Type_F6E3M2FN, ElementType::F6E3M2FN},
    {PJRT_Buffer_Type_F8E3M4, ElementType::F8E3M4},
    {PJRT_Buffer_Type_F8E4M3, ElementType::F8E4M3},
    {PJRT_Buffer_Type_F8E4M3FN, ElementType::F8E4M3FN},
    {PJRT_Buffer_Type_F8E4M3B11FNUZ, ElementType::F8E4M3B11FNUZ},
    {PJRT_Buffer_Type_F8E4M3FNUZ, ElementType::F8E4M3FNUZ},
    {PJRT_Buffer_Type_F8E5M2, ElementType::F8E5M2},
    {PJRT_Buffer_Type_F8E5M2FNUZ, ElementType::F8E5M2FNUZ},
    {PJRT_Buffer_Type_F8E8M0FNU, ElementType::F8E8M0FNU},
    {PJRT_Buffer_Type_BF16, ElementType::BF16},
    {PJRT_Buffer_Type_F16, ElementType::F16},
    {PJRT_Buffer_Type_F32, ElementType::F32},
    {PJRT_Buffer_Type_F64, ElementType::F64},
    {PJRT_Buffer_Type_C64, ElementType::C64},
    {PJRT_Buffer_Type_C128, ElementType::C128},
    {PJRT_Buffer_Type_TOKEN, ElementType::Token},
};

using Strides = std::vector<std::int64_t>;  // bytes, by dimension

// The strides of an array whose dimensions lie in the order `minor_to_major`.
Strides strides_in_order(std::span<const std::int64_t> sizes, std::span<const std::int64_t> minor_to_major,
                         std::int64_t width) {
  Strides strides(sizes.size());
  std::int64_t stride = width;
  for (const std::int64_t dimension : minor_to_major) {
    strides[static_cast<std::size_t>(dimension)] = stride;
    stride *= std::max<std::int64_t>(sizes[static_cast<std::size_t>(dimension)], 1);
  }
  return strides;
}

Strides dense_strides(std::span<const std::int64_t> sizes, std::int64_t width) {
  std::vector<std::int64_t> order(sizes.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    order[i] = static_cast<std::int64_t>(order.size() - 1 - i);
  }
  return strides_in_order(sizes, order, width);
}

// Copies an array between memories with different strides. `width`: bytes of an element.
void copy_strided(std::span<const std::int64_t> sizes, const std::byte *from, const Strides &from_strides,
                  std::byte *to, const Strides &to_strides, std::size_t width) {
  const auto copy = [&](auto &self, std::size_t dimension, const std::byte *source, std::byte *target) -> void {
    if (dimension == sizes.size()) {
      std::memcpy(target, source, width);
      return;
    }
    const bool is_row = dimension + 1 == sizes.size() && from_strides[dimension] == static_cast<std::int64_t>(width) &&
                        to_strides[dimension] == static_cast<std::int64_t>(width);
    if (is_row) {
      std::memcpy(target, source, static_cast<std::size_t>(sizes[dimension]) * width);
      return;
    }
    for (std::int64_t i = 0; i < sizes[dimension]; ++i) {
      self(self, dimension + 1, source + i * from_strides[dimension], target + i * to_strides[dimension]);
    }
  };
  if (std::ranges::find(sizes, 0) == sizes.end()) {
    copy(copy, 0, from, to);
  }
}

Result<ir::Shape> shape_of(PJRT_Buffer_Type type, const std::int64_t *dims, std::size_t rank) {
  const ElementType element = element_type(type);
  if (element == ElementType::Invalid || element == ElementType::Token) {
    return unsupported("buffers of type {}", static_cast<int>(type));
  }
  if (rank > ir::max_rank) {
    return invalid_input("a buffer of {} dimensions, expected at most {}", rank, ir::max_rank);
  }
  const std::span<const std::int64_t> sizes(dims, rank);
  if (const auto bad = std::ranges::find_if(sizes, [](std::int64_t size) { return size < 0; }); bad != sizes.end()) {
    return invalid_input("a buffer with a dimension of size {}", *bad);
  }
  return ir::Shape::array(element, sizes);
}

// Fails unless the layout that a caller asks for is the only one that buffers have: dense and row-major.
Status check_layout(const PJRT_Buffer_MemoryLayout *layout, std::size_t rank) {
  if (layout == nullptr) {
    return {};
  }
  bool is_row_major = layout->type == PJRT_Buffer_MemoryLayout_Type_Tiled && layout->tiled.num_tiles == 0 &&
                      layout->tiled.minor_to_major_size == rank;
  for (std::size_t i = 0; i < rank && is_row_major; ++i) {
    is_row_major = layout->tiled.minor_to_major[i] == static_cast<std::int64_t>(rank - 1 - i);
  }
  return is_row_major ? Status() : unsupported("a buffer in another layout than the row-major one");
}

// The strides that a caller asks for; dense row-major ones if it does not ask.
Result<Strides> wanted_strides(const PJRT_Buffer &buffer, const PJRT_Buffer_MemoryLayout *layout, std::int64_t width) {
  if (layout == nullptr) {
    return dense_strides(buffer.sizes, width);
  }
  const std::size_t rank = buffer.sizes.size();
  if (layout->type == PJRT_Buffer_MemoryLayout_Type_Strides) {
    const PJRT_Buffer_MemoryLayout_Strides &strides = layout->strides;
    if (strides.num_byte_strides != rank) {
      return invalid_input("{} strides for {} dimensions", strides.num_byte_strides, rank);
    }
    return Strides(strides.byte_strides, strides.byte_strides + rank);
  }
  const PJRT_Buffer_MemoryLayout_Tiled &tiled = layout->tiled;
  if (tiled.num_tiles != 0) {
    return unsupported("a host buffer in tiles");
  }
  const std::span<const std::int64_t> order(tiled.minor_to_major, tiled.minor_to_major_size);
  std::vector<bool> is_named(rank);
  for (const std::int64_t dimension : order) {
    if (dimension < 0 || static_cast<std::size_t>(dimension) >= rank || is_named[static_cast<std::size_t>(dimension)]) {
      return invalid_input("a layout that names dimension {} of {}", dimension, rank);
    }
    is_named[static_cast<std::size_t>(dimension)] = true;
  }
  if (order.size() != rank) {
    return invalid_input("a layout of {} dimensions for {}", order.size(), rank);
  }
  return strides_in_order(buffer.sizes, order, width);
}

// Frameworks have tokens as arrays without elements.
ir::Literal token_array() {
  return ir::Literal::zeros(ir::Shape::array(ElementType::Pred, {0})).value();
}

}  // namespace

void extend(ir::Literal &literal) {
  ir::visit_element_type(literal.shape().element_type(), [&]<class T>() {
    if constexpr (requires { T::is_signed; }) {
      for (T &element : literal.mutable_elements<T>()) {
        element = T(static_cast<std::int64_t>(element.value));
      }
    }
  });
}

template <>
Handles<PJRT_Buffer> &handles<PJRT_Buffer>() {
  static auto &all = *new Handles<PJRT_Buffer>("PJRT_Buffer");
  return all;
}

PJRT_Buffer_Type buffer_type(ElementType type) {
  const auto *found = std::ranges::find(types, type, &std::pair<PJRT_Buffer_Type, ElementType>::second);
  return found == std::end(types) ? PJRT_Buffer_Type_INVALID : found->first;
}

ElementType element_type(PJRT_Buffer_Type type) {
  const auto *found = std::ranges::find(types, type, &std::pair<PJRT_Buffer_Type, ElementType>::first);
  return found == std::end(types) ? ElementType::Invalid : found->second;
}

Footprint::Footprint(std::shared_ptr<MemoryUse> use, std::int64_t bytes) : use_(std::move(use)), bytes_(bytes) {
  ++use_->buffers;
  const std::int64_t now = use_->bytes += bytes;
  std::int64_t peak = use_->peak_bytes;
  while (peak < now && !use_->peak_bytes.compare_exchange_weak(peak, now)) {
  }
}

Footprint &Footprint::operator=(Footprint &&other) noexcept {
  std::swap(use_, other.use_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

void Footprint::release() {
  if (use_ != nullptr) {
    use_->bytes -= bytes_;
    --use_->buffers;
    use_ = nullptr;
  }
}

PJRT_Buffer *make_buffer(OwnMemory &memory, const ir::Literal &value) {
  auto buffer = std::make_unique<PJRT_Buffer>();
  buffer->client = memory.device->client;
  buffer->device = memory.device;
  buffer->memory = &memory;
  buffer->value = std::make_shared<const ir::Literal>(value.shape().is_token() ? token_array() : value);
  buffer->shape = buffer->value->shape();
  buffer->type = buffer_type(buffer->shape.element_type());
  buffer->sizes.assign(buffer->shape.sizes().begin(), buffer->shape.sizes().end());
  const ir::Layout row_major = ir::Layout::descending(buffer->sizes.size());
  buffer->minor_to_major.assign(row_major.minor_to_major.begin(), row_major.minor_to_major.end());
  buffer->footprint = Footprint(memory.device->use, std::ssize(buffer->value->bytes()));
  buffer->ready = std::make_shared<Moment>();
  buffer->ready->set({});
  return handles<PJRT_Buffer>().add(std::move(buffer));
}

Result<std::shared_ptr<const ir::Literal>> value_of(PJRT_Buffer &buffer) {
  if (std::optional<Error> error = buffer.ready->wait()) {
    return *std::move(error);
  }
  const std::lock_guard lock(buffer.mutex);
  if (buffer.value == nullptr) {
    return invalid_input("the buffer was deleted or donated");
  }
  return buffer.value;
}

namespace {

Result<PJRT_Buffer *> find(PJRT_Buffer *buffer) {
  return handles<PJRT_Buffer>().find(buffer);
}

}  // namespace

Status Client_BufferFromHostBuffer(PJRT_Client_BufferFromHostBuffer_Args &args) {
  BP_ASSIGN(PJRT_Client * client, handles<PJRT_Client>().find(args.client));
  BP_ASSIGN(OwnMemory * memory, memory_of(*client, args.device, args.memory));
  BP_ASSIGN(const ir::Shape shape, shape_of(args.type, args.dims, args.num_dims));
  BP_TRY(check_layout(args.device_layout, args.num_dims));
  BP_ASSIGN(ir::Literal literal, ir::Literal::zeros(shape));
  const std::size_t width = ir::byte_width(shape.element_type());
  const std::span<const std::int64_t> sizes(args.dims, args.num_dims);
  const Strides dense = dense_strides(sizes, static_cast<std::int64_t>(width));
  if (args.num_byte_strides != 0 && args.num_byte_strides != args.num_dims) {
    return invalid_input("{} strides for {} dimensions", args.num_byte_strides, args.num_dims);
  }
  const Strides strides =
      args.num_byte_strides == 0 ? dense : Strides(args.byte_strides, args.byte_strides + args.num_byte_strides);
  copy_strided(sizes, static_cast<const std::byte *>(args.data), strides, literal.mutable_bytes().data(), dense, width);
  extend(literal);
  args.buffer = make_buffer(*memory, literal);
  args.done_with_host_buffer = make_event();
  return {};
}

Status Client_CreateUninitializedBuffer(PJRT_Client_CreateUninitializedBuffer_Args &args) {
  BP_ASSIGN(PJRT_Client * client, handles<PJRT_Client>().find(args.client));
  BP_ASSIGN(OwnMemory * memory, memory_of(*client, args.device, args.memory));
  BP_ASSIGN(const ir::Shape shape, shape_of(args.shape_element_type, args.shape_dims, args.shape_num_dims));
  BP_TRY(check_layout(args.shape_layout, args.shape_num_dims));
  BP_ASSIGN(const ir::Literal literal, ir::Literal::zeros(shape));
  args.buffer = make_buffer(*memory, literal);
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
  const std::lock_guard lock(buffer->mutex);
  buffer->give_up();
  return {};
}

Status Buffer_IsDeleted(PJRT_Buffer_IsDeleted_Args &args) {
  BP_ASSIGN(PJRT_Buffer * buffer, find(args.buffer));
  const std::lock_guard lock(buffer->mutex);
  args.is_deleted = buffer->ready->is_set() && !buffer->ready->wait() && buffer->value == nullptr;
  return {};
}

Status Buffer_CopyToDevice(PJRT_Buffer_CopyToDevice_Args &args) {
  BP_ASSIGN(PJRT_Buffer * buffer, find(args.buffer));
  BP_ASSIGN(const auto value, value_of(*buffer));
  args.dst_buffer = make_buffer(static_cast<OwnMemory &>(*args.dst_device->memories.front()), *value);
  return {};
}

Status Buffer_CopyToMemory(PJRT_Buffer_CopyToMemory_Args &args) {
  BP_ASSIGN(PJRT_Buffer * buffer, find(args.buffer));
  BP_ASSIGN(const auto value, value_of(*buffer));
  args.dst_buffer = make_buffer(static_cast<OwnMemory &>(*args.dst_memory), *value);
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
  BP_ASSIGN(const Strides strides, wanted_strides(*buffer, args.host_layout, width));
  if (args.dst_size < size) {
    return invalid_input("a destination of {} bytes, expected {}", args.dst_size, size);
  }
  BP_ASSIGN(const auto value, value_of(*buffer));
  if (size != 0) {
    copy_strided(buffer->sizes, value->bytes().data(), dense_strides(buffer->sizes, width),
                 static_cast<std::byte *>(args.dst), strides, static_cast<std::size_t>(width));
  }
  args.event = make_event();
  return {};
}

Status Buffer_CopyRawToHost(PJRT_Buffer_CopyRawToHost_Args &args) {
  BP_ASSIGN(PJRT_Buffer * buffer, find(args.buffer));
  BP_ASSIGN(const auto value, value_of(*buffer));
  const auto size = static_cast<std::int64_t>(value->bytes().size());
  if (args.offset < 0 || args.transfer_size < 0 || args.offset > size || args.transfer_size > size - args.offset) {
    return invalid_input("{} bytes at {} of {}", args.transfer_size, args.offset, size);
  }
  std::memcpy(args.dst, value->bytes().data() + args.offset, static_cast<std::size_t>(args.transfer_size));
  args.event = make_event();
  return {};
}

Status Buffer_IsOnCpu(PJRT_Buffer_IsOnCpu_Args &args) {
  BP_TRY(find(args.buffer));
  args.is_on_cpu = true;
  return {};
}

Status Buffer_ReadyEvent(PJRT_Buffer_ReadyEvent_Args &args) {
  BP_ASSIGN(const PJRT_Buffer *buffer, find(args.buffer));
  args.event = make_event(buffer->ready);
  return {};
}

Status Buffer_UnsafePointer(PJRT_Buffer_UnsafePointer_Args &args) {
  BP_ASSIGN(PJRT_Buffer * buffer, find(args.buffer));
  BP_ASSIGN(const auto value, value_of(*buffer));
  args.buffer_pointer = reinterpret_cast<std::uintptr_t>(value->bytes().data());
  return {};
}

// The value remains until the reference is given back, also if the buffer is deleted meanwhile.
Status Buffer_IncreaseExternalReferenceCount(PJRT_Buffer_IncreaseExternalReferenceCount_Args &args) {
  BP_ASSIGN(PJRT_Buffer * buffer, find(args.buffer));
  BP_ASSIGN(auto value, value_of(*buffer));
  const std::lock_guard lock(buffer->mutex);
  buffer->held.push_back(std::move(value));
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
  BP_ASSIGN(const auto value, value_of(*buffer));
  args.device_memory_ptr = const_cast<std::byte *>(value->bytes().data());
  return {};
}

}  // namespace bp::pjrt
