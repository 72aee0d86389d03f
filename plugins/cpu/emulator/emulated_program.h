// A program for another architecture, linked by its cross compiler and run by qemu's user emulation: each run is a
// process that shares a file of memory with this one.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backplane/ext/memory.h"
#include "plugins/cpu/artifact.h"

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
  // Returns nullptr and sets `error` if a tool is missing. `arch` is the name in the names of the tools, such as
  // "aarch64".
  static std::shared_ptr<const Emulator> create(const std::string &arch, std::string &error);
  const std::string &compiler() const { return compiler_; }
  const std::string &machine() const { return machine_; }
  std::string runner() const { return folder_.file("runner.o"); }

 private:
  std::string compiler_, machine_;
  ScratchFolder folder_;
};

class EmulatedProgram {
 public:
  // Returns nullptr and sets `error` if the program cannot be linked.
  static std::unique_ptr<EmulatedProgram> link(std::shared_ptr<const Emulator> emulator, const Artifact &artifact,
                                               std::string &error);
  // Runs the program on allocations in host memory. Returns false and sets `error` if the process fails. Runs may be
  // concurrent.
  bool run(std::span<const bp_loc_t> allocations, std::string &error) const;
  std::size_t allocation_count() const { return allocation_sizes_.size(); }

 private:
  std::shared_ptr<const Emulator> emulator_;
  ScratchFolder folder_;
  std::vector<std::uint64_t> allocation_sizes_;
  std::uint64_t common_bytes_ = 0, scratch_bytes_ = 0;
};

}  // namespace bp::cpu
