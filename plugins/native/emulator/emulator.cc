#include "plugins/native/emulator/emulator.h"

#include <llvm/Support/Program.h>
#include <llvm/TargetParser/Triple.h>
#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "plugins/native/ahead_of_time.h"
#include "plugins/native/emulator/runner.h"
#include "plugins/native/emulator/shared_memory.h"

extern "C" char **environ;

namespace bp::native {

using plugin::Error;
using plugin::Result;
using plugin::Status;

// The destructor removes it.
class TemporaryFolder {
 public:
  TemporaryFolder() : path_((std::filesystem::temp_directory_path() / "backplane.XXXXXX").string()) {
    if (mkdtemp(path_.data()) == nullptr) {
      throw std::filesystem::filesystem_error("cannot make", path_, std::error_code(errno, std::generic_category()));
    }
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;
  std::string file(const std::string &name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

// The tools for one architecture, and the object file that every program is linked with.
struct EmulatorTools {
  std::string compiler, machine;
  TemporaryFolder folder;
  std::string runner() const { return folder.file("runner.o"); }
};

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

Status write_file(const std::string &path, const std::string &content) {
  std::ofstream file(path, std::ios::binary);
  if (!file.write(content.data(), static_cast<std::streamsize>(content.size())).flush()) {
    return Error(BP_INTERNAL, "cannot write " + path);
  }
  return {};
}

Status find_tool(const std::string &name, const std::string &purpose, const std::string &package) {
  if (llvm::sys::findProgramByName(name)) {
    return {};
  }
  return Error(BP_INTERNAL, "there is no " + name + ", which " + purpose + ": on Debian, apt-get install " + package);
}

Result<std::shared_ptr<const EmulatorTools>> find_tools(const std::string &triple) {
  const llvm::Triple parsed(llvm::Triple::normalize(triple));
  const std::string machine = parsed.getArchName().str();
  if (parsed.getOSName().empty() || parsed.getEnvironmentName().empty()) {
    return Error(BP_INTERNAL, "the triple " + triple + " names no system, expected one such as aarch64-linux-gnu");
  }
  // Names of tools have no vendor, those of packages no underline.
  const std::string platform = machine + "-" + parsed.getOSName().str() + "-" + parsed.getEnvironmentName().str();
  std::string package = "gcc-" + platform;
  std::ranges::replace(package, '_', '-');
  auto tools = std::make_shared<EmulatorTools>();
  tools->compiler = platform + "-gcc";
  tools->machine = "qemu-" + machine;
  BP_TRY(find_tool(tools->compiler, "links programs for " + triple, package));
  BP_TRY(find_tool(tools->machine, "runs programs for " + triple, "qemu-user"));
  const std::string source = tools->folder.file("runner.c");
  BP_TRY(write_file(source, runner_text));
  BP_TRY(run_tool({tools->compiler, "-O1", "-c", source, "-o", tools->runner()}, -1));
  return std::shared_ptr<const EmulatorTools>(std::move(tools));
}

}  // namespace

Result<std::shared_ptr<const EmulatorTools>> Emulator::tools() {
  const std::lock_guard lock(mutex_);
  if (tools_ == nullptr) {
    BP_ASSIGN(tools_, find_tools(baseline_.triple));
  }
  return tools_;
}

Result<std::unique_ptr<EmulatedProgram>> Emulator::load(const Artifact &artifact, std::uint32_t allocation_count) {
  BP_TRY(check_allocations(artifact, allocation_count));
  auto program = std::make_unique<EmulatedProgram>();
  BP_ASSIGN(program->tools_, tools());
  auto folder = std::make_shared<TemporaryFolder>();
  const std::string file = folder->file("program");
  // Linked statically, so that qemu needs no libraries of the other architecture.
  std::vector<std::string> command = {program->tools_->compiler, "-static", "-o", file, program->tools_->runner()};
  const auto add = [&](const std::string &object) {
    command.push_back(folder->file(std::to_string(command.size()) + ".o"));
    return write_file(command.back(), object);
  };
  for (const std::string &object : artifact.objects) {
    BP_TRY(add(object));
  }
  // The compiler's own library may lack functions that LLVM calls.
  const auto last = static_cast<std::uint32_t>(artifact.objects.size());
  BP_ASSIGN(const std::string completion, write_code(artifact, 0, last, baseline_, ""));
  BP_TRY(add(completion));
  BP_TRY(run_tool(command, -1));
  program->abi.scratch_alignment = 64;
  program->folder_ = std::move(folder);
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
  BP_TRY(run_tool({tools_->machine, folder_->file("program")}, memory.file()));
  memory.copy_back();
  return {};
}

}  // namespace bp::native
