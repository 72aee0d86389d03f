#include <fmt/core.h>

#include <chrono>

#include "core/base/files.h"
#include "tools/command/backend_choice.h"
#include "tools/command/terminal.h"

namespace bp::command {
namespace {

Status compile(const std::string &model, const BackendChoice &choice, const std::string &output,
               const std::string &dump_dir) {
  std::vector<std::string> warnings;
  BP_ASSIGN(Module module, read_module(model, &warnings));
  for (const std::string &warning : warnings) {
    fmt::print(stderr, "{}\n", warning);
  }
  BP_ASSIGN(Backend backend, choice.load(dump_dir));
  CompileOptions options;
  options.dump_dir = dump_dir;
  const auto start = std::chrono::steady_clock::now();
  BP_ASSIGN(Artifact artifact, backend.make_artifact(std::move(module), options));
  const double seconds = seconds_since(start);
  BP_TRY(write_file(output, {reinterpret_cast<const char *>(artifact.bytes.data()), artifact.bytes.size()}));
  fmt::print("model:            {}\n", model);
  fmt::print("backend:          {}\n", describe(backend));
  fmt::print("target:           {}\n", backend.device()->target());
  fmt::print("compile time:     {}\n", format_seconds(seconds));
  fmt::print("artifact:         {}, {}\n", output, format_bytes(static_cast<double>(artifact.bytes.size())));
  return {};
}

}  // namespace

int compile_model(std::span<const std::string> arguments) {
  namespace po = boost::program_options;
  Options options(
      "compile MODEL [--on NAME] [--target TARGET] -o FILE",
      "Compiles a model for a backend, for this machine or another, and writes the artifact: what the\n"
      "backend loads where it runs. All of the model must be the backend's.",
      "  backplane compile model.hlo -o model.artifact\n"
      "  backplane compile model.hlo --target=aarch64-linux-gnu -o model.artifact\n"
      "  backplane compile model.hlo --features=x86-64-v3 -o model.artifact\n"
      "  backplane compile model.hlo --dump-dir dump -o model.artifact    of cpu: also LLVM IR and objects\n");
  BackendChoice::add_to(options);
  options.add()("output,o", po::value<std::string>(), "the file to write")(
      "dump-dir", po::value<std::string>()->default_value(""),
      "write the module before and after each pass, the memory plan and what the backend makes");
  options.add_positional("model", 1);
  if (auto exit = options.parse(arguments)) {
    return *exit;
  }
  BackendChoice choice;
  if (auto exit = choice.read(options)) {
    return *exit;
  }
  if (!options.has("model")) {
    return options.misuse("no model was given");
  }
  if (!options.has("output")) {
    return options.misuse("no file to write was given: -o FILE");
  }
  const Status status = compile(options.get<std::string>("model"), choice, options.get<std::string>("output"),
                                options.get<std::string>("dump-dir"));
  return status.ok() ? success : report(status.error());
}

}  // namespace bp::command
