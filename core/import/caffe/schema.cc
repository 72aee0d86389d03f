#include "core/import/caffe/schema.h"

#include <algorithm>
#include <map>
#include <vector>

#include "core/base/check.h"

namespace bp::import::caffe {
namespace {

using Kind = FieldRow::Kind;

constexpr FieldRow rows[] = {
#define BP_CAFFE_MESSAGE(name) {0, #name, Kind::Section, false, ""},
#define BP_CAFFE_FIELD(number, name, kind) {number, #name, Kind::kind, false, ""},
#define BP_CAFFE_LIST(number, name, kind) {number, #name, Kind::kind, true, ""},
#define BP_CAFFE_CHOICE(number, name, enumeration) {number, #name, Kind::Choice, false, #enumeration},
#define BP_CAFFE_PART(number, name, message) {number, #name, Kind::Message, false, #message},
#define BP_CAFFE_PARTS(number, name, message) {number, #name, Kind::Message, true, #message},
#include "core/import/caffe/fields.def"
};

struct Choice {
  std::string_view enumeration, name;
  std::int64_t number;
};

constexpr Choice choices[] = {
    {"EltwiseOp", "PROD", 0},
    {"EltwiseOp", "SUM", 1},
    {"EltwiseOp", "MAX", 2},
    {"NormRegion", "ACROSS_CHANNELS", 0},
    {"NormRegion", "WITHIN_CHANNEL", 1},
    {"Phase", "TRAIN", 0},
    {"Phase", "TEST", 1},
    {"PoolMethod", "MAX", 0},
    {"PoolMethod", "AVE", 1},
    {"PoolMethod", "STOCHASTIC", 2},
    {"ReductionOp", "SUM", 1},
    {"ReductionOp", "ASUM", 2},
    {"ReductionOp", "SUMSQ", 3},
    {"ReductionOp", "MEAN", 4},
    {"RoundMode", "CEIL", 0},
    {"RoundMode", "FLOOR", 1},
    // V1LayerParameter.LayerType
    {"LayerType", "NONE", 0},
    {"LayerType", "IM2COL", 11},
    {"LayerType", "HDF5_OUTPUT", 10},
#define BP_CAFFE_LAYER(type, v1_name, v1_number, bottoms, tops, parameters, function) \
  {v1_number == 0 ? "" : "LayerType", #v1_name, v1_number},
#define BP_CAFFE_DATA(type, v1_name, v1_number) {"LayerType", #v1_name, v1_number},
#define BP_CAFFE_LOSS(type, v1_name, v1_number) {"LayerType", #v1_name, v1_number},
#include "core/import/caffe/layers.def"
};

// Returns the fields of each message.
std::map<std::string_view, std::span<const FieldRow>> find_messages() {
  std::map<std::string_view, std::span<const FieldRow>> messages;
  const auto is_section = [](const FieldRow &row) { return row.kind == Kind::Section; };
  for (const FieldRow *section = rows; section != std::end(rows);) {
    const FieldRow *end = std::find_if(section + 1, std::end(rows), is_section);
    messages.emplace(section->name, std::span(section + 1, end));
    section = end;
  }
  return messages;
}

}  // namespace

std::span<const FieldRow> fields_of(std::string_view message) {
  static const std::map<std::string_view, std::span<const FieldRow>> messages = find_messages();
  const auto found = messages.find(message);
  BP_CHECK(found != messages.end());
  return found->second;
}

const FieldRow *find_field(std::string_view message, std::string_view name) {
  const std::span<const FieldRow> fields = fields_of(message);
  const auto found = std::ranges::find(fields, name, &FieldRow::name);
  return found == fields.end() ? nullptr : &*found;
}

std::optional<std::int64_t> number_of_choice(std::string_view enumeration, std::string_view name) {
  const auto found = std::ranges::find_if(
      choices, [&](const Choice &choice) { return choice.enumeration == enumeration && choice.name == name; });
  return found == std::end(choices) ? std::nullopt : std::optional(found->number);
}

bool has_choice(std::string_view enumeration, std::int64_t number) {
  return std::ranges::any_of(
      choices, [&](const Choice &choice) { return choice.enumeration == enumeration && choice.number == number; });
}

std::string names_of_choices(std::string_view enumeration) {
  std::vector<std::string_view> names;
  for (const Choice &choice : choices) {
    if (choice.enumeration == enumeration) {
      names.push_back(choice.name);
    }
  }
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += i == 0 ? "" : i + 1 == names.size() ? " or " : ", ";
    text += names[i];
  }
  return text;
}

}  // namespace bp::import::caffe
