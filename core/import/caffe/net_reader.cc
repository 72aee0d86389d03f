#include "core/import/caffe/net_reader.h"

#include <algorithm>

#include "core/import/caffe/layer_table.h"

namespace bp::import::caffe {

bool has_layers(const FieldRow &row) {
  return row.type == "LayerParameter" || row.type == "V1LayerParameter";
}

void add_layer(Net &net, Message message, std::optional<Error> problem) {
  LayerProto layer;
  layer.name = message.text("name");
  if (message.type() == "LayerParameter") {
    layer.type = message.text("type");
  } else {
    const std::int64_t number = message.integer("type");
    const LayerRow *row = find_v1_layer(number);
    layer.type = row != nullptr ? row->type : std::string_view();
    if (row == nullptr && message.has("type")) {
      layer.type = fmt::format("V1LayerParameter.LayerType {}", number);
    }
    if (message.has("layer")) {
      problem = message.error_in("layer", "a layer in a layer, as in Caffe's first form of nets (V0LayerParameter)")
                    .note("upgrade the net by Caffe's tools upgrade_net_proto_text and upgrade_net_proto_binary");
    }
  }
  layer.message = std::move(message);
  layer.problem = std::move(problem);
  net.layers.push_back(std::move(layer));
}

Status check_net(const Net &net) {
  const bool has_new = net.message.has("layer"), has_old = net.message.has("layers");
  if (has_new && has_old) {
    return net.message.error_in("layers", "the net has both layer and layers (V1LayerParameter), expected one of them");
  }
  if (!has_new && !has_old) {
    return net.message.error("the net has no layers");
  }
  return {};
}

Result<std::unique_ptr<const Net>> read_net(std::string_view text_or_bytes, const std::string &file) {
  // A text has no control characters but for spaces; the tag of a layer has one.
  constexpr std::size_t beginning = 4096;
  const auto is_control = [](char c) { return (c >= 0 && c < '\t') || (c > '\r' && c < ' '); };
  const bool is_text = std::ranges::none_of(text_or_bytes.substr(0, beginning), is_control);
  return is_text ? read_net_text(text_or_bytes, file) : read_net_bytes(text_or_bytes, file);
}

}  // namespace bp::import::caffe
