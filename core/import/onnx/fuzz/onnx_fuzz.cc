// libFuzzer target: for any bytes, the reader of ONNX models returns a module that the verifier accepts, or an error.
#include <cstdint>

#include "core/import/onnx/onnx.h"
#include "core/ir/verifier.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  namespace onnx = bp::import::onnx;
  const std::string_view bytes(reinterpret_cast<const char *>(data), size);
  onnx::Options options{"fuzz.onnx"};
  // Sizes that are open are given, so that more than the inputs is read.
  if (const auto inputs = onnx::inputs(bytes, options); inputs.ok()) {
    for (const onnx::InputInfo &input : *inputs) {
      bp::ir::Shape shape = input.shape;
      for (std::size_t i = 0; i < shape.rank(); ++i) {
        shape.set_size(i, shape.size(i) == bp::ir::unbounded ? 3 : shape.size(i));
      }
      options.shapes.push_back(shape);
    }
  }
  const auto module = onnx::read(bytes, options);
  if (!module.ok()) {
    module.error().to_string();
  } else if (!bp::ir::verify(*module).ok()) {
    __builtin_trap();
  }
  for (const onnx::Form form : {onnx::Form::Array, onnx::Form::Sequence, onnx::Form::Optional}) {
    (void)onnx::read_value(bytes, form).ok();
  }
  return 0;
}
