// A program for another architecture, linked by its cross compiler and run by qemu's user emulation: each run is a
// process that shares a file of memory with this one.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "backplane/ext/compiler.h"
#include "plugin_api/cpp/result.h"
#include "plugins/native/artifact.h"

namespace bp::cpu {

// A temporary folder, which the destructor removes.
class ScratchFolder {
 public:
  ScratchFolder();  // throws std::filesystem::filesystem_error
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder &) = delete;
  ScratchFolder &operator=(const ScratchFolder &) = delete;
  std::string file(const std::string &name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

// The tools for one architecture, and the object file that every program is linked with.
class Emulator {
 public:
  // Fails with BP_INTERNAL if a tool is missing. `arch` is the name in the names of the tools, such as "aarch64".
  static plugin::Result<std::shared_ptr<const Emulator>> create(const std::string &arch);
  const std::string &compiler() const { return compiler_; }
  const std::string &machine() const { return machine_; }
  std::string runner() const { return folder_.file("runner.o"); }

 private:
  std::string compiler_, machine_;
  ScratchFolder folder_;
};

class EmulatedProgram {
 public:
  bp_program_t abi{};

  // Fails with BP_INTERNAL if the program cannot be linked.
  static plugin::Result<std::unique_ptr<EmulatedProgram>> link(std::shared_ptr<const Emulator> emulator,
                                                               const native::Artifact &artifact);
  // Runs the program on allocations in host memory. Fails with BP_INTERNAL if the process does. Runs may be concurrent.
  plugin::Status run(const bp_run_t &run) const;

 private:
  std::shared_ptr<const Emulator> emulator_;
  ScratchFolder folder_;
  std::vector<std::uint64_t> allocation_sizes_;
  std::uint64_t common_bytes_ = 0, scratch_bytes_ = 0;
};

}  // namespace bp::cpu
