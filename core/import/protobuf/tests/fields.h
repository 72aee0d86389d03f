// Builds messages field by field, so that tests can write one with an error in one place.
#pragma once

#include <string>
#include <string_view>

#include "core/import/protobuf/wire.h"

namespace bp::import::protobuf::testing {

// Fields by number, as on the wire.
inline std::string varint(std::uint32_t number, std::int64_t value) {
  Writer writer;
  writer.integer({number, {}}, value);
  return writer.take();
}
inline std::string bytes(std::uint32_t number, std::string_view value) {
  Writer writer;
  writer.text({number, {}}, value);
  return writer.take();
}

// Returns an error's text without the offset in it, "m.pb: offset 12: PATH: ..." as "m.pb: PATH: ...": for tests in
// which it is the path that matters.
inline std::string without_offset(std::string text) {
  constexpr std::string_view word = ": offset ";
  const std::size_t begin = text.find(word);
  return begin == std::string::npos ? text : text.erase(begin, text.find(": ", begin + word.size()) - begin);
}

}  // namespace bp::import::protobuf::testing
