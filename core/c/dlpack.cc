// The functions of the C interface that take and give DLPack tensors.
#include "core/dlpack.h"

#include <algorithm>
#include <span>
#include <utility>

#include "core/c/objects.h"

namespace {

using bp::DlpackTensor;
using bp::Literal;
using bp::Result;
using bp::Shape;
using bp::Status;
using bp::c::call;
using bp::c::expect_given;
using bp::runtime::Value;

Status expect_flags(std::uint32_t flags, std::uint32_t known) {
  return (flags & ~known) == 0 ? Status() : bp::invalid_input("flags is {}, expected 0 or {}", flags, known);
}

// Returns a literal of this shape, a tuple or a token, with its arrays taken from `arrays`.
Result<Literal> make_nested(const Shape &shape, std::span<Value> &arrays) {
  if (shape.is_array()) {
    Value value = std::move(arrays.front());
    arrays = arrays.subspan(1);
    return std::move(value).literal();
  }
  if (!shape.is_tuple()) {
    return Literal::token();
  }
  std::vector<Literal> elements;
  for (const Shape &element : shape.elements()) {
    BP_ASSIGN(Literal literal, make_nested(element, arrays));
    elements.push_back(std::move(literal));
  }
  return Literal::tuple(std::move(elements));
}

// Appends the arrays of a value as tensors.
Status append_tensors(Value value, std::vector<DlpackTensor> &tensors) {
  if (value.shape().is_array()) {
    if (!value.shape().is_static()) {
      BP_ASSIGN(const Literal literal, std::move(value).literal());
      BP_ASSIGN(Literal exact, bp::ir::cut_to_run_time_sizes(literal));
      value = Value(std::move(exact));
    }
    BP_ASSIGN(DlpackTensor tensor, bp::to_dlpack(std::move(value)));
    tensors.push_back(std::move(tensor));
  } else if (value.shape().is_tuple()) {
    BP_ASSIGN(const Literal literal, std::move(value).literal());
    for (const Literal &element : literal.tuple_elements()) {
      BP_TRY(append_tensors(Value(element), tensors));
    }
  }
  return {};
}

// Checks the shapes here, where they can be named as the caller knows them.
Status check_shape(const backplane_array_t &input, const Shape &expected, const Shape &found) {
  return same(found, expected, bp::ir::CompareLayout::No)
             ? Status()
             : bp::invalid_input("input {} has shape {}, expected {}", input.name, to_string(found),
                                 to_string(expected, bp::ir::PrintLayout::Never));
}

Status run(const backplane_executable &executable, std::vector<DlpackTensor> tensors, bool stays,
           std::vector<DlpackTensor> &results) {
  std::vector<Value> arrays;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    BP_TRY(expect_given(tensors[i].get(), "an input"));
    BP_ASSIGN(Value value, bp::from_dlpack(std::move(tensors[i])));
    BP_TRY(check_shape(executable.inputs[i], executable.leaves[i], value.shape()));
    arrays.push_back(std::move(value));
  }
  std::span<Value> left(arrays);
  std::vector<Value> arguments;
  for (const bp::package::Value &parameter : executable.interface.parameters) {
    if (parameter.shape.is_array()) {
      arguments.push_back(std::move(left.front()));
      left = left.subspan(1);
    } else {
      BP_ASSIGN(Literal literal, make_nested(parameter.shape, left));
      arguments.emplace_back(std::move(literal));
    }
  }
  // Results stay on the device until all of them are there, so that arguments on it are used where they are.
  BP_ASSIGN(std::vector<Value> values, executable.executable->run_on_device(std::move(arguments)));
  for (Value &value : values) {
    if (!stays && value.on_device() != nullptr) {
      BP_ASSIGN(Literal literal, std::move(value).literal());
      value = Value(std::move(literal));
    }
    BP_TRY(append_tensors(std::move(value), results));
  }
  return {};
}

}  // namespace

bp_status backplane_run_dlpack(const backplane_executable *executable, DLManagedTensorVersioned *const *inputs,
                               std::uint32_t flags, DLManagedTensorVersioned **outputs, const bp_diag_t *errors) {
  return call(errors, [&]() -> Status {
    BP_TRY(expect_given(executable, "executable"));
    std::vector<DlpackTensor> tensors, results;
    if (!executable->inputs.empty()) {
      BP_TRY(expect_given(inputs, "inputs"));
      tensors.reserve(executable->inputs.size());
      bool is_repeated = false;
      for (DLManagedTensorVersioned *tensor : std::span(inputs, executable->inputs.size())) {
        const bool is_there =
            tensor != nullptr && std::ranges::find(tensors, tensor, &DlpackTensor::get) != tensors.end();
        is_repeated = is_repeated || is_there;
        tensors.emplace_back(is_there ? nullptr : tensor);
      }
      if (is_repeated) {
        return bp::invalid_input(
            "a tensor is given for two inputs, expected a tensor for each: backplane_share_dlpack()");
      }
    }
    BP_TRY(expect_flags(flags, BACKPLANE_ON_DEVICE));
    if (!executable->outputs.empty()) {
      BP_TRY(expect_given(outputs, "outputs"));
    }
    BP_TRY(run(*executable, std::move(tensors), flags == BACKPLANE_ON_DEVICE, results));
    for (DlpackTensor &result : results) {
      *outputs++ = result.release();
    }
    return {};
  });
}

bp_status backplane_send_dlpack(const backplane_backend *backend, DLManagedTensorVersioned *tensor, std::uint32_t flags,
                                DLManagedTensorVersioned **sent, const bp_diag_t *errors) {
  return call(errors, [&]() -> Status {
    DlpackTensor given(tensor);
    BP_TRY(expect_given(tensor, "tensor"));
    BP_TRY(expect_given(backend, "backend"));
    BP_TRY(expect_given(sent, "sent"));
    BP_TRY(expect_flags(flags, BACKPLANE_IN_PLACE));
    const auto address = reinterpret_cast<std::uintptr_t>(tensor->dl_tensor.data) + tensor->dl_tensor.byte_offset;
    if (flags == BACKPLANE_IN_PLACE && address % Literal::alignment != 0) {
      return bp::invalid_input("the array is at {:#x}, expected a multiple of {} for a use in place", address,
                               Literal::alignment);
    }
    BP_ASSIGN(Value value, bp::from_dlpack(std::move(given)));
    if (backend->backend.device() != nullptr) {
      BP_ASSIGN(value, bp::to_device(backend->backend.device(), std::move(value), flags == BACKPLANE_IN_PLACE));
    }
    BP_ASSIGN(DlpackTensor result, bp::to_dlpack(std::move(value), true));
    *sent = result.release();
    return {};
  });
}

bp_status backplane_share_dlpack(const DLManagedTensorVersioned *tensor, DLManagedTensorVersioned **another,
                                 const bp_diag_t *errors) {
  return call(errors, [&]() -> Status {
    BP_TRY(expect_given(tensor, "tensor"));
    BP_TRY(expect_given(another, "another"));
    BP_ASSIGN(DlpackTensor made, bp::share(*tensor));
    *another = made.release();
    return {};
  });
}

DLManagedTensorVersioned *backplane_dlpack_with_version(DLManagedTensor *tensor) {
  DLManagedTensorVersioned *made = nullptr;
  call(nullptr, [&]() -> Status {
    BP_TRY(expect_given(tensor, "tensor"));
    made = bp::with_version(tensor).release();
    return {};
  });
  return made;
}

DLManagedTensor *backplane_dlpack_without_version(DLManagedTensorVersioned *tensor) {
  DLManagedTensor *made = nullptr;
  call(nullptr, [&]() -> Status {
    BP_TRY(expect_given(tensor, "tensor"));
    made = bp::without_version(DlpackTensor(tensor));
    return {};
  });
  return made;
}
