// DLPack: arrays from and for other libraries, such as NumPy, JAX and PyTorch, without a copy where possible.
#pragma once

#include <memory>

#include "core/base/dlpack_structs.h"
#include "core/base/result.h"
#include "core/host/plugin.h"
#include "core/runtime/value.h"

namespace bp {

struct DlpackDeleter {
  void operator()(DLManagedTensorVersioned *tensor) const {
    if (tensor->deleter != nullptr) {
      tensor->deleter(tensor);
    }
  }
};
// A tensor that is given back to its owner when it is destroyed.
using DlpackTensor = std::unique_ptr<DLManagedTensorVersioned, DlpackDeleter>;

// Returns a tensor of before DLPack 1.0 as one of DLPack 1.1, which gives it back.
DlpackTensor with_version(DLManagedTensor *tensor);
// Does the reverse, for libraries that read nothing newer.
DLManagedTensor *without_version(DlpackTensor tensor);

// Returns the value of a tensor. The value uses the tensor's bytes where they are, and gives the tensor back when
// nobody has the value any more; nobody may write to the bytes until then. Bytes that are not aligned to
// ir::Literal::alignment (64) are copied instead, and the tensor is given back at once.
// Accepts arrays of kDLCPU, and those of kDLExtDev that to_dlpack() made. Unsupported, with the reason: other devices,
// element types that Backplane does not have, and arrays that are not row-major without gaps.
Result<runtime::Value> from_dlpack(DlpackTensor tensor);

// Returns a tensor that has the value's bytes, which is an array: of kDLCPU or, if it is on a device, of kDLExtDev. The
// data of the latter has a meaning only for from_dlpack(). The receiver may write to the bytes, so those of others are
// copied; unless it `is_read_only`, which a flag of the tensor says.
Result<DlpackTensor> to_dlpack(runtime::Value value, bool is_read_only = false);

// Returns another tensor of the same array, read-only, which exists until all its tensors are given back. Unsupported
// for tensors that to_dlpack() has not made.
Result<DlpackTensor> share(const DLManagedTensorVersioned &tensor);

// Returns the value in the memory of a device that has memory of its own, as programs of this device take it without a
// further copy. `in_place`: the device uses the bytes where they are (DeviceArray::borrow); Unsupported if it cannot. A
// value that is on the device already, or for a device without memory, is returned as it is.
Result<runtime::Value> to_device(const std::shared_ptr<const host::Device> &device, runtime::Value value,
                                 bool in_place);

}  // namespace bp
