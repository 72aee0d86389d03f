#include "core/import/front_end.h"
#include "core/import/hlo_proto/hlo_proto.h"
#include "core/ir/verifier.h"

namespace bp::import::hlo_proto {
namespace {

Result<ir::Module> read_proto(const Source &source, const ReadOptions &options) {
  if (options.is_specialized()) {
    return invalid_input("{}: shapes or values of parameters are given, expected none: an HLO module has its shapes",
                         source.file);
  }
  BP_ASSIGN(ir::Module module, read_module(source.text, {source.file}));
  BP_TRY(ir::verify(module));
  return module;
}

}  // namespace

extern const FrontEnd front_end;
const FrontEnd front_end = {"hlo_proto",
                            "HLO as a protocol buffer",
                            ".pb .hlo.pb",
                            "field 1 of a HloModuleProto, HloProto or HloSnapshot",
                            is_hlo_proto,
                            nullptr,
                            read_proto,
                            nullptr,
                            [](const ir::Module &module) { return write_module(module); }};

}  // namespace bp::import::hlo_proto
