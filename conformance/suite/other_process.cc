#include "conformance/suite/other_process.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "conformance/suite/contract_trials.h"
#include "conformance/suite/direct_program.h"
#include "conformance/suite/sample_programs.h"
#include "conformance/suite/stage.h"
#include "core/interpreter/random_inputs.h"
#include "core/layers/artifacts.h"
#include "core/layers/interposer.h"

namespace bp::conformance {
namespace {

// The texts that the process that compiles hands over: the sample's name, the artifact, and the outputs of a run; or an
// empty one and the reason why there is no artifact.
using Message = std::vector<std::string>;

bool write_text(int to, std::string_view text) {
  const std::uint64_t size = text.size();
  std::string bytes(reinterpret_cast<const char *>(&size), sizeof size);
  bytes += text;
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t more = write(to, bytes.data() + done, bytes.size() - done);
    if (more < 0 && errno != EINTR) {
      return false;
    }
    done += more < 0 ? 0 : static_cast<std::size_t>(more);
  }
  return true;
}
std::string read_all(int from) {
  std::string bytes;
  char piece[4096];
  for (ssize_t more = 1; more != 0;) {
    more = read(from, piece, sizeof piece);
    if (more < 0 && errno != EINTR) {
      break;
    }
    bytes.append(piece, more < 0 ? 0 : static_cast<std::size_t>(more));
  }
  return bytes;
}
Message divide(std::string_view bytes) {
  Message message;
  std::uint64_t size = 0;
  while (bytes.size() >= sizeof size) {
    std::memcpy(&size, bytes.data(), sizeof size);
    message.emplace_back(bytes.substr(sizeof size, size));
    bytes.remove_prefix(std::min(bytes.size(), sizeof size + size));
  }
  return message;
}

std::string characters_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}
Result<DirectProgram::Outputs> run_once(const Subject &subject, const DevicePointer &device,
                                        const std::shared_ptr<const DirectParts> &parts, const ir::Module &module) {
  BP_ASSIGN(const std::unique_ptr<DirectProgram> program, DirectProgram::load(device, parts));
  BP_ASSIGN(const std::vector<Literal> arguments,
            interpreter::random_arguments(module, subject.seed_of("another process")));
  return program->run(arguments, {});
}

Result<Message> compile_first(Subject &subject) {
  BP_ASSIGN(const Backend *backend, subject.backend());
  for (const std::string &name : sample_program_names()) {
    BP_ASSIGN(const ir::Module module, sample_program(name));
    const auto parts = DirectParts::compile(backend->device(), module);
    if (parts.ok() && *parts != nullptr) {
      BP_ASSIGN(const DirectProgram::Outputs outputs, run_once(subject, backend->device(), *parts, module));
      Message message = {name, characters_of((*parts)->artifact)};
      for (const std::vector<std::byte> &output : outputs) {
        message.push_back(characters_of(output));
      }
      return message;
    }
  }
  return make_error(ErrorCode::Unsupported, "the device runs none of the sample programs");
}

// Runs compile_first() in a child process.
Result<Message> compile_elsewhere(Subject &subject) {
  int ends[2];
  if (pipe(ends) != 0) {
    return make_error(ErrorCode::Io, "pipe: {}", std::strerror(errno));
  }
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    const Result<Message> message = compile_first(subject);
    bool is_written = true;
    for (const std::string &text : message.ok() ? *message : Message{"", message.error().to_string()}) {
      is_written = is_written && write_text(ends[1], text);
    }
    _exit(is_written ? 0 : 1);
  }
  close(ends[1]);
  const std::string bytes = child < 0 ? std::string() : read_all(ends[0]);
  close(ends[0]);
  int outcome = 0;
  if (child < 0 || waitpid(child, &outcome, 0) != child || !WIFEXITED(outcome) || WEXITSTATUS(outcome) != 0) {
    return make_error(ErrorCode::PluginFailure, "the process that compiles ends early");
  }
  Message message = divide(bytes);
  if (message.size() < 2 || message[0].empty()) {
    return make_error(ErrorCode::Unsupported, "nothing was compiled: {}", message.empty() ? "" : message.back());
  }
  return message;
}

// Has the artifact already.
struct Given final : layers::Interposer {
  Given(std::unique_ptr<host::Entry> below, const std::string &artifact)
      : Interposer(std::move(below)), artifact_(artifact) {}
  bp_status compiler_compile(layers::LayeredDevice &, const bp_module_t *, const bp_ostream_t *artifact,
                             const bp_diag_t *) override {
    return artifact->write(artifact, artifact_.data(), artifact_.size());
  }
  const std::string &artifact_;
};

Result<Verdict> load_given(Subject &subject) {
  BP_ASSIGN(const Message message, compile_elsewhere(subject));
  BP_ASSIGN(const ir::Module module, sample_program(message[0]));
  BP_ASSIGN(const Backend backend, load_under(subject, [&](std::unique_ptr<host::Entry> below) {
              return std::make_unique<Given>(std::move(below), message[1]);
            }));
  const auto parts = DirectParts::compile(backend.device(), module);
  const auto outputs =
      parts.ok() ? run_once(subject, backend.device(), *parts, module) : Result<DirectProgram::Outputs>(parts.error());
  if (!outputs.ok()) {
    return failure("BP-LOAD-03: in a process that has compiled nothing: " + outputs.error().to_string());
  }
  for (std::size_t i = 0; i < outputs->size(); ++i) {
    if (i + 2 >= message.size() || characters_of((*outputs)[i]) != message[i + 2]) {
      return failure("BP-LOAD-03: the result differs in bits between the process that compiled and another one");
    }
  }
  return Verdict();
}

}  // namespace

Verdict loads_what_another_compiled(Subject &subject) {
  return verdict_or_error(load_given(subject));
}

}  // namespace bp::conformance
