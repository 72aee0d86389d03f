#include "core/import/caffe/layer.h"

#include <fmt/ranges.h>

#include "core/import/caffe/blob.h"

namespace bp::import::caffe {

std::string sizes_text(Span sizes) {
  return fmt::format("[{}]", fmt::join(sizes, ","));
}

std::string Layer::description() const {
  return fmt::format("{} \"{}\"", proto_.type, proto_.name);
}

Arrays Layer::fail(std::string message) const {
  builder_.fail(proto_.message.error(fmt::format("{}: {}", description(), message)));
  return {};
}

Arrays Layer::fail_in(std::string_view field, std::string message) const {
  const std::string text = fmt::format("{}: {}", description(), message);
  builder_.fail(parameters_.has(field) ? parameters_.error_in(field, text) : proto_.message.error(text));
  return {};
}

Arrays Layer::unsupported_in(std::string_view field, std::string message) const {
  const std::string text = fmt::format("{}: {}", description(), message);
  const Error error = parameters_.has(field) ? parameters_.error_in(field, text) : proto_.message.error(text);
  builder_.fail(with_code(ErrorCode::Unsupported, error));
  return {};
}

bool Layer::has_blobs(std::size_t count) const {
  if (blobs_.size() == count) {
    return true;
  }
  fail(fmt::format("{} blobs of weights{}, expected {}", blobs_.size(),
                   weights_file_.empty() ? std::string() : fmt::format(" in {}", weights_file_), count));
  return false;
}

Array Layer::blob(std::size_t i, Span sizes) const {
  const Array none(&builder_, ir::no_instruction);
  if (has_failed()) {
    return none;
  }
  if (i >= blobs_.size()) {
    fail(fmt::format("there is no blob {} of weights, expected one of the sizes {}", i, sizes_text(sizes)));
    return none;
  }
  Result<ir::Literal> literal = read_blob(blobs_[i], sizes);
  if (!literal.ok()) {
    return builder_.fail(std::move(literal).error().note(fmt::format("this is blob {} of {}", i, description())));
  }
  return builder_.constant(std::move(*literal));
}

std::int64_t Layer::integer(std::string_view name, std::int64_t if_absent, std::int64_t least,
                            std::int64_t most) const {
  const std::int64_t value = parameters_.integer(name, if_absent);
  if (value >= least && value <= most) {
    return value;
  }
  fail_in(name, fmt::format("{} is {}, expected {} to {}", name, value, least, most));
  return least;
}

std::int64_t Layer::positive(std::string_view name) const {
  if (!parameters_.has(name)) {
    fail(fmt::format("{} is absent", name));
    return 1;
  }
  return integer(name, 1, 1);
}

std::int64_t Layer::axis(std::string_view name, std::int64_t if_absent, std::size_t rank, End end) const {
  const auto limit = static_cast<std::int64_t>(rank) + (end == End::Allowed ? 1 : 0);
  const std::int64_t value = parameters_.integer(name, if_absent);
  if (value < -limit || value >= limit) {
    fail_in(name, fmt::format("{} is {}, expected a number of the {} dimensions", name, value, rank));
    return 0;
  }
  return value < 0 ? value + limit : value;
}

}  // namespace bp::import::caffe
