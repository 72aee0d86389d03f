#include "core/remote/listing.h"

#include <algorithm>

#include "core/ir/literal.h"
#include "core/ir/storage.h"
#include "core/text/printer.h"

namespace bp::remote {
namespace {

constexpr std::size_t max_differences = 10;

// Returns an element as text, such as "1.5", or its bytes in hexadecimal if its type is not known.
std::string element_to_string(const Item &item, std::size_t index, std::size_t width) {
  const Bytes bytes = item.array.subspan(index * width, std::min(width, item.array.size() - index * width));
  const auto known =
      std::ranges::find(ir::element_types(), static_cast<ir::ElementType>(item.dtype), &ir::ElementTypeInfo::type);
  if (known != ir::element_types().end() && item.element_bits >= 8) {
    const ir::Shape shape = ir::Shape::scalar(known->type);
    if (ir::stored_element_bits(shape) == static_cast<std::int64_t>(8 * bytes.size())) {
      if (const auto literal = ir::load(bytes, shape); literal.ok()) {
        return text::print(*literal);
      }
    }
  }
  std::string hex = "0x";
  for (auto byte = bytes.rbegin(); byte != bytes.rend(); ++byte) {
    hex += fmt::format("{:02x}", static_cast<unsigned>(*byte));
  }
  return hex;
}

std::string compare_arrays(const Item &recorded, const Item &came) {
  if (recorded.array.size() != came.array.size()) {
    return fmt::format("recorded {} bytes, came {}", recorded.array.size(), came.array.size());
  }
  const std::size_t width = std::max<std::size_t>(1, recorded.element_bits / 8);
  std::size_t count = 0, first = 0;
  for (std::size_t i = 0; i * width < recorded.array.size(); ++i) {
    const std::size_t size = std::min(width, recorded.array.size() - i * width);
    if (std::memcmp(&recorded.array[i * width], &came.array[i * width], size) != 0) {
      first = count++ == 0 ? i : first;
    }
  }
  return fmt::format("{} of {} elements differ; element {}: recorded {}, came {}", count,
                     (recorded.array.size() + width - 1) / width, first, element_to_string(recorded, first, width),
                     element_to_string(came, first, width));
}

}  // namespace

std::string Item::to_string() const {
  const std::string what = array.empty() ? value : fmt::format("{} bytes", array.size());
  return name.empty() ? what : fmt::format("{} {}", name, what);
}

std::vector<std::string> compare(const Listing &recorded, const Listing &came) {
  std::vector<std::string> differences;
  if (recorded.outputs.size() != came.outputs.size()) {
    differences.push_back(fmt::format("recorded {} outputs, came {}", recorded.outputs.size(), came.outputs.size()));
  }
  for (std::size_t i = 0; i < std::min(recorded.outputs.size(), came.outputs.size()); ++i) {
    const Item &before = recorded.outputs[i], &now = came.outputs[i];
    if (!before.is_compared || (before.value == now.value && std::ranges::equal(before.array, now.array))) {
      continue;
    }
    if (differences.size() == max_differences) {
      differences.push_back("and more");
      break;
    }
    const std::string what = before.array.empty() && now.array.empty()
                                 ? fmt::format("recorded {}, came {}", before.value, now.value)
                                 : compare_arrays(before, now);
    differences.push_back(before.name.empty() ? what : fmt::format("{}: {}", before.name, what));
  }
  return differences;
}

}  // namespace bp::remote
