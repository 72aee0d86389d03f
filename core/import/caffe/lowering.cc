#include "core/import/caffe/lowering.h"

#include <algorithm>

#include "core/base/suggestion.h"
#include "core/import/array/normalization.h"
#include "core/import/array/unused.h"
#include "core/ir/verifier.h"

namespace bp::import::caffe {
namespace {

using Role = LayerRow::Role;

std::string count_text(const LayerRow::Count &count) {
  if (count.most == count.least) {
    return std::to_string(count.least);
  }
  return count.most > 8 ? fmt::format("at least {}", count.least) : fmt::format("{} to {}", count.least, count.most);
}

bool is_in(std::size_t number, const LayerRow::Count &count) {
  return number >= count.least && number <= count.most;
}

}  // namespace

void Lowering::warn(const LayerProto &proto, std::string message) const {
  if (options_.warnings != nullptr) {
    // The place is that of an error about the layer.
    const Error error = proto.message.error(fmt::format("{} \"{}\": {}", proto.type, proto.name, message));
    const SourceLocation &at = error.location();
    options_.warnings->push_back(at.line == 0
                                     ? fmt::format("{}: {}", at.file, error.message())
                                     : fmt::format("{}:{}:{}: {}", at.file, at.line, at.column, error.message()));
  }
}

// --- Inputs ---

Result<ir::Shape> Lowering::shape_of(const Input &input, std::size_t number) const {
  const bool is_given = number < options_.shapes.size() && options_.shapes[number].is_valid();
  if (!is_given && input.shape.is_valid()) {
    return input.shape;
  }
  const Message &message = input.layer == nullptr ? net_.message : input.layer->message;
  if (!is_given) {
    const bool is_data = input.layer != nullptr && input.layer->type != "Input";
    const Error error = message.error(
        fmt::format("{} the sizes of the input \"{}\", expected them from the caller (--shape {}=1x3x224x224){}",
                    is_data ? fmt::format("{} \"{}\" does not state", input.layer->type, input.layer->name)
                            : std::string("the net does not state"),
                    input.name, input.name, is_data ? " or an Input layer in its place" : ""));
    return with_code(ErrorCode::Unsupported, error);
  }
  const ir::Shape &given = options_.shapes[number];
  // A net is for images of any size, and any number of them: what does not fit, its layers refuse.
  if (!given.is_array() || !given.is_static() || given.element_type() != ElementType::F32 ||
      (input.shape.is_valid() && given.rank() != input.shape.rank())) {
    return message.error(
        fmt::format("the shape {} was given for the input \"{}\", expected f32{}", ir::to_string(given), input.name,
                    input.shape.is_valid() ? fmt::format(" in {} dimensions", input.shape.rank()) : std::string()));
  }
  return given;
}

Status Lowering::define_inputs(GraphBuilder &builder, const std::vector<Input> &inputs) {
  if (options_.shapes.size() > inputs.size()) {
    return net_.message.error(
        fmt::format("{} shapes of inputs were given, expected at most {}", options_.shapes.size(), inputs.size()));
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    BP_ASSIGN(const ir::Shape shape, shape_of(inputs[i], i));
    const Array parameter = builder.parameter(shape, "");
    builder.module().set_name(parameter.id(), clean_name(inputs[i].name, "input"));
    entries_[inputs[i].name] = {parameter, 0, true, false};
  }
  return {};
}

// --- Layers ---

const std::vector<Message> &Lowering::blobs_of(const LayerProto &proto) const {
  const std::vector<Message> &own = proto.message.parts("blobs");
  const auto found = weights_by_name_.find(proto.name);
  return own.empty() && found != weights_by_name_.end() ? found->second->message.parts("blobs") : own;
}

Array Lowering::bottom(GraphBuilder &builder, const LayerProto &proto, const std::string &name) {
  const auto found = entries_.find(name);
  if (found != entries_.end()) {
    found->second.is_used = true;
    return found->second.array;
  }
  std::string reason;
  for (const LayerProto &other : net_.layers) {
    const std::vector<std::string> &tops = other.message.texts("top");
    if (!reason.empty() || std::ranges::find(tops, name) == tops.end()) {
      continue;
    }
    const auto chosen = std::ranges::find(layers_, &other, &ChosenLayer::proto);
    reason = chosen == layers_.end()
                 ? fmt::format("; {} \"{}\", which gives it, is not in the net for TEST", other.type, other.name)
             : chosen->row->role == Role::Loss
                 ? fmt::format("; {} \"{}\", which gives it, is a loss, and left out", other.type, other.name)
                 : fmt::format("; {} \"{}\", which gives it, comes later", other.type, other.name);
  }
  if (reason.empty()) {
    std::vector<std::string_view> names;
    for (const auto &[known, entry] : entries_) {
      names.push_back(known);
    }
    reason = suggestion(name, names);
  }
  return builder.fail(proto.message.error_in(
      "bottom",
      fmt::format("{} \"{}\": no layer before it gives the bottom \"{}\"{}", proto.type, proto.name, name, reason)));
}

void Lowering::define(GraphBuilder &builder, const LayerProto &proto, std::size_t top, const Array &array) {
  const std::vector<std::string> &bottoms = proto.message.texts("bottom");
  const std::string &name = proto.message.texts("top")[top];
  const auto found = entries_.find(name);
  // In place: the top takes the place of the bottom of the same number.
  const bool is_in_place = top < bottoms.size() && bottoms[top] == name;
  if (found != entries_.end() && !is_in_place) {
    builder.fail(proto.message.error_in(
        "top",
        fmt::format("{} \"{}\": the top \"{}\" is given by another layer as well", proto.type, proto.name, name)));
    return;
  }
  entries_[name] = {array, ++order_, false, false};
}

void Lowering::layer(GraphBuilder &builder, const ChosenLayer &chosen) {
  const LayerProto &proto = *chosen.proto;
  const LayerRow &row = *chosen.row;
  const std::vector<std::string> &bottom_names = proto.message.texts("bottom"), &tops = proto.message.texts("top");
  if (!is_in(bottom_names.size(), row.bottoms) || !is_in(tops.size(), row.tops)) {
    builder.fail(proto.message.error(fmt::format("{} \"{}\" has {} bottoms and {} tops, expected {} and {}", proto.type,
                                                 proto.name, bottom_names.size(), tops.size(), count_text(row.bottoms),
                                                 count_text(row.tops))));
    return;
  }
  if (row.role == Role::Data || row.type == "Input") {
    return;  // its tops are inputs
  }
  Arrays bottoms;
  for (const std::string &name : bottom_names) {
    bottoms.push_back(bottom(builder, proto, name));
  }
  if (builder.has_failed()) {
    return;
  }
  builder.set_origin(proto.type, proto.name);
  const std::size_t first = builder.module().instruction_id_limit();
  const Layer layer(builder, proto, row.parameters, std::move(bottoms), blobs_of(proto), options_.weights_file);
  const Arrays results = row.lower(layer);
  if (!builder.has_failed() && results.size() != tops.size()) {
    layer.fail(fmt::format("{} tops, expected {}", tops.size(), results.size()));
  }
  for (std::size_t i = 0; i < tops.size() && !builder.has_failed(); ++i) {
    if (!results[i].is_valid()) {
      layer.fail(fmt::format("the top {} is not computed", i));
      return;
    }
    if (ir::index(results[i].id()) >= first) {
      builder.module().set_name(results[i].id(), clean_name(tops[i], proto.type));
    }
    define(builder, proto, i, results[i]);
  }
  if (state_.error && state_.error->location().file.empty() && state_.error->location().line == 0) {
    // An error of the arithmetic on arrays does not know the layer that it is about.
    state_.error = with_code(state_.error->code(),
                             proto.message.error(fmt::format("{}: {}", layer.description(), state_.error->message())));
  }
}

// "At test time, this layer can be replaced simply by a SoftmaxLayer": the documentation of SoftmaxWithLoss; that of
// SigmoidCrossEntropyLoss says the same of Sigmoid. Other losses are left out.
void Lowering::loss(GraphBuilder &builder, const ChosenLayer &chosen) {
  const LayerProto &proto = *chosen.proto;
  const std::vector<std::string> &bottoms = proto.message.texts("bottom"), &tops = proto.message.texts("top");
  const bool is_softmax = proto.type == "SoftmaxWithLoss", is_sigmoid = proto.type == "SigmoidCrossEntropyLoss";
  if (!is_softmax && !is_sigmoid) {
    warn(proto, "left out, for its labels are no input of a net that is used");
    return;
  }
  warn(proto, fmt::format("{} takes its place, as Caffe's documentation says of nets that are used",
                          is_softmax ? "Softmax" : "Sigmoid"));
  if (bottoms.empty()) {
    builder.fail(proto.message.error(fmt::format("{} \"{}\" has no bottoms", proto.type, proto.name)));
    return;
  }
  const Array scores = bottom(builder, proto, bottoms[0]);
  if (builder.has_failed()) {
    return;
  }
  builder.set_origin(proto.type, proto.name);
  const std::vector<Message> no_blobs;
  const Layer layer(builder, proto, "softmax_param", {scores}, no_blobs, {});
  Array result = scores;
  if (is_softmax) {
    const std::int64_t axis = layer.axis("axis", 1, scores.rank());
    result = softmax_over(scores, Integers{axis});
  } else {
    result = logistic(scores);
  }
  if (result.is_valid()) {
    const std::string name = tops.size() > 1 ? tops[1] : "prob";
    builder.module().set_name(result.id(), clean_name(name, "prob"));
    entries_[tops.size() > 1 || !entries_.contains(name) ? name : fmt::format("{} of {}", name, proto.name)] = {
        result, ++order_, false, false};
  }
}

Arrays Lowering::outputs() const {
  std::vector<const Entry *> unused;
  for (const auto &[name, entry] : entries_) {
    if (!entry.is_used && !entry.is_input) {
      unused.push_back(&entry);
    }
  }
  std::ranges::sort(unused, [](const Entry *a, const Entry *b) { return a->order < b->order; });
  Arrays arrays;
  for (const Entry *entry : unused) {
    arrays.push_back(entry->array);
  }
  return arrays;
}

Result<ir::Module> Lowering::run() {
  ir::Module module(clean_name(net_.message.text("name"), "net"));
  module.set_source_file(options_.file);
  BP_ASSIGN(layers_, choose_layers(net_));
  if (std::ranges::none_of(layers_, [](const ChosenLayer &layer) { return layer.proto->message.has("top"); })) {
    return net_.message.error("no layer has a top: the file has weights alone, expected the net (NAME.prototxt)");
  }
  BP_ASSIGN(const std::vector<Input> inputs, inputs_of(net_, layers_));
  if (weights_ != nullptr) {
    for (const LayerProto &layer : weights_->layers) {
      weights_by_name_.emplace(layer.name, &layer);
    }
  }
  GraphBuilder builder(module, module.add_computation("main"), state_);
  BP_TRY(define_inputs(builder, inputs));
  for (std::size_t i = 0; i < layers_.size() && !state_.error; ++i) {
    layers_[i].row->role == Role::Loss ? loss(builder, layers_[i]) : layer(builder, layers_[i]);
  }
  if (state_.error) {
    return *state_.error;
  }
  const Arrays results = outputs();
  if (results.empty()) {
    return net_.message.error("the net has no output: every top is the bottom of another layer");
  }
  builder.set_origin("", "");
  const Array root = results.size() == 1 ? results[0] : builder.tuple(results);
  module.set_root(builder.computation(), root.id());
  module.set_entry(builder.computation());
  remove_unused(module);
  module.unique_names();
  if (Status verified = ir::verify(module); !verified.ok()) {
    return std::move(verified).error().note("this is what the net was imported as");
  }
  return module;
}

}  // namespace bp::import::caffe
