// libFuzzer target: for any bytes, the reader of HLO protocol buffers returns. The verifier must not crash on a module
// it accepts. If the module is valid, writing and reading it gives a module with the same text and the same bytes.
#include <cstdint>
#include <cstdio>

#include "core/import/hlo_proto/hlo_proto.h"
#include "core/ir/verifier.h"
#include "core/text/printer.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  namespace hlo_proto = bp::import::hlo_proto;
  auto module = hlo_proto::read_module({reinterpret_cast<const char *>(data), size}, {"fuzz.pb"});
  if (!module.ok()) {
    module.error().to_string();
    return 0;
  }
  if (!bp::ir::verify(*module).ok()) {
    return 0;
  }
  auto written = hlo_proto::write_module(*module);
  if (!written.ok()) {
    return 0;
  }
  auto again = hlo_proto::read_module(*written);
  bool is_same = again.ok() && bp::text::print(*again) == bp::text::print(*module);
  auto rewritten = is_same ? hlo_proto::write_module(*again) : written;
  if (!is_same || !rewritten.ok() || *rewritten != *written) {
    std::fprintf(stderr, "%s\nis not the same after it was written: %s\n", bp::text::print(*module).c_str(),
                 again.ok() ? bp::text::print(*again).c_str() : again.error().to_string().c_str());
    __builtin_trap();
  }
  return 0;
}
