// A message of caffe.proto, as a text or a binary file has it. Both are read by the same rows (fields.def), so that
// every value has the kind that its row says: whoever asks for it need not check.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/import/caffe/schema.h"

namespace bp::import::caffe {

// A file that messages come from. Outlives them.
struct Origin {
  std::string file;
  std::string_view text;           // empty if the file is binary
  std::deque<std::string> merged;  // bytes of messages that a binary file has in parts
};

// Returns an error of another code, about the same place.
Error with_code(ErrorCode code, const Error &error);

// Where something is: the line and column of a text, or in a binary file the path of fields.
struct Place {
  std::uint32_t line = 0, column = 0;
  std::string path;
};

class Message;

// The values of one field, in the order of the file.
struct FieldValues {
  const FieldRow *row = nullptr;
  Place place;                         // of the first one
  std::vector<std::int64_t> integers;  // of integers, flags and choices
  std::vector<double> reals;
  std::string_view packed;  // in place of `reals`: little-endian numbers, float or for Double double
  std::vector<std::string> texts;
  std::vector<Message> messages;
};

class Message {
 public:
  Message() = default;
  Message(std::string_view type, const Origin &origin, Place place)
      : type_(type), origin_(&origin), place_(std::move(place)) {}

  std::string_view type() const { return type_; }
  const Place &place() const { return place_; }
  bool has(std::string_view name) const { return find(name) != nullptr; }
  // Return the value of a field that is no list, which must be of this kind.
  std::int64_t integer(std::string_view name, std::int64_t if_absent = 0) const;
  bool flag(std::string_view name, bool if_absent) const { return integer(name, if_absent ? 1 : 0) != 0; }
  double real(std::string_view name, double if_absent) const;  // as a float has it
  std::string_view text(std::string_view name) const;
  const Message &part(std::string_view name) const;  // empty if it is absent
  // Return the values of a list.
  const std::vector<std::int64_t> &integers(std::string_view name) const;
  const std::vector<double> &reals(std::string_view name) const;
  const std::vector<std::string> &texts(std::string_view name) const;
  const std::vector<Message> &parts(std::string_view name) const;
  const FieldValues *find(std::string_view name) const;

  // Returns an error about the message, or about a field of it; about the message if the field is absent.
  Error error(std::string message) const { return error_at(place_, {}, std::move(message)); }
  Error error_in(std::string_view name, std::string message) const;

  FieldValues &add(const FieldRow &row, Place place);

 private:
  Error error_at(const Place &place, std::string_view field, std::string message) const;

  std::string_view type_;
  const Origin *origin_ = nullptr;
  Place place_;
  std::vector<FieldValues> fields_;
};

}  // namespace bp::import::caffe
