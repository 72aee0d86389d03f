#include "core/import/caffe/inputs.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/import/caffe/blob.h"
#include "core/import/unimported.h"

namespace bp::import::caffe {
namespace {

using Role = LayerRow::Role;

bool contains(const std::vector<std::string> &texts, const std::string &text) {
  return std::ranges::find(texts, text) != texts.end();
}

// Whether a NetStateRule holds for the phase TEST, as Net::StateMeetsRule of Caffe decides it.
bool holds(const Message &rule, const Message &state) {
  constexpr std::int64_t test = 1;
  const std::int64_t level = state.integer("level");
  const std::vector<std::string> &stages = state.texts("stage");
  return rule.integer("phase", test) == test && level >= rule.integer("min_level", level) &&
         level <= rule.integer("max_level", level) &&
         std::ranges::all_of(rule.texts("stage"), [&](const std::string &stage) { return contains(stages, stage); }) &&
         std::ranges::none_of(rule.texts("not_stage"),
                              [&](const std::string &stage) { return contains(stages, stage); });
}

Result<ir::Shape> input_shape(const Message &stated) {
  BP_ASSIGN(const std::vector<std::int64_t> sizes, read_sizes(stated, 0));
  return ir::Shape::array(ir::ElementType::F32, sizes);
}

// Returns the shapes that a list of shapes states for `count` arrays: none, one for all, or one for each.
Result<std::vector<ir::Shape>> input_shapes(const Message &message, std::string_view field, std::size_t count) {
  const std::vector<Message> &stated = message.parts(field);
  if (stated.size() > 1 && stated.size() != count) {
    return message.error_in(field, fmt::format("{} shapes for {} arrays, expected as many", stated.size(), count));
  }
  std::vector<ir::Shape> shapes(count);
  for (std::size_t i = 0; i < count && !stated.empty(); ++i) {
    BP_ASSIGN(shapes[i], input_shape(stated[stated.size() == 1 ? 0 : i]));
  }
  return shapes;
}

Status add_stated_inputs(const Message &net, std::vector<Input> &inputs) {
  const std::vector<std::string> &names = net.texts("input");
  const std::vector<std::int64_t> &sizes = net.integers("input_dim");
  if (!sizes.empty() && (net.has("input_shape") || sizes.size() != 4 * names.size())) {
    return net.error_in("input_dim",
                        net.has("input_shape")
                            ? std::string("the net has both input_dim and input_shape, expected one of them")
                            : fmt::format("{} sizes for {} inputs, expected 4 for each", sizes.size(), names.size()));
  }
  BP_ASSIGN(std::vector<ir::Shape> shapes, input_shapes(net, "input_shape", names.size()));
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!sizes.empty()) {
      const auto first = sizes.begin() + static_cast<std::ptrdiff_t>(4 * i);
      const std::vector<std::int64_t> own(first, first + 4);
      if (std::ranges::any_of(own, [](std::int64_t size) { return size < 0; })) {
        return net.error_in("input_dim", fmt::format("a size of \"{}\" is negative", names[i]));
      }
      shapes[i] = ir::Shape::array(ir::ElementType::F32, own);
    }
    inputs.push_back({names[i], shapes[i], nullptr});
  }
  return {};
}

// Returns the shapes that the tops of a layer that gives data have, as far as the layer states them.
Result<std::vector<ir::Shape>> data_shapes(const LayerProto &proto, std::size_t count) {
  const Message &memory = proto.message.part("memory_data_param"), &dummy = proto.message.part("dummy_data_param");
  std::vector<ir::Shape> shapes(count);
  if (proto.type == "MemoryData" && memory.has("batch_size")) {
    std::vector<std::int64_t> sizes;
    for (const std::string_view name : {"batch_size", "channels", "height", "width"}) {
      sizes.push_back(memory.integer(name));
      if (sizes.back() < 0) {
        return memory.error_in(name, fmt::format("{} is {}, expected at least 0", name, sizes.back()));
      }
    }
    for (std::size_t i = 0; i < count && i < 2; ++i) {  // images and their labels
      shapes[i] = ir::Shape::array(ir::ElementType::F32, std::span(sizes).first(i == 0 ? 4 : 1));
    }
  } else if (proto.type == "DummyData" && dummy.has("shape")) {
    return input_shapes(dummy, "shape", count);
  }
  return shapes;
}

}  // namespace

Result<std::vector<ChosenLayer>> choose_layers(const Net &net) {
  std::vector<ChosenLayer> chosen;
  const Message &state = net.message.part("state");
  for (const LayerProto &layer : net.layers) {
    const std::vector<Message> &include = layer.message.parts("include"), &exclude = layer.message.parts("exclude");
    if (!include.empty() && !exclude.empty()) {
      return layer.message.error(
          fmt::format("the layer \"{}\" has rules of both include and exclude, expected one of them", layer.name));
    }
    const auto is_met = [&](const Message &rule) { return holds(rule, state); };
    if (include.empty() ? std::ranges::none_of(exclude, is_met) : std::ranges::any_of(include, is_met)) {
      chosen.push_back({&layer, find_layer(layer.type)});
    }
  }
  std::map<std::string, int> unknown;
  for (const ChosenLayer &layer : chosen) {
    if (layer.row == nullptr && !layer.proto->type.empty()) {
      ++unknown[layer.proto->type];
    }
  }
  if (!unknown.empty()) {
    std::vector<std::string_view> names;
    for (const LayerRow &row : all_layers()) {
      names.push_back(row.type);
    }
    return unimported(unknown, names, "layer type", "layer").at({net.origin.file, 0, 0, {}});
  }
  for (const ChosenLayer &layer : chosen) {
    if (layer.proto->problem) {
      return *layer.proto->problem;
    }
    if (layer.row == nullptr) {
      return layer.proto->message.error(fmt::format("the layer \"{}\" has no type", layer.proto->name));
    }
  }
  return chosen;
}

Result<std::vector<Input>> inputs_of(const Net &net, const std::vector<ChosenLayer> &layers) {
  std::vector<Input> inputs;
  BP_TRY(add_stated_inputs(net.message, inputs));
  std::set<std::string_view> used;
  for (const ChosenLayer &layer : layers) {
    const std::vector<std::string> &bottoms = layer.proto->message.texts("bottom");
    // A loss uses its first bottom, if another layer takes its place: never the labels.
    const std::size_t count = layer.row->role == Role::Loss ? std::min<std::size_t>(bottoms.size(), 1) : bottoms.size();
    used.insert(bottoms.begin(), bottoms.begin() + static_cast<std::ptrdiff_t>(count));
  }
  for (const auto &[proto, row] : layers) {
    const std::vector<std::string> &tops = proto->message.texts("top");
    const bool is_input = row->type == "Input";
    if (!is_input && row->role != Role::Data) {
      continue;
    }
    std::vector<ir::Shape> shapes;
    if (is_input) {
      BP_ASSIGN(shapes, input_shapes(proto->message.part("input_param"), "shape", tops.size()));
    } else {
      BP_ASSIGN(shapes, data_shapes(*proto, tops.size()));
    }
    for (std::size_t i = 0; i < tops.size(); ++i) {
      if (is_input || used.contains(tops[i])) {
        inputs.push_back({tops[i], shapes[i], proto});
      }
    }
  }
  std::set<std::string_view> names;
  for (const Input &input : inputs) {
    if (!names.insert(input.name).second) {
      const Message &message = input.layer == nullptr ? net.message : input.layer->message;
      return message.error(fmt::format("the input \"{}\" is stated twice", input.name));
    }
  }
  return inputs;
}

}  // namespace bp::import::caffe
