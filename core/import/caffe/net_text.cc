// Nets as text.
#include "core/base/suggestion.h"
#include "core/import/caffe/net_reader.h"
#include "core/import/protobuf/text_form.h"

namespace bp::import::caffe {
namespace {

using protobuf::TextReader;
using Event = TextReader::Event;
using Kind = FieldRow::Kind;

std::string_view describe(Event::Kind kind) {
  switch (kind) {
    case Event::Kind::Message: return "a message";
    case Event::Kind::Integer: return "an integer";
    case Event::Kind::Real: return "a real number";
    case Event::Kind::Text: return "a text";
    case Event::Kind::Name: return "a name";
    default: return "nothing";
  }
}

std::string describe(const FieldRow &row) {
  switch (row.kind) {
    case Kind::Integer: return "an integer";
    case Kind::Flag: return "true or false";
    case Kind::Real:
    case Kind::Double: return "a number";
    case Kind::Text: return "a text in quotes";
    case Kind::Choice: return names_of_choices(row.type);
    default: return fmt::format("a message {}", row.type);
  }
}

class NetTextReader {
 public:
  NetTextReader(Net &net, std::string_view text) : net_(net), reader_(text, net.origin.file) {}

  Status read() {
    BP_TRY(fields(net_.message));
    return problem_ ? Status(*problem_) : check_net(net_);
  }

 private:
  // Keeps something that does not fit caffe.proto, unless there is one.
  void keep(const Event &event, std::string message) {
    if (!problem_) {
      problem_ = invalid_input("{}", message).at(reader_.location(event)).in(net_.origin.text);
    }
  }

  // Reads the fields up to the end of a message. An error is one of the text's form.
  Status fields(Message &message) {
    for (;;) {
      BP_ASSIGN(const Event event, reader_.next());
      if (event.kind == Event::Kind::MessageEnd || event.kind == Event::Kind::End) {
        return {};
      }
      BP_TRY(field(message, event));
      if (problem_ && message.type() == "NetParameter") {
        return *problem_;
      }
    }
  }

  Status field(Message &message, const Event &event) {
    const FieldRow *row = find_field(message.type(), event.name);
    if (row == nullptr) {
      std::vector<std::string_view> names;
      for (const FieldRow &other : fields_of(message.type())) {
        names.push_back(other.name);
      }
      keep(event, fmt::format("{} has no field {}{}", message.type(), event.name, suggestion(event.name, names)));
    } else if (!row->is_list && row->kind != Kind::Ignored && message.has(row->name)) {
      keep(event, fmt::format("the field {} is given twice", row->name));
    } else if (row->kind != Kind::Ignored) {
      return value(message, *row, event);
    } else {
      message.add(*row, {event.line, event.column, {}});
    }
    return event.kind == Event::Kind::Message ? reader_.skip_message() : Status();
  }

  Status value(Message &message, const FieldRow &row, const Event &event) {
    const Place place{event.line, event.column, {}};
    const bool is_message = event.kind == Event::Kind::Message;
    if (row.kind == Kind::Message && is_message) {
      Message inner(row.type, net_.origin, place);
      FieldValues &field = message.add(row, place);
      BP_TRY(fields(inner));
      if (has_layers(row)) {
        add_layer(net_, std::move(inner), std::exchange(problem_, std::nullopt));
      } else {
        field.messages.push_back(std::move(inner));
      }
      return {};
    }
    if (!scalar(message, row, event)) {
      keep(event, fmt::format("the field {} has {}{}, expected {}", row.name, describe(event.kind),
                              event.kind == Event::Kind::Name ? " " + event.text : std::string(), describe(row)));
      return is_message ? reader_.skip_message() : Status();
    }
    return {};
  }

  // Takes a value that is no message: false if it is of another kind.
  static bool scalar(Message &message, const FieldRow &row, const Event &event) {
    const bool is_integer = event.kind == Event::Kind::Integer, is_name = event.kind == Event::Kind::Name;
    std::optional<std::int64_t> integer;
    if (row.kind == Kind::Text && event.kind == Event::Kind::Text) {
      message.add(row, {event.line, event.column, {}}).texts.push_back(event.text);
      return true;
    }
    if ((row.kind == Kind::Real || row.kind == Kind::Double) && (is_integer || event.kind == Event::Kind::Real)) {
      message.add(row, {event.line, event.column, {}}).reals.push_back(event.real);
      return true;
    }
    if (row.kind == Kind::Choice && is_name) {
      integer = number_of_choice(row.type, event.text);
    } else if (row.kind == Kind::Choice && is_integer && has_choice(row.type, event.integer)) {
      integer = event.integer;
    } else if (row.kind == Kind::Flag && is_name) {
      const bool is_true = event.text == "true" || event.text == "True" || event.text == "t";
      const bool is_false = event.text == "false" || event.text == "False" || event.text == "f";
      integer = is_true || is_false ? std::optional<std::int64_t>(is_true) : std::nullopt;
    } else if (is_integer &&
               (row.kind == Kind::Integer || (row.kind == Kind::Flag && (event.integer == 0 || event.integer == 1)))) {
      integer = event.integer;
    }
    if (integer) {
      message.add(row, {event.line, event.column, {}}).integers.push_back(*integer);
    }
    return integer.has_value();
  }

  Net &net_;
  TextReader reader_;
  std::optional<Error> problem_;  // of the layer that is being read, or of the net outside of layers
};

}  // namespace

bool is_net_text(std::string_view bytes) {
  const Result<Event> first = TextReader(bytes, {}).next();
  const FieldRow *row = first.ok() ? find_field("NetParameter", first->name) : nullptr;
  if (row == nullptr || (row->kind == Kind::Message) != (first->kind == Event::Kind::Message)) {
    return false;
  }
  // The name alone is a field of many messages.
  return row->name != "name" || bytes.find("layer") != std::string_view::npos;
}

Result<std::unique_ptr<const Net>> read_net_text(std::string_view text, const std::string &file) {
  auto net = std::make_unique<Net>();
  net->origin.file = file;
  net->origin.text = text;
  net->message = Message("NetParameter", net->origin, {1, 1, {}});
  BP_TRY(NetTextReader(*net, text).read());
  return std::unique_ptr<const Net>(std::move(net));
}

}  // namespace bp::import::caffe
