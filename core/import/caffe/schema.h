// The message types of caffe.proto, from the rows of fields.def.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace bp::import::caffe {

struct FieldRow {
  enum class Kind { Section, Integer, Flag, Real, Double, Text, Choice, Message, Ignored };
  std::uint32_t number = 0;  // 0: of texts only
  std::string_view name;
  Kind kind = Kind::Section;
  bool is_list = false;
  std::string_view type;  // of a message, or the enumeration of a choice
};

// Returns the fields of a message type of caffe.proto.
std::span<const FieldRow> fields_of(std::string_view message);
// Returns the row of a field; nullptr if there is none.
const FieldRow *find_field(std::string_view message, std::string_view name);

// Return the number of a name of an enumeration, and whether it has a number.
std::optional<std::int64_t> number_of_choice(std::string_view enumeration, std::string_view name);
bool has_choice(std::string_view enumeration, std::int64_t number);
// Returns "MAX, AVE or STOCHASTIC".
std::string names_of_choices(std::string_view enumeration);

}  // namespace bp::import::caffe
