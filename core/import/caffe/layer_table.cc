#include "core/import/caffe/layer_table.h"

#include <algorithm>
#include <limits>

#include "core/import/caffe/lower.h"

namespace bp::import::caffe {
namespace {

using Role = LayerRow::Role;

constexpr std::size_t any_number = std::numeric_limits<std::size_t>::max();

constexpr LayerRow::Count exactly(std::size_t count) {
  return {count, count};
}
constexpr LayerRow::Count at_least(std::size_t count) {
  return {count, any_number};
}
constexpr LayerRow::Count between(std::size_t least, std::size_t most) {
  return {least, most};
}

constexpr LayerRow table[] = {
#define BP_CAFFE_LAYER(type, v1_name, v1_number, bottoms, tops, parameters, function) \
  {#type, v1_number, Role::Compute, false, bottoms, tops, #parameters, lower_##function},
#define BP_CAFFE_WEIGHTED(type, v1_name, v1_number, bottoms, tops, parameters, function) \
  {#type, v1_number, Role::Compute, true, bottoms, tops, #parameters, lower_##function},
#define BP_CAFFE_DATA(type, v1_name, v1_number) \
  {#type, v1_number, Role::Data, false, exactly(0), at_least(1), "none", nullptr},
#define BP_CAFFE_LOSS(type, v1_name, v1_number) \
  {#type, v1_number, Role::Loss, false, at_least(1), at_least(0), "none", nullptr},
#include "core/import/caffe/layers.def"
};

}  // namespace

std::span<const LayerRow> all_layers() {
  return table;
}

const LayerRow *find_layer(std::string_view type) {
  const auto found = std::ranges::find(table, type, &LayerRow::type);
  return found == std::end(table) ? nullptr : found;
}

const LayerRow *find_v1_layer(std::int64_t number) {
  const auto found = std::ranges::find(table, number, &LayerRow::v1_number);
  return number == 0 || found == std::end(table) ? nullptr : found;
}

}  // namespace bp::import::caffe
