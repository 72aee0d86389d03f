#include "conformance/suite/other_process.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <utility>

#include "conformance/suite/contract_trials.h"
#include "conformance/suite/direct_program.h"
#include "conformance/suite/sample_programs.h"
#include "conformance/suite/stage.h"
#include "core/host/diagnostics.h"
#include "core/interpreter/random_inputs.h"
#include "core/ir/verifier.h"
#include "core/layers/artifacts.h"
#include "core/layers/interposer.h"
#include "core/text/parser.h"

namespace bp::conformance {
namespace {

// The texts that the other process hands over; or an empty one and the reason why there is nothing else.
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

std::string all_of(const DirectProgram::Outputs &outputs) {
  std::string all;
  for (const std::vector<std::byte> &output : outputs) {
    all += characters_of(output);
  }
  return all;
}

// Large enough to be worth several threads.
constexpr std::string_view divided = "divided", divided_program = R"(
  ENTRY main {
    x = f32[301,400] parameter(0)  y = f32[400,523] parameter(1)  z = f32[301,523] parameter(2)
    d = f32[301,523] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
    ROOT r = f32[301,523] subtract(d, z)
  })";
Result<ir::Module> handed_over_program(const std::string &name) {
  if (name != divided) {
    return sample_program(name);
  }
  BP_ASSIGN(ir::Module module, text::parse_module(divided_program));
  BP_TRY(ir::verify(module));
  return module;
}

// Samples that need what an artifact may refer to: constants, loops, functions of a library, threads; and a few others
// that depend on the seed.
std::vector<std::string> handed_over_samples(const Subject &subject) {
  std::vector<std::string> names = {"chain",      "loop",   "constants",         "exponential",
                                    "large_sort", "reduce", std::string(divided)};
  const std::vector<std::string> &all = sample_program_names();
  for (int i = 0; i < 4; ++i) {
    names.push_back(all[subject.seed_of(fmt::format("handed over/{}", i)) % all.size()]);
  }
  names.insert(names.end(), all.begin(), all.end());
  return names;
}

// For each of a few samples that the device runs: its name, the artifact, and the outputs of a run.
Result<Message> compile_samples(Subject &subject) {
  constexpr std::size_t most = 9, tried = 11;
  BP_ASSIGN(const Backend *backend, subject.backend());
  const std::vector<std::string> names = handed_over_samples(subject);
  Message message;
  for (std::size_t i = 0; i < names.size() && message.size() < 3 * most && (i < tried || message.empty()); ++i) {
    BP_ASSIGN(const ir::Module module, handed_over_program(names[i]));
    const auto parts = DirectParts::compile(backend->device(), module);
    if (parts.ok() && *parts != nullptr) {
      BP_ASSIGN(const DirectProgram::Outputs outputs, run_once(subject, backend->device(), *parts, module));
      message.insert(message.end(), {names[i], characters_of((*parts)->artifact), all_of(outputs)});
    }
  }
  return message.empty() ? Result<Message>(make_error(ErrorCode::Unsupported, "the device runs none of the samples"))
                         : message;
}

// Makes everything that is loaded from here on lie at other addresses than in a process that was forked before: large
// pieces move what is mapped, and small ones fill the gaps.
void move_addresses(std::uint64_t seed) {
  constexpr std::pair<std::size_t, std::size_t> pieces[] = {{1 << 20, 64}, {1 << 14, 512}, {1 << 12, 256}};
  for (const auto &[size, count] : pieces) {
    for (std::size_t i = 0; i < count; ++i) {
      mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    }
  }
  mmap(nullptr, (1 + seed % 61) << 12, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

// Runs the function in a child process.
Result<Message> ask_elsewhere(Subject &subject, const std::function<Result<Message>(Subject &)> &function) {
  int ends[2];
  if (pipe(ends) != 0) {
    return make_error(ErrorCode::Io, "pipe: {}", std::strerror(errno));
  }
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    const Result<Message> message = function(subject);
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
    return make_error(ErrorCode::PluginFailure, "another process with the plugin ends early");
  }
  Message message = divide(bytes);
  if (message.size() < 2 || message[0].empty()) {
    return make_error(ErrorCode::Unsupported, "in another process: {}", message.empty() ? "" : message.back());
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
  BP_ASSIGN(const Message message, ask_elsewhere(subject, compile_samples));
  move_addresses(subject.seed_of("addresses"));
  std::string artifact;
  BP_ASSIGN(const Backend backend, load_under(subject, [&](std::unique_ptr<host::Entry> below) {
              return std::make_unique<Given>(std::move(below), artifact);
            }));
  for (std::size_t i = 0; i + 2 < message.size(); i += 3) {
    BP_ASSIGN(const ir::Module module, handed_over_program(message[i]));
    artifact = message[i + 1];
    const auto parts = DirectParts::compile(backend.device(), module);
    const auto outputs = parts.ok() ? run_once(subject, backend.device(), *parts, module)
                                    : Result<DirectProgram::Outputs>(parts.error());
    if (!outputs.ok()) {
      return failure(fmt::format("BP-LOAD-03: in a process that has compiled nothing, {}: {}", message[i],
                                 outputs.error().to_string()));
    }
    if (all_of(*outputs) != message[i + 2]) {
      return failure(
          fmt::format("BP-LOAD-03: the result of {} differs in bits between the process that compiled and another one",
                      message[i]));
    }
  }
  return Verdict();
}

// The identities of all instances, after a text that is not empty.
Result<Message> tell_identities(Subject &subject) {
  constexpr std::uint32_t most = 64;
  BP_ASSIGN(const auto library, load_library(subject));
  if (library->instances() == nullptr) {
    return make_error(ErrorCode::Unsupported, "the plugin tells no identities of its devices");
  }
  BP_ASSIGN(const std::uint32_t count, library->probe(subject.device_id()));
  Message identities = {"identities"};
  for (std::uint32_t i = 0; i < std::min(count, most); ++i) {
    BP_ASSIGN(host::Instance instance, library->describe(subject.device_id(), i));
    identities.push_back(std::move(instance.identity));
  }
  return identities;
}

Result<Verdict> compare_identities(Subject &subject) {
  BP_ASSIGN(const Message elsewhere, ask_elsewhere(subject, tell_identities));
  BP_ASSIGN(const Message here, tell_identities(subject));
  if (here.size() != elsewhere.size()) {
    return failure(fmt::format("BP-INSTANCE-02: there are {} instances in one process, and {} in another",
                               here.size() - 1, elsewhere.size() - 1));
  }
  for (std::size_t i = 1; i < here.size(); ++i) {
    if (here[i] != elsewhere[i]) {
      return failure(fmt::format("BP-INSTANCE-02: the identity of instance {} is {} in one process, and {} in another",
                                 i - 1, host::printable(here[i]), host::printable(elsewhere[i])));
    }
  }
  return Verdict();
}

}  // namespace

Verdict loads_what_another_compiled(Subject &subject) {
  return verdict_or_error(load_given(subject));
}
Verdict has_the_identities_of_another(Subject &subject) {
  return verdict_or_error(compare_identities(subject));
}

}  // namespace bp::conformance
