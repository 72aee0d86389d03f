#include "core/dlpack.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace bp {
namespace {

using ir::ElementType;
using ir::Literal;
using runtime::Value;

struct DlpackType {
  ElementType type;
  DLDataTypeCode code;
};
constexpr DlpackType dlpack_types[] = {
    {ElementType::Pred, kDLBool},
    {ElementType::S1, kDLInt},
    {ElementType::S2, kDLInt},
    {ElementType::S4, kDLInt},
    {ElementType::S8, kDLInt},
    {ElementType::S16, kDLInt},
    {ElementType::S32, kDLInt},
    {ElementType::S64, kDLInt},
    {ElementType::U1, kDLUInt},
    {ElementType::U2, kDLUInt},
    {ElementType::U4, kDLUInt},
    {ElementType::U8, kDLUInt},
    {ElementType::U16, kDLUInt},
    {ElementType::U32, kDLUInt},
    {ElementType::U64, kDLUInt},
    {ElementType::F4E2M1FN, kDLFloat4_e2m1fn},
    {ElementType::F6E2M3FN, kDLFloat6_e2m3fn},
    {ElementType::F6E3M2FN, kDLFloat6_e3m2fn},
    {ElementType::F8E3M4, kDLFloat8_e3m4},
    {ElementType::F8E4M3, kDLFloat8_e4m3},
    {ElementType::F8E4M3B11FNUZ, kDLFloat8_e4m3b11fnuz},
    {ElementType::F8E4M3FN, kDLFloat8_e4m3fn},
    {ElementType::F8E4M3FNUZ, kDLFloat8_e4m3fnuz},
    {ElementType::F8E5M2, kDLFloat8_e5m2},
    {ElementType::F8E5M2FNUZ, kDLFloat8_e5m2fnuz},
    {ElementType::F8E8M0FNU, kDLFloat8_e8m0fnu},
    {ElementType::BF16, kDLBfloat},
    {ElementType::F16, kDLFloat},
    {ElementType::F32, kDLFloat},
    {ElementType::F64, kDLFloat},
    {ElementType::C64, kDLComplex},
    {ElementType::C128, kDLComplex},
};

Result<ElementType> type_of(const DLManagedTensorVersioned &tensor) {
  const DLDataType &dtype = tensor.dl_tensor.dtype;
  const auto *found = std::ranges::find_if(dlpack_types, [&](const DlpackType &known) {
    return known.code == dtype.code && ir::bit_width(known.type) == dtype.bits;
  });
  if (found == std::end(dlpack_types) || dtype.lanes != 1) {
    return unsupported(
        "a DLPack tensor has elements of type code {}, {} bits and {} lanes, expected a type of "
        "DLPack 1.1 that HLO has, and 1 lane",
        dtype.code, dtype.bits, dtype.lanes);
  }
  if (dtype.bits < 8 && (tensor.flags & DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED) == 0) {
    return unsupported(
        "a DLPack tensor has packed elements of {} bits, expected a byte for each and the flag "
        "IS_SUBBYTE_TYPE_PADDED",
        dtype.bits);
  }
  return found->type;
}

// Whether an array is row-major without gaps. Strides of dimensions of size 1 do not matter, and none of an array
// without elements.
bool is_dense(const DLTensor &array) {
  if (std::find(array.shape, array.shape + array.ndim, 0) != array.shape + array.ndim) {
    return true;
  }
  std::int64_t expected = 1;
  for (std::int32_t d = array.ndim - 1; array.strides != nullptr && d >= 0; --d) {
    if (array.shape[d] != 1 && array.strides[d] != expected) {
      return false;
    }
    expected *= array.shape[d];
  }
  return true;
}

// A tensor of this library: the value that it has, and the sizes that it points to.
struct OwnTensor {
  DLManagedTensorVersioned tensor{};
  Value value;
  std::vector<std::int64_t> sizes, strides;

  static void give_back(DLManagedTensorVersioned *tensor) { delete static_cast<OwnTensor *>(tensor->manager_ctx); }
};

// A tensor with a version around one without, or the reverse.
struct Upgraded {
  DLManagedTensorVersioned tensor{};
  DLManagedTensor *old;
};
struct Downgraded {
  DLManagedTensor tensor{};
  DlpackTensor of;

  static void give_back(DLManagedTensor *tensor) { delete static_cast<Downgraded *>(tensor->manager_ctx); }
};

Result<ir::Shape> shape_of(const DLManagedTensorVersioned &tensor) {
  BP_ASSIGN(const ElementType type, type_of(tensor));
  const DLTensor &array = tensor.dl_tensor;
  if (array.ndim < 0 || (array.ndim > 0 && array.shape == nullptr)) {
    return invalid_input("a DLPack tensor has {} dimensions and {} sizes, expected a size for each", array.ndim,
                         array.shape == nullptr ? "no" : "some");
  }
  const std::vector<std::int64_t> sizes(array.shape, array.shape + array.ndim);
  std::int64_t bytes = ir::byte_width(type);
  for (const std::int64_t size : sizes) {
    if (size < 0 || __builtin_mul_overflow(bytes, size, &bytes)) {
      return invalid_input(
          "a DLPack tensor has a dimension of size {}, expected sizes of at least 0, and fewer than "
          "2^63 bytes",
          size);
    }
  }
  if (!is_dense(array)) {
    return unsupported(
        "a DLPack tensor has gaps or is not row-major, expected one that is: make it contiguous, as by "
        "numpy.ascontiguousarray");
  }
  return ir::Shape::array(type, sizes);
}

}  // namespace

DlpackTensor with_version(DLManagedTensor *tensor) {
  if (tensor->deleter == &Downgraded::give_back) {  // has a version inside, perhaps of an array on a device
    DlpackTensor original = std::move(static_cast<Downgraded *>(tensor->manager_ctx)->of);
    tensor->deleter(tensor);
    return original;
  }
  auto *made = new Upgraded{{}, tensor};
  made->tensor.version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
  made->tensor.manager_ctx = made;
  made->tensor.dl_tensor = tensor->dl_tensor;
  made->tensor.deleter = [](DLManagedTensorVersioned *self) {
    auto *upgraded = static_cast<Upgraded *>(self->manager_ctx);
    if (upgraded->old->deleter != nullptr) {
      upgraded->old->deleter(upgraded->old);
    }
    delete upgraded;
  };
  return DlpackTensor(&made->tensor);
}

DLManagedTensor *without_version(DlpackTensor tensor) {
  auto *made = new Downgraded{{tensor->dl_tensor, nullptr, nullptr}, nullptr};
  made->of = std::move(tensor);
  made->tensor.manager_ctx = made;
  made->tensor.deleter = &Downgraded::give_back;
  return &made->tensor;
}

Result<Value> from_dlpack(DlpackTensor tensor) {
  if (tensor->version.major != DLPACK_MAJOR_VERSION) {
    return unsupported("a DLPack tensor is of version {}.{}, expected {}.x", tensor->version.major,
                       tensor->version.minor, DLPACK_MAJOR_VERSION);
  }
  if (tensor->deleter == OwnTensor::give_back) {
    return static_cast<const OwnTensor *>(tensor->manager_ctx)->value;
  }
  if (tensor->dl_tensor.device.device_type != kDLCPU) {
    return unsupported(
        "a DLPack tensor is in memory of device type {}, expected {} (the host) or a tensor that "
        "Backplane has made",
        static_cast<int>(tensor->dl_tensor.device.device_type), static_cast<int>(kDLCPU));
  }
  BP_ASSIGN(ir::Shape shape, shape_of(*tensor));
  const auto *bytes = static_cast<const std::byte *>(tensor->dl_tensor.data) + tensor->dl_tensor.byte_offset;
  const auto size = static_cast<std::size_t>(shape.element_count() * ir::byte_width(shape.element_type()));
  if (size != 0 && tensor->dl_tensor.data == nullptr) {
    return invalid_input("a DLPack tensor of {} bytes has no data, expected an address", size);
  }
  if (size == 0 || reinterpret_cast<std::uintptr_t>(bytes) % Literal::alignment != 0) {
    BP_ASSIGN(Literal literal, Literal::zeros(shape));
    if (size != 0) {
      std::memcpy(literal.mutable_bytes().data(), bytes, size);
    }
    return Value(std::move(literal));
  }
  const std::shared_ptr<DLManagedTensorVersioned> owner = std::move(tensor);
  return Value(Literal::borrowed(shape, std::shared_ptr<const std::byte[]>(owner, bytes)));
}

Result<DlpackTensor> to_dlpack(Value value, bool is_read_only) {
  const ir::Shape shape = value.shape();
  const auto *found = std::ranges::find(dlpack_types, shape.element_type(), &DlpackType::type);
  if (!shape.is_array() || !shape.is_static() || found == std::end(dlpack_types)) {
    return unsupported("a value of shape {} cannot become a DLPack tensor, expected an array of static size",
                       to_string(shape));
  }
  auto made = std::make_unique<OwnTensor>();
  made->value = std::move(value);
  made->sizes.assign(shape.sizes().begin(), shape.sizes().end());
  made->strides.resize(made->sizes.size());
  std::int64_t stride = 1;
  for (std::size_t d = made->sizes.size(); d-- > 0;) {
    made->strides[d] = stride;
    stride *= made->sizes[d];
  }
  DLManagedTensorVersioned &tensor = made->tensor;
  tensor.version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
  tensor.manager_ctx = made.get();
  tensor.deleter = OwnTensor::give_back;
  const auto bits = static_cast<std::uint8_t>(ir::bit_width(shape.element_type()));
  tensor.flags = bits < 8 ? DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED : 0;
  tensor.flags |= is_read_only ? DLPACK_FLAG_BITMASK_READ_ONLY : 0;
  DLTensor &array = tensor.dl_tensor;
  array.dtype = {static_cast<std::uint8_t>(found->code), bits, 1};
  array.ndim = static_cast<std::int32_t>(made->sizes.size());
  array.shape = made->sizes.data();
  array.strides = made->strides.data();
  if (made->value.on_device() != nullptr) {
    array.device = {kDLExtDev, 0};
    array.data = made.get();
  } else {
    BP_ASSIGN(Literal literal, std::move(made->value).literal());
    array.data = is_read_only ? const_cast<std::byte *>(literal.bytes().data()) : literal.mutable_bytes().data();
    made->value = Value(std::move(literal));
    array.device = {kDLCPU, 0};
  }
  return DlpackTensor(&made.release()->tensor);
}

Result<DlpackTensor> share(const DLManagedTensorVersioned &tensor) {
  if (tensor.deleter != &OwnTensor::give_back) {
    return unsupported("a DLPack tensor is of another library, expected one that Backplane has made");
  }
  return to_dlpack(static_cast<const OwnTensor *>(tensor.manager_ctx)->value, true);
}

Result<Value> to_device(const std::shared_ptr<const host::Device> &device, Value value, bool in_place) {
  if (device == nullptr || device->memory() == nullptr ||
      (value.on_device() != nullptr && value.on_device()->device() == device)) {
    return value;
  }
  BP_ASSIGN(Literal literal, std::move(value).literal());
  if (in_place) {
    BP_ASSIGN(auto array, runtime::DeviceArray::borrow(device, std::move(literal)));
    return Value(std::move(array));
  }
  BP_ASSIGN(auto array, runtime::DeviceArray::upload(device, literal));
  return array == nullptr ? Value(std::move(literal)) : Value(std::move(array));
}

}  // namespace bp
