// HLO as protocol buffers: HloModuleProto, HloProto (a module with its plan of memory) and HloSnapshot (a module with
// the arguments and the result of a run), as XLA, JAX and TensorFlow serialize them.
//
// Any bytes are fine as input: what is not HLO comes back as an error that names the place by the way to it,
// model.pb: HloModuleProto.computations[3].instructions[7].shape: ... Unknown fields are passed over. Memory and time
// are linear in the input.
//
// What XLA keeps elsewhere is not in these messages and is lost when written: header attributes other than aliases,
// donors, entry layout, counts of replicas and partitions, and frontend attributes; profiles in metadata; attributes
// that state what an absent one means (feature_group_count=1). What is needed but has no field is refused.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/ir/module.h"

namespace bp::import::hlo_proto {

struct Options {
  std::string file;  // for messages; may be empty
};

// Whether these bytes are a protocol buffer rather than text: they begin with field 1, a string of bytes, and soon have
// control characters.
bool is_hlo_proto(std::string_view bytes);

// The module of a HloModuleProto, HloProto or HloSnapshot, whichever it is. Well-formed but not verified.
Result<ir::Module> read_module(std::string_view bytes, const Options &options = {});

struct Snapshot {
  ir::Module module;
  std::vector<ir::Literal> arguments;
  ir::Literal result;  // invalid if there is none
  std::string platform;
};
Result<Snapshot> read_snapshot(std::string_view bytes, const Options &options = {});

// A serialized HloModuleProto. Unsupported, with the instruction's place, for what the format cannot say.
Result<std::string> write_module(const ir::Module &module);
// HloSnapshot without a plan.
Result<std::string> write_snapshot(const Snapshot &snapshot);

}  // namespace bp::import::hlo_proto
