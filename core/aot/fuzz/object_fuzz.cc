// Fuzz driver for object files, which come from plugins: any bytes are refused, or are an object that can be joined
// with itself once its symbols are local, written, and read again.
#include <cstdint>
#include <cstdlib>

#include "core/aot/object_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char *>(data), size);
  bp::Result<bp::aot::ObjectFile> object = bp::aot::read_object(bytes, "input");
  if (!object.ok()) {
    return 0;
  }
  bp::aot::make_local(*object, {});
  bp::aot::ObjectFile joined = *object;
  if (!bp::aot::append(joined, *object, "input").ok() ||
      !bp::aot::read_object(bp::aot::write_object(joined), "written").ok()) {
    std::abort();
  }
  return 0;
}
