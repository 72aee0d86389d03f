#include "core/import/caffe/net_reader.h"

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
    layer.type = row != nullptr ? std::string(row->type) : fmt::format("V1LayerParameter.LayerType {}", number);
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
  return is_net_text(text_or_bytes) ? read_net_text(text_or_bytes, file) : read_net_bytes(text_or_bytes, file);
}

}  // namespace bp::import::caffe
