#include "core/import/caffe/caffe.h"

#include <algorithm>
#include <set>

#include "core/import/caffe/inputs.h"
#include "core/import/caffe/lowering.h"
#include "core/import/caffe/net_reader.h"

namespace bp::import::caffe {
namespace {

// Whether a layer needs weights: Scale and Bias do if they are not given as a second bottom.
bool needs_weights(const ChosenLayer &layer) {
  const Message &message = layer.proto->message;
  const bool may_be_given = layer.row->type == "Scale" || layer.row->type == "Bias";
  return layer.row->has_weights &&
         !(may_be_given && message.texts("bottom").size() > 1 && !message.part("scale_param").flag("bias_term", false));
}

}  // namespace

bool is_caffe(std::string_view bytes) {
  return is_net_text(bytes) || is_net_bytes(bytes);
}

Result<ir::Module> read(std::string_view bytes, std::string_view weights, const Options &options) {
  BP_ASSIGN(const std::unique_ptr<const Net> net, read_net(bytes, options.file));
  std::unique_ptr<const Net> weights_net;
  if (weights.starts_with("\x89HDF")) {
    return unsupported("{}: weights in HDF5, expected a NetParameter (.caffemodel)", options.weights_file)
        .note("load them with Caffe, Net.load_hdf5(), and store them by Net.save()");
  }
  if (!weights.empty()) {
    BP_ASSIGN(weights_net, read_net(weights, options.weights_file));
  }
  return Lowering(*net, weights_net.get(), options).run();
}

Result<std::vector<InputInfo>> inputs(std::string_view bytes, const Options &options) {
  BP_ASSIGN(const std::unique_ptr<const Net> net, read_net(bytes, options.file));
  BP_ASSIGN(const std::vector<ChosenLayer> layers, choose_layers(*net));
  BP_ASSIGN(const std::vector<Input> found, inputs_of(*net, layers));
  std::vector<InputInfo> result;
  for (const Input &input : found) {
    result.push_back({input.name, input.shape});
  }
  return result;
}

Result<std::vector<std::string>> layers_without_weights(std::string_view bytes, const Options &options) {
  BP_ASSIGN(const std::unique_ptr<const Net> net, read_net(bytes, options.file));
  BP_ASSIGN(const std::vector<ChosenLayer> layers, choose_layers(*net));
  std::vector<std::string> names;
  for (const ChosenLayer &layer : layers) {
    if (needs_weights(layer) && !layer.proto->message.has("blobs")) {
      names.push_back(layer.proto->name);
    }
  }
  return names;
}

bool has_weights(std::string_view bytes, const std::vector<std::string> &layers) {
  const Result<std::unique_ptr<const Net>> net = read_net(bytes, {});
  std::set<std::string_view> names;
  for (std::size_t i = 0; net.ok() && i < (*net)->layers.size(); ++i) {
    const LayerProto &layer = (*net)->layers[i];
    if (layer.message.has("blobs")) {
      names.insert(layer.name);
    }
  }
  return net.ok() && std::ranges::all_of(layers, [&](const std::string &layer) { return names.contains(layer); });
}

}  // namespace bp::import::caffe
