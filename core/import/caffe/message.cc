#include "core/import/caffe/message.h"

#include <algorithm>

namespace bp::import::caffe {
namespace {

// Returns the values of a list, nothing if the field is absent.
template <class T>
const std::vector<T> &list_of(const FieldValues *field, std::vector<T> FieldValues::*list) {
  static const std::vector<T> none;
  return field == nullptr ? none : field->*list;
}

}  // namespace

Error with_code(ErrorCode code, const Error &error) {
  return Error(code, error.message()).at(error.location());
}

const FieldValues *Message::find(std::string_view name) const {
  const auto found = std::ranges::find_if(fields_, [&](const FieldValues &field) { return field.row->name == name; });
  return found == fields_.end() ? nullptr : &*found;
}

std::int64_t Message::integer(std::string_view name, std::int64_t if_absent) const {
  const auto &list = integers(name);
  return list.empty() ? if_absent : list.back();
}

double Message::real(std::string_view name, double if_absent) const {
  const auto &list = reals(name);
  return static_cast<float>(list.empty() ? if_absent : list.back());
}

std::string_view Message::text(std::string_view name) const {
  const auto &list = texts(name);
  return list.empty() ? std::string_view() : list.back();
}

const Message &Message::part(std::string_view name) const {
  static const Message none;
  const auto &list = parts(name);
  return list.empty() ? none : list.back();
}

const std::vector<std::int64_t> &Message::integers(std::string_view name) const {
  return list_of(find(name), &FieldValues::integers);
}
const std::vector<double> &Message::reals(std::string_view name) const {
  return list_of(find(name), &FieldValues::reals);
}
const std::vector<std::string> &Message::texts(std::string_view name) const {
  return list_of(find(name), &FieldValues::texts);
}
const std::vector<Message> &Message::parts(std::string_view name) const {
  return list_of(find(name), &FieldValues::messages);
}

FieldValues &Message::add(const FieldRow &row, Place place) {
  const auto found = std::ranges::find(fields_, &row, &FieldValues::row);
  if (found != fields_.end()) {
    return *found;
  }
  FieldValues &field = fields_.emplace_back();
  field.row = &row;
  field.place = std::move(place);
  return field;
}

Error Message::error_at(const Place &place, std::string_view field, std::string message) const {
  if (origin_ == nullptr) {
    return invalid_input("{}", message);
  }
  if (place.line == 0) {
    return invalid_input("{}{}{}: {}", place.path, field.empty() ? "" : ".", field, message)
        .at({origin_->file, 0, 0, {}});
  }
  return invalid_input("{}", message).at({origin_->file, place.line, place.column, {}}).in(origin_->text);
}

Error Message::error_in(std::string_view name, std::string message) const {
  const FieldValues *field = find(name);
  if (field == nullptr) {
    return error(std::move(message));
  }
  const bool is_text = field->place.line != 0;
  return error_at(is_text ? field->place : place_, is_text ? std::string_view() : name, std::move(message));
}

}  // namespace bp::import::caffe
