// Lesson 7: a backend for a processor that LLVM has a target for, here 64-bit RISC-V with Linux. It is built out of
// tree, with an installed Backplane and LLVM 19 (`make`). All that is said here is which target it is and what the
// device is called. Backplane's emitters know which instructions they have kernels for, and compile them by LLVM.
#include <llvm/Support/TargetSelect.h>

#include <iterator>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>

#include "backplane/cpp/single_device.h"
#include "backplane/native/ahead_of_time.h"
#include "backplane/native/compiler.h"
#include "backplane/native/emulator/emulator.h"

// The manifest, which the loader reads before it loads any code.
BP_PLUGIN_MANIFEST(R"({
  "abi": "1.0.0",
  "vendor": "Backplane",
  "version": "0.1.0",
  "opset": 2,
  "conformance": "none",
  "devices": [{
    "id": "dev.backplane.riscv64",
    "aliases": ["riscv64"],
    "name": "RISC-V, 64 bits",
    "extensions": ["bp.compiler/1", "bp.fusion/draft-3", "bp.aot/draft-2"]
  }]
})");

namespace {

namespace native = bp::native;
using bp::plugin::Error;
using bp::plugin::Result;
using bp::plugin::Status;

// The processor: RV64GC, whose code passes floats in registers (the ABI lp64d, which follows from "d"). It has no
// vector instructions, so LLVM divides each vector of 128 bits, the narrowest that the emitters use, into scalars: one
// of four floats takes four of 32 registers.
const native::Target rv64gc = {.triple = "riscv64-linux-gnu",
                               .cpu = "generic-rv64",
                               .features = "+m,+a,+f,+d,+c",
                               .vectors = {.vector_bits = 128, .vector_registers = 8, .has_fma = true}};
// The key of artifacts: what was compiled for another one is not loaded. It changes when the target does.
constexpr std::string_view target_name = "riscv64-linux-gnu:rv64gc";

constexpr native::ArtifactFormat artifact_format = {.magic = "BPRISCV1", .backend = "riscv64"};

// Programs that are compiled ahead of time ask this whether they run on a machine. Every machine of the target has what
// the code needs; a target with further features would ask the system for them.
constexpr const char *machine_check = "define i32 @bp_check() nounwind {\n  ret i32 1\n}\n";

void initialize_llvm() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeRISCVTargetInfo();
    LLVMInitializeRISCVTarget();
    LLVMInitializeRISCVTargetMC();
    LLVMInitializeRISCVAsmPrinter();
  });
}

constexpr const char *emit_choices[] = {"llvm", "asm", "obj", nullptr};

struct RiscvDevice {
  static constexpr std::string_view message_prefix = "riscv64: ";
  static constexpr bp_option_desc_t known_options[] = {
      {"dump-dir", nullptr, "a folder to write LLVM IR and objects to", nullptr, BP_OPTION_TEXT, 0},
      {"emit", nullptr, "what to compile to instead of an artifact", emit_choices, BP_OPTION_TEXT, 0},
  };
  static constexpr bp_device_desc_t description = {
      BP_VERSION_INIT, 2,       "dev.backplane.riscv64", "RISC-V, 64 bits",       "Backplane", "0.1.0",
      nullptr,         nullptr, known_options,           std::size(known_options)};
  // Which instructions the core joins to one kernel. A few rows of a fusion of rows fit in the cache.
  static constexpr bp_fusion_limits_t fusion_limits = {
      BP_FUSES_CONTRACTIONS | BP_FUSES_ROWS | BP_FUSES_RESULTS, 256, 64, 0, std::uint64_t{1} << 16, 256, 0, 0};

  bp::plugin::HostServices services;
  std::string dump_folder, emit;
  std::unique_ptr<native::Compiler> compiler;
  native::Emulator emulator{rv64gc};

  Status set_option(std::string_view key, std::string_view value) {
    return bp::plugin::set_option(key, value, {{"dump-dir", &dump_folder}, {"emit", &emit}});
  }

  Result<std::string> init() {
    initialize_llvm();
    compiler = std::make_unique<native::Compiler>(rv64gc);
    return std::string(target_name);
  }

  Status claim(const bp_module_t *module, bp::plugin::Claims &claims) const { return compiler->claim(module, claims); }

  Result<std::string> compile(const bp_module_t *module) const {
    if (!emit.empty()) {
      return compiler->write(module, emit);
    }
    BP_ASSIGN(native::Artifact artifact, compiler->compile(module, services, dump_folder));
    artifact.target = target_name;
    return native::write_artifact(artifact, artifact_format);
  }

  // Returns a program that runs in an emulator. On a machine of the target itself, this is
  //   return native::LoadedProgram::link(artifact, allocation_count, services);  // backplane/native/program.h
  Result<std::unique_ptr<native::EmulatedProgram>> load(std::span<const char> bytes, std::uint32_t allocation_count) {
    if (!emit.empty()) {
      return Error(BP_INVALID, "with option emit=" + emit + " nothing is made that runs: leave it out");
    }
    BP_ASSIGN(const native::Artifact artifact, read(bytes));
    return emulator.load(artifact, allocation_count);
  }

  // The extension bp.aot: `backplane aot --on riscv64` makes an object file for programs that run without this plugin.
  Result<bp_aot_code_t> describe(std::span<const char> bytes, std::uint32_t) const {
    BP_ASSIGN(const native::Artifact artifact, read(bytes));
    return native::describe_code(artifact);
  }
  Result<std::string> write_object(std::span<const char> bytes, std::uint32_t flags, std::uint32_t index) const {
    BP_ASSIGN(const native::Artifact artifact, read(bytes));
    return native::write_code(artifact, flags, index, rv64gc, machine_check);
  }

  static Result<native::Artifact> read(std::span<const char> bytes) {
    BP_ASSIGN(native::Artifact artifact, native::read_artifact(bytes, artifact_format));
    if (artifact.target != target_name) {
      return Error(BP_INVALID, "artifact is for " + artifact.target + ", expected " + std::string(target_name));
    }
    return artifact;
  }
};

}  // namespace

const bp_plugin_entry_t bp_entry = bp::plugin::SingleDevice<RiscvDevice>::entry;
