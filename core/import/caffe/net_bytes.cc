// Nets as bytes.
#include <algorithm>
#include <cstring>

#include "core/import/caffe/net_reader.h"
#include "core/import/protobuf/wire.h"

namespace bp::import::caffe {
namespace {

using Kind = FieldRow::Kind;
using Wire = protobuf::Message;

// Longer lists of integers are refused: they would take more memory than the file.
constexpr std::size_t max_integers = 1 << 16;

class NetBytesReader {
 public:
  explicit NetBytesReader(Net &net) : net_(net) {}

  Status read(const Wire &wire) {
    BP_TRY(fields(net_.message, wire));
    return problem_ ? Status(*problem_) : check_net(net_);
  }

 private:
  void keep(Error error) {
    if (!problem_) {
      problem_ = std::move(error);
    }
  }

  Status fields(Message &message, const Wire &wire) {
    for (const FieldRow &row : fields_of(message.type())) {
      const protobuf::Field field{row.number, row.name};
      if (row.number != 0 && wire.has(field)) {
        BP_TRY(values(message.add(row, {0, 0, wire.path().to_string()}), message, wire));
      }
    }
    return {};
  }

  Status values(FieldValues &values, const Message &message, const Wire &wire) {
    const FieldRow &row = *values.row;
    const protobuf::Field field{row.number, row.name};
    switch (row.kind) {
      case Kind::Integer:
      case Kind::Flag:
      case Kind::Choice: return integers(values, message, wire, field);
      case Kind::Real:
      case Kind::Double: return reals(values, message, wire, field);
      case Kind::Text:
        return wire.for_each_text(field, [&](std::string_view text) { values.texts.emplace_back(text); });
      case Kind::Message:
        if (row.is_list) {
          return wire.for_each(field, [&](const Wire &inner) { return part(values, inner); });
        } else {
          BP_ASSIGN(const Wire inner, wire.child(field));
          return part(values, inner);
        }
      default: return {};
    }
  }

  Status integers(FieldValues &values, const Message &message, const Wire &wire, protobuf::Field field) {
    const FieldRow &row = *values.row;
    if (row.is_list) {
      BP_ASSIGN(values.integers, wire.integers(field));
    } else {
      BP_ASSIGN(const std::int64_t integer, wire.integer(field));
      values.integers = {row.kind == Kind::Flag ? integer != 0 : integer};
    }
    if (values.integers.size() > max_integers) {
      return wire.error_in(field, "{} integers, expected at most {}", values.integers.size(), max_integers);
    }
    if (row.kind == Kind::Choice && !has_choice(row.type, values.integers[0])) {
      keep(message.error_in(row.name, fmt::format("found {}, expected the number of {}", values.integers[0],
                                                  names_of_choices(row.type))));
    }
    return {};
  }

  Status reals(FieldValues &values, const Message &message, const Wire &wire, protobuf::Field field) {
    const FieldRow &row = *values.row;
    if (!row.is_list) {
      BP_ASSIGN(const double real, wire.real(field));
      values.reals = {real};
      return {};
    }
    const std::size_t width = row.kind == Kind::Double ? 8 : 4;
    // Weights are packed into one field: they stay where they are.
    const Result<std::string_view> packed = wire.text(field);
    if (wire.count(field) == 1 && packed.ok() && packed->size() % width == 0) {
      values.packed = *packed;
    } else {
      BP_ASSIGN(std::string bytes, wire.fixed_width(field, width));
      values.packed = net_.origin.merged.emplace_back(std::move(bytes));
    }
    if (message.type() == "BlobProto") {
      return {};
    }
    if (values.packed.size() / width > max_integers) {
      return wire.error_in(field, "{} numbers, expected at most {}", values.packed.size() / width, max_integers);
    }
    for (std::size_t i = 0; i + width <= values.packed.size(); i += width) {
      float number = 0;
      std::memcpy(&number, values.packed.data() + i, sizeof number);
      values.reals.push_back(number);
    }
    return {};
  }

  Status part(FieldValues &values, const Wire &wire) {
    const FieldRow &row = *values.row;
    Message inner(row.type, net_.origin, {0, 0, wire.path().to_string()});
    BP_TRY(fields(inner, wire));
    if (has_layers(row)) {
      add_layer(net_, std::move(inner), std::exchange(problem_, std::nullopt));
    } else {
      values.messages.push_back(std::move(inner));
    }
    return {};
  }

  Net &net_;
  std::optional<Error> problem_;  // of the layer that is being read, or of the net outside of layers
};

}  // namespace

bool is_net_bytes(std::string_view bytes) {
  // The outermost message, and the first layer, are looked at, so that a large file is recognized at once.
  const Result<Wire> net = Wire::parse(bytes, {nullptr, "NetParameter"});
  constexpr std::uint32_t known[] = {1, 2, 3, 4, 5, 6, 7, 8, 100};
  constexpr protobuf::Field name{1, "name"}, old_layers{2, "layers"}, layers{100, "layer"};
  if (!net.ok() || !net->has_only(known) || !net->text(name).ok() || net->has(old_layers) == net->has(layers)) {
    return false;
  }
  bool is_first = true, is_layer = false;
  const bool is_old = net->has(old_layers);
  const Status read = net->for_each_text(is_old ? old_layers : layers, [&](std::string_view layer) {
    const Result<Wire> parsed = is_first ? Wire::parse(layer, {nullptr, "LayerParameter"}) : net;
    if (std::exchange(is_first, false) && parsed.ok()) {
      const protobuf::Field layer_name{is_old ? 4u : 1u, "name"}, type{is_old ? 5u : 2u, "type"};
      is_layer = parsed->has(layer_name) && parsed->text(layer_name).ok() && parsed->has(type) &&
                 (is_old ? parsed->integer(type).ok() : parsed->text(type).ok());
    }
  });
  return read.ok() && is_layer;
}

Result<std::unique_ptr<const Net>> read_net_bytes(std::string_view bytes, const std::string &file) {
  auto net = std::make_unique<Net>();
  net->origin.file = file;
  const auto read = [&]() -> Status {
    BP_ASSIGN(const Wire wire, Wire::parse(bytes, {nullptr, "NetParameter", -1, 0, &net->origin.merged}));
    net->message = Message("NetParameter", net->origin, {0, 0, "NetParameter"});
    return NetBytesReader(*net).read(wire);
  };
  if (Status status = read(); !status.ok()) {
    return Error(status.error()).at({file, 0, 0, {}});
  }
  return std::unique_ptr<const Net>(std::move(net));
}

}  // namespace bp::import::caffe
