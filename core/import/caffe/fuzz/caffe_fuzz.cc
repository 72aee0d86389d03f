// libFuzzer target: for any bytes, the reader of Caffe's nets returns a module that the verifier accepts, or an error.
// A line "%%%%" ends the net: what follows are its weights.
#include <algorithm>
#include <cstdint>

#include "core/import/caffe/caffe.h"
#include "core/ir/verifier.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  namespace caffe = bp::import::caffe;
  constexpr std::string_view end = "\n%%%%\n";
  const std::string_view bytes(reinterpret_cast<const char *>(data), size);
  const std::size_t at = std::min(bytes.find(end), bytes.size());
  const std::string_view net = bytes.substr(0, at);
  const std::string_view weights = at == bytes.size() ? std::string_view() : bytes.substr(at + end.size());
  caffe::is_caffe(bytes);
  caffe::Options options{.file = "fuzz.prototxt"};
  options.weights_file = "fuzz.caffemodel";
  // Sizes that the net does not state are given, so that more than the inputs is read.
  if (const auto inputs = caffe::inputs(net, options); inputs.ok()) {
    for (const caffe::InputInfo &input : *inputs) {
      options.shapes.push_back(input.shape.is_valid() ? bp::ir::Shape()
                                                      : bp::ir::Shape::array(bp::ir::ElementType::F32, {1, 3, 8, 8}));
    }
  }
  if (const auto layers = caffe::layers_without_weights(net, options); layers.ok()) {
    caffe::has_weights(weights, *layers);
  }
  const auto module = caffe::read(net, weights, options);
  if (!module.ok()) {
    module.error().to_string();
  } else if (!bp::ir::verify(*module).ok()) {
    __builtin_trap();
  }
  return 0;
}
