#include <fmt/core.h>

#include <chrono>
#include <filesystem>

#include "core/base/files.h"
#include "tools/command/backend_choice.h"
#include "tools/command/model_choice.h"
#include "tools/command/terminal.h"

namespace bp::command {
namespace {

struct Request {
  ModelChoice model;
  std::string output;    // empty: standard output
  std::string emit;      // text form to emit; empty: the artifact
  std::string dump_dir;  // may be empty
};

// Returns the path of one of several artifacts: "model.2.artifact" for "model.artifact".
std::string numbered(const std::string &path, std::size_t number) {
  const std::filesystem::path whole(path);
  const std::string suffix = whole.extension().string();
  return fmt::format("{}.{}{}", path.substr(0, path.size() - suffix.size()), number, suffix);
}

// Compiles and writes to the file `output`; empty: standard output.
Status compile(Module module, const Backend &backend, const Request &request, const std::string &output) {
  const std::string name = module.name();
  CompileOptions options;
  options.dump_dir = request.dump_dir;
  const auto start = std::chrono::steady_clock::now();
  BP_ASSIGN(Artifact artifact, backend.make_artifact(std::move(module), options));
  const double seconds = seconds_since(start);
  const std::string_view bytes(reinterpret_cast<const char *>(artifact.bytes.data()), artifact.bytes.size());
  if (output.empty()) {
    fmt::print("{}", bytes);
    return {};
  }
  BP_TRY(write_file(output, bytes));
  fmt::print("model:            {}, {}\n", request.model.file(), name);
  fmt::print("backend:          {}\n", describe(backend));
  fmt::print("target:           {}\n", backend.device()->target());
  fmt::print("compile time:     {}\n", format_seconds(seconds));
  fmt::print("{:<17} {}, {}\n", request.emit.empty() ? "artifact:" : "text:", output,
             format_bytes(static_cast<double>(bytes.size())));
  return {};
}

Status compile(const Request &request, const BackendChoice &choice) {
  BP_ASSIGN(std::vector<Module> modules, request.model.modules());
  if (modules.size() > 1 && !request.dump_dir.empty()) {
    return request.model.too_many(modules, "--dump-dir");
  }
  Result<Backend> backend = choice.load(request.dump_dir);
  if (!backend.ok()) {
    Error error = std::move(backend).error();
    return request.emit.empty()
               ? error
               : std::move(error).note(fmt::format(
                     "--emit={} is a setting of the backend; backplane plugins NAME lists its settings", request.emit));
  }
  for (std::size_t i = 0; i < modules.size(); ++i) {
    const std::string output =
        modules.size() > 1 && !request.output.empty() ? numbered(request.output, i + 1) : request.output;
    const std::string name = modules[i].name();
    if (Status status = compile(std::move(modules[i]), *backend, request, output); !status.ok()) {
      return modules.size() == 1 ? std::move(status) : std::move(status).error().note("in the module " + name);
    }
  }
  return {};
}
}  // namespace

int compile_model(std::span<const std::string> arguments) {
  namespace po = boost::program_options;
  Options options(
      "compile MODEL [--on NAME] [--target TARGET] [--emit KIND] -o FILE",
      "Compiles a model for a backend, for this machine or another, and writes the artifact that the\n"
      "backend loads to run it. The backend must run all instructions of the model. With --emit, a text\n"
      "form is written instead, to standard output if -o is not given. If a file contains several modules,\n"
      "each is compiled separately, and its number is inserted before the suffix of FILE.",
      "  backplane compile model.hlo -o model.artifact\n"
      "  backplane compile model.hlo --target=aarch64-linux-gnu -o model.artifact\n"
      "  backplane compile model.hlo --features=x86-64-v3 -o model.artifact\n"
      "  backplane compile model.hlo --dump-dir dump -o model.artifact    with cpu: also LLVM IR and objects\n"
      "  backplane compile model.hlo --on nvptx --target=sm_90a --emit=ptx    the kernels of a GPU\n");
  BackendChoice::add_to(options);
  options.add()("output,o", po::value<std::string>(), "the file to write")(
      "emit", po::value<std::string>(),
      "write text instead of the artifact, like --set emit=...; nvptx has llvm (optimized IR), ptx and plan (launch "
      "plan)")("dump-dir", po::value<std::string>()->default_value(""),
               "folder for the module before and after each pass, the memory plan and the files of the backend");
  ModelChoice::add_to(options);
  if (auto exit = options.parse(arguments)) {
    return *exit;
  }
  BackendChoice choice;
  if (auto exit = choice.read(options)) {
    return *exit;
  }
  Request request{{}, "", "", options.get<std::string>("dump-dir")};
  if (auto exit = request.model.read(options)) {
    return *exit;
  }
  if (options.has("emit")) {
    request.emit = options.get<std::string>("emit");
    choice.set("emit", request.emit);
  } else if (!options.has("output")) {
    return options.misuse("expected -o FILE, the file to write");
  }
  if (options.has("output")) {
    request.output = options.get<std::string>("output");
  }
  const Status status = compile(request, choice);
  return status.ok() ? success : report(status.error());
}

}  // namespace bp::command
