// libFuzzer target: for any bytes, the readers of NumPy's files return arrays or an error. Arrays that were read are
// written and read again, which gives the same.
#include <cstdint>

#include "core/text/printer.h"
#include "tools/arrays/npy.h"
#include "tools/arrays/npz.h"

namespace {

using bp::ir::ElementType;
using bp::ir::Literal;

void read_array(std::string_view bytes) {
  for (const ElementType expected : {ElementType::Invalid, ElementType::BF16, ElementType::S4}) {
    const auto array = bp::arrays::read_npy(bytes, expected, "fuzz.npy");
    if (!array.ok()) {
      (void)array.error().to_string();
      continue;
    }
    constexpr std::int64_t max_printed = 4096;
    if (array->shape().element_count() <= max_printed) {
      bp::text::print(*array);  // looks at each element
    }
    const ElementType type = array->shape().element_type();
    const auto again = bp::arrays::read_npy(bp::arrays::write_npy(*array), type, "again.npy");
    if (!again.ok() || !again->identical(*array)) {
      __builtin_trap();
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char *>(data), size);
  read_array(bytes);
  const auto entries = bp::arrays::read_npz(bytes, "fuzz.npz");
  if (!entries.ok()) {
    (void)entries.error().to_string();
    return 0;
  }
  for (const auto &[name, content] : *entries) {
    read_array(content);
  }
  return 0;
}
