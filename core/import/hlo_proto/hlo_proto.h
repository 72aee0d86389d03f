// HLO as protocol buffers: HloModuleProto, HloProto (a module with its memory plan) and HloSnapshot (a module with the
// arguments and the result of a run), as XLA, JAX and TensorFlow serialize them.
//
// Accepts any bytes as input: bytes that are not HLO result in an error that gives the path to the message, model.pb:
// HloModuleProto.computations[3].instructions[7].shape: ... Unknown fields are skipped. Time and memory are linear in
// the input.
//
// Data that XLA stores elsewhere has no fields in these messages and is lost when written: header attributes other than
// aliases, donors, entry layout, numbers of replicas and partitions, and frontend attributes; profiles in metadata;
// attributes that have their default value (feature_group_count=1). Data that is needed but has no field is an error.
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

// Whether the bytes are a protocol buffer and not text: they begin with field 1, of wire type bytes, and have control
// characters near the beginning.
bool is_hlo_proto(std::string_view bytes);

// Reads the module of a HloModuleProto, HloProto or HloSnapshot, detected by content. It is well-formed but not
// verified.
Result<ir::Module> read_module(std::string_view bytes, const Options &options = {});

struct Snapshot {
  ir::Module module;
  std::vector<ir::Literal> arguments;
  ir::Literal result;  // invalid if there is none
  std::string platform;
};
Result<Snapshot> read_snapshot(std::string_view bytes, const Options &options = {});

// Returns a serialized HloModuleProto. Returns Unsupported, with the instruction's location, for data that the format
// cannot represent.
Result<std::string> write_module(const ir::Module &module);
// Returns a serialized HloSnapshot, without a memory plan.
Result<std::string> write_snapshot(const Snapshot &snapshot);

}  // namespace bp::import::hlo_proto
