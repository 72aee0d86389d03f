#include "plugins/cpu/emulator/emulated_program.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <span>
#include <system_error>

extern "C" char **environ;

namespace bp::cpu {

using plugin::Error;
using plugin::Result;
using plugin::Status;

namespace {

// Runs a program found in PATH. Passes `file` to it as descriptor 3, unless `file` is -1.
Status run_tool(const std::vector<std::string> &command, int file) {
  std::vector<char *> arguments;
  for (const std::string &word : command) {
    arguments.push_back(const_cast<char *>(word.c_str()));
  }
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (file >= 0) {
    posix_spawn_file_actions_adddup2(&actions, file, 3);
  }
  pid_t process = 0;
  const int problem = posix_spawnp(&process, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (problem != 0) {
    return Error(BP_INTERNAL, "cannot run " + command[0] + ": " + std::generic_category().message(problem));
  }
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status)) {
    return Error(BP_INTERNAL, command[0] + " was ended by signal " + std::to_string(WTERMSIG(status)));
  }
  return status == 0 ? Status()
                     : Error(BP_INTERNAL, command[0] + " ended with code " + std::to_string(WEXITSTATUS(status)));
}

// Memory that another process can map, too. It contains
//
//   uint64 number of allocations; uint64 offset of scratch; for each allocation its offset, as bp_loc_t;
//   the allocations; memory that threads share; scratch
//
// with offsets in bytes from the beginning. Allocations that have the same address (an output in the memory of an
// input) have the same offset.
class SharedMemory {
 public:
  SharedMemory(std::span<const bp_loc_t> allocations, std::span<const std::uint64_t> sizes, std::uint64_t common,
               std::uint64_t scratch) {
    std::uint64_t end = align(2 * sizeof(std::uint64_t) + allocations.size_bytes());
    for (std::size_t i = 0; i < allocations.size(); ++i) {
      Piece &piece = pieces_[allocations[i].offset];
      piece.size = std::max(piece.size, sizes[i]);
    }
    for (auto &[address, piece] : pieces_) {
      piece.at = end;
      end = align(end + piece.size);
    }
    size_ = end + common + scratch;
    file_ = memfd_create("bp-emulated", MFD_CLOEXEC);
    if (file_ < 0 || ftruncate(file_, static_cast<off_t>(size_)) != 0) {
      return;
    }
    void *mapped = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
    if (mapped == MAP_FAILED) {
      return;
    }
    memory_ = static_cast<char *>(mapped);
    const std::uint64_t header[] = {allocations.size(), end + common};
    std::memcpy(memory_, header, sizeof header);
    for (std::size_t i = 0; i < allocations.size(); ++i) {
      const bp_loc_t place = {0, pieces_[allocations[i].offset].at};
      std::memcpy(memory_ + sizeof header + i * sizeof place, &place, sizeof place);
    }
    for (const auto &[address, piece] : pieces_) {
      if (piece.size != 0) {
        std::memcpy(memory_ + piece.at, reinterpret_cast<const void *>(address), piece.size);
      }
    }
  }
  ~SharedMemory() {
    if (memory_ != nullptr) {
      munmap(memory_, size_);
    }
    if (file_ >= 0) {
      close(file_);
    }
  }
  SharedMemory(const SharedMemory &) = delete;
  SharedMemory &operator=(const SharedMemory &) = delete;

  bool is_there() const { return memory_ != nullptr; }
  int file() const { return file_; }
  // Copies back only the allocations that changed, because other runs may be reading the rest.
  void copy_back() const {
    for (const auto &[address, piece] : pieces_) {
      auto *to = reinterpret_cast<void *>(address);
      if (piece.size != 0 && std::memcmp(to, memory_ + piece.at, piece.size) != 0) {
        std::memcpy(to, memory_ + piece.at, piece.size);
      }
    }
  }

 private:
  struct Piece {
    std::uint64_t size = 0, at = 0;
  };
  static std::uint64_t align(std::uint64_t bytes) { return (bytes + 63) / 64 * 64; }

  std::map<std::uint64_t, Piece> pieces_;  // by address in this process
  std::uint64_t size_ = 0;
  int file_ = -1;
  char *memory_ = nullptr;
};

}  // namespace

ScratchFolder::ScratchFolder() : path_((std::filesystem::temp_directory_path() / "backplane.XXXXXX").string()) {
  if (mkdtemp(path_.data()) == nullptr) {
    throw std::filesystem::filesystem_error("cannot make", path_, std::error_code(errno, std::generic_category()));
  }
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

Result<std::shared_ptr<const Emulator>> Emulator::create(const std::string &arch) {
  auto emulator = std::make_shared<Emulator>();
  emulator->compiler_ = arch + "-linux-gnu-gcc";
  emulator->machine_ = "qemu-" + arch;
  const std::string api = BP_SOURCE_ROOT "/plugin_api/include",
                    source = BP_SOURCE_ROOT "/plugins/cpu/emulator/runner.c";
  BP_TRY(run_tool({emulator->compiler_, "-O1", "-I" + api, "-c", source, "-o", emulator->runner()}, -1));
  return emulator;
}

Result<std::unique_ptr<EmulatedProgram>> EmulatedProgram::link(std::shared_ptr<const Emulator> emulator,
                                                               const native::Artifact &artifact) {
  auto program = std::make_unique<EmulatedProgram>();
  // Linked statically, so that qemu needs no libraries of the other architecture.
  std::vector<std::string> command = {emulator->compiler(), "-static", "-o", program->folder_.file("program"),
                                      emulator->runner()};
  for (const std::string &object : artifact.objects) {
    command.push_back(program->folder_.file(std::to_string(command.size()) + ".o"));
    std::ofstream file(command.back(), std::ios::binary);
    if (!file.write(object.data(), static_cast<std::streamsize>(object.size())).flush()) {
      return Error(BP_INTERNAL, "cannot write " + command.back());
    }
  }
  command.emplace_back("-lm");
  BP_TRY(run_tool(command, -1));
  program->abi.scratch_alignment = 64;
  program->emulator_ = std::move(emulator);
  program->allocation_sizes_ = artifact.allocation_sizes;
  program->common_bytes_ = artifact.common_bytes;
  program->scratch_bytes_ = artifact.scratch_bytes;
  return program;
}

Status EmulatedProgram::run(const bp_run_t &run) const {
  if (run.allocation_count != allocation_sizes_.size()) {
    return Error(BP_INVALID, "wrong number of allocations");
  }
  const SharedMemory memory({run.allocations, run.allocation_count}, allocation_sizes_, common_bytes_, scratch_bytes_);
  if (!memory.is_there()) {
    return Error(BP_INTERNAL, "cannot share memory: " + std::generic_category().message(errno));
  }
  BP_TRY(run_tool({emulator_->machine(), folder_.file("program")}, memory.file()));
  memory.copy_back();
  return {};
}

}  // namespace bp::cpu
