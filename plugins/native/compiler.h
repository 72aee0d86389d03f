// Compiles programs to object files for one target.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "plugin_api/cpp/device.h"
#include "plugins/llvm/program.h"
#include "plugins/native/artifact.h"
#include "plugins/native/code_generators.h"
#include "plugins/native/object_cache.h"

namespace bp::native {

// Threads: any.
class Compiler {
 public:
  explicit Compiler(Target target) : target_(std::move(target)), generators_(target_) {}

  // Takes the instructions that the emitters have kernels for, with estimated costs, and refuses the others by reason.
  plugin::Status claim(const bp_module_t *image, plugin::Claims &claims) const;
  // Returns a stream of bp_layout_preference_t: the layouts in which contractions would not have to copy operands.
  plugin::Result<std::string> preferences(const bp_module_t *image) const;
  // Returns the artifact of the module, but for the name of its target. `dump_folder`: where IR and objects are
  // written, or empty.
  plugin::Result<Artifact> compile(const bp_module_t *image, const plugin::HostServices &services,
                                   const std::string &dump_folder);
  // Returns the code of the module in one piece: "llvm" (optimized IR), "asm" or "obj".
  plugin::Result<std::string> write(const bp_module_t *image, std::string_view kind);

 private:
  plugin::Result<emit::Program> emit_program(const emit::ModuleView &module, bool in_one_unit);
  plugin::Result<std::string> object_of(emit::CodeUnit &unit, const std::string &dump);

  const Target target_;
  CodeGenerators generators_;
  ObjectCache objects_{std::size_t{16} << 20};  // bytes
};

}  // namespace bp::native
