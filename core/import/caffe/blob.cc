#include "core/import/caffe/blob.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>

namespace bp::import::caffe {
namespace {

using ir::Literal;
using ir::Shape;

constexpr std::string_view old_sizes[] = {"num", "channels", "height", "width"};

// Whether a blob of these sizes is one of the expected sizes, as Blob::ShapeEquals of Caffe has it.
bool fits(std::vector<std::int64_t> stated, bool is_old, std::span<const std::int64_t> expected) {
  std::vector<std::int64_t> wanted(expected.begin(), expected.end());
  if (is_old && wanted.size() < stated.size()) {
    wanted.insert(wanted.begin(), stated.size() - wanted.size(), 1);
  }
  return stated == wanted;
}

// Returns the number of elements that a field has.
std::size_t element_count(const FieldValues &field, std::size_t width) {
  return field.packed.empty() ? field.reals.size() : field.packed.size() / width;
}

}  // namespace

Result<std::vector<std::int64_t>> read_sizes(const Message &shape, std::int64_t least) {
  const std::vector<std::int64_t> &sizes = shape.integers("dim");
  if (sizes.size() > ir::max_rank) {
    return shape.error_in("dim", fmt::format("{} dimensions, expected at most {}", sizes.size(), ir::max_rank));
  }
  for (const std::int64_t size : sizes) {
    if (size < least) {
      return shape.error_in("dim", fmt::format("the size {}, expected at least {}", size, least));
    }
  }
  return sizes;
}

Result<Literal> read_blob(const Message &blob, std::span<const std::int64_t> sizes) {
  const bool is_old = std::ranges::any_of(old_sizes, [&](std::string_view name) { return blob.has(name); });
  std::vector<std::int64_t> stated;
  if (is_old) {
    for (const std::string_view name : old_sizes) {
      stated.push_back(blob.integer(name));
    }
  } else {
    stated = blob.part("shape").integers("dim");
  }
  if (!fits(stated, is_old, sizes)) {
    return blob.error(
        fmt::format("the weights have the sizes [{}], expected [{}]", fmt::join(stated, ","), fmt::join(sizes, ",")));
  }
  const FieldValues *data = blob.find("data"), *double_data = blob.find("double_data");
  const bool is_double = data == nullptr && double_data != nullptr;
  const FieldValues *field = is_double ? double_data : data;
  if (field == nullptr && blob.has("raw_data")) {
    return with_code(ErrorCode::Unsupported,
                     blob.error("the weights are raw bytes, as NVIDIA's branch of Caffe writes f16"))
        .note("write the net with BVLC's Caffe, which stores float");
  }
  const std::size_t width = is_double ? 8 : 4;
  const std::size_t found = field == nullptr ? 0 : element_count(*field, width);
  const Shape shape = Shape::array(ir::ElementType::F32, sizes);
  if (static_cast<std::int64_t>(found) != shape.element_count()) {
    return blob.error(fmt::format("the weights have {} elements, expected {} of [{}]", found, shape.element_count(),
                                  fmt::join(sizes, ",")));
  }
  // Memory is allocated only for elements that are there.
  BP_ASSIGN(Literal literal, Literal::zeros(shape));
  const std::span<float> elements = literal.mutable_elements<float>();
  if (found == 0) {
    return literal;
  }
  if (field->packed.empty()) {
    std::ranges::transform(field->reals, elements.begin(), [](double x) { return static_cast<float>(x); });
  } else if (!is_double) {
    std::memcpy(elements.data(), field->packed.data(), field->packed.size());
  } else {
    for (std::size_t i = 0; i < found; ++i) {
      double number = 0;
      std::memcpy(&number, field->packed.data() + i * width, width);
      elements[i] = static_cast<float>(number);
    }
  }
  return literal;
}

}  // namespace bp::import::caffe
