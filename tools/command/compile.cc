#include <fmt/core.h>

#include <algorithm>
#include <boost/algorithm/string.hpp>
#include <chrono>
#include <filesystem>

#include "core/base/files.h"
#include "core/package/signing.h"
#include "tools/command/backend_choice.h"
#include "tools/command/model_choice.h"
#include "tools/command/pass_choice.h"
#include "tools/command/report_text.h"
#include "tools/command/terminal.h"

namespace bp::command {
namespace {

struct Request {
  ModelChoice model;
  std::string output;    // empty: standard output
  std::string emit;      // text form to emit; empty: the artifact
  std::string dump_dir;  // may be empty
  PassChoice passes = {};
  std::string sign_with = {};                             // private key; empty: a package is not signed
  std::vector<std::string> host_functions = {};           // that programs call the application for
  std::shared_ptr<const Cancellation> cancellation = {};  // nullptr: no deadline
};

// Returns the path of one of several artifacts: "model.2.artifact" for "model.artifact".
std::string numbered(const std::string &path, std::size_t number) {
  const std::filesystem::path whole(path);
  const std::string suffix = whole.extension().string();
  return fmt::format("{}.{}{}", path.substr(0, path.size() - suffix.size()), number, suffix);
}

// Whether the file is to be a package, which also contains what the host needs to run it.
bool is_package_name(const std::string &path) {
  return path.ends_with(".bpkg");
}

void print_facts(const Request &request, const std::string &module, const Backend &backend, double seconds) {
  fmt::print("model:            {}, {}\n", request.model.file(), module);
  fmt::print("backend:          {}\n", describe(backend));
  for (const auto &device : backend.devices()) {
    fmt::print("target:           {}\n", device->target());
  }
  fmt::print("compile time:     {}\n", format_seconds(seconds));
}

// Compiles and writes a package.
Status compile_package(Module module, const Backend &backend, const Request &request, const std::string &output) {
  const std::string name = module.name();
  Interface interface = package::interface_of(module);
  CompileOptions options;
  options.dump_dir = request.dump_dir;
  request.passes.apply_to(options);
  options.cancellation = request.cancellation;
  options.host_functions = request.host_functions;
  options.keep_artifacts = true;
  options.must_load = false;
  const auto start = std::chrono::steady_clock::now();
  BP_ASSIGN(const Compiled compiled, backend.compile(std::move(module), options));
  const double seconds = seconds_since(start);
  BP_TRY(save_package(compiled.executable, std::move(interface), output));
  std::error_code problem;
  if (!request.sign_with.empty()) {
    BP_TRY(package::sign_file(output, request.sign_with));
  } else {
    std::filesystem::remove(package::signature_file(output), problem);  // that of the package that was there before
  }
  print_facts(request, name, backend, seconds);
  print_on_host(compiled.report);
  if (!compiled.report.not_loaded.empty()) {
    fmt::print("not loaded here:  {}\n", compiled.report.not_loaded);
  }
  fmt::print("package:          {}, {}\n", output,
             format_bytes(static_cast<double>(std::filesystem::file_size(output, problem))));
  return {};
}

// Compiles and writes to the file `output`; empty: standard output.
Status compile(Module module, const Backend &backend, const Request &request, const std::string &output) {
  if (is_package_name(output)) {
    return compile_package(std::move(module), backend, request, output);
  }
  const std::string name = module.name();
  CompileOptions options;
  options.dump_dir = request.dump_dir;
  request.passes.apply_to(options);
  options.cancellation = request.cancellation;
  options.host_functions = request.host_functions;
  const auto start = std::chrono::steady_clock::now();
  BP_ASSIGN(Artifact artifact, backend.make_artifact(std::move(module), options));
  const double seconds = seconds_since(start);
  const std::string_view bytes(reinterpret_cast<const char *>(artifact.bytes.data()), artifact.bytes.size());
  if (output.empty()) {
    fmt::print("{}", bytes);
    return {};
  }
  BP_TRY(write_file(output, bytes));
  print_facts(request, name, backend, seconds);
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
      "Compiles a model for a backend, for this machine or another. A FILE.bpkg is a package: it contains\n"
      "everything that `backplane run FILE.bpkg` needs, and instructions that the backend does not run may\n"
      "be left to the host. Any other FILE is the bare artifact that the backend loads, which must run all\n"
      "instructions of the model. With --emit, a text form is written instead, to standard output if -o is\n"
      "not given. If a file contains several modules, each is compiled separately, and its number is\n"
      "inserted before the suffix of FILE.",
      "  backplane compile model.hlo --on cpu -o model.bpkg\n"
      "  backplane compile model.hlo --on kernels,cpu -o model.bpkg    a package for two backends\n"
      "  backplane compile model.hlo -o model.bpkg --sign key.pem    with a signature in model.bpkg.sig\n"
      "  backplane compile model.hlo -o model.artifact\n"
      "  backplane compile model.hlo --target=aarch64-linux-gnu -o model.artifact\n"
      "  backplane compile model.hlo --features=x86-64-v3 -o model.artifact\n"
      "  backplane compile exported.mlir --shape x=8x128 --value n=8 -o model.artifact    gives unknown sizes\n"
      "  backplane compile model.hlo --dump-dir dump -o model.artifact    with cpu: also LLVM IR and objects\n"
      "  backplane compile model.hlo --disable-pass=loop-fusion --disable-pass=dot-merging -o model.artifact\n"
      "  backplane compile model.hlo --on npu --cluster=auto --cluster-min=4 -o model.bpkg    by cost\n"
      "  backplane compile model.hlo --on npu --host-functions=infeed,acme.tokenize -o model.bpkg    calls from "
      "inside\n"
      "  backplane compile model.hlo --deadline 60 -o model.artifact    an error if it takes longer\n"
      "  backplane compile model.hlo --on nvptx --target=sm_90a --emit=ptx    the kernels of a GPU\n"
      "  backplane compile model.hlo --emit=asm --target=aarch64-linux-gnu    assembly of the CPU backend\n");
  BackendChoice::add_to(options);
  BackendChoice::add_threads_to(options);
  options.add()("output,o", po::value<std::string>(), "the file to write")(
      "sign", po::value<std::string>(), "file of a private key (PEM, Ed25519) to sign the package with")(
      "emit", po::value<std::string>(),
      "write text instead of the artifact, like --set emit=...; cpu has llvm (optimized IR), asm "
      "and obj, nvptx has llvm, ptx and plan (launch plan)")(
      "dump-dir", po::value<std::string>()->default_value(""),
      "folder for the module before and after each pass, the memory plan and the files of the backend")(
      "host-functions", po::value<std::string>(),
      "NAME,... of what programs may call the application for while they run, on a device that can (bp.host-call): "
      "targets of custom calls, infeed, outfeed; the application serves them when it runs the package");
  options.complete("emit", {"llvm", "asm", "obj", "ptx", "plan"});
  options.complete({"dump-dir"}, Completion::Folder);
  options.complete({"host-functions"}, Completion::Nothing);
  add_deadline_option(options, "all compilations together");
  PassChoice::add_to(options);
  ModelChoice::add_to(options);
  if (auto exit = options.parse(arguments)) {
    return *exit;
  }
  BackendChoice choice;
  for (auto exit : {choice.read(options), choice.read_threads(options)}) {
    if (exit) {
      return *exit;
    }
  }
  Request request{{}, "", "", options.get<std::string>("dump-dir")};
  if (auto exit = request.model.read(options)) {
    return *exit;
  }
  if (auto exit = request.passes.read(options, choice.name())) {
    return *exit;
  }
  if (auto exit = read_deadline(options, request.cancellation)) {
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
  if (!request.emit.empty() && is_package_name(request.output)) {
    return options.misuse(
        fmt::format("--emit writes text, but -o {} is a package: give the text another suffix", request.output));
  }
  if (options.has("host-functions")) {
    const auto names = options.get<std::string>("host-functions");
    boost::split(request.host_functions, names, boost::is_any_of(","));
    if (std::ranges::count(request.host_functions, "") != 0) {
      return options.misuse(fmt::format(
          "--host-functions is \"{}\", expected names separated by commas, such as infeed,acme.tokenize", names));
    }
  }
  if (options.has("sign")) {
    request.sign_with = options.get<std::string>("sign");
    if (!is_package_name(request.output)) {
      return options.misuse("--sign is for packages, expected -o FILE.bpkg");
    }
  }
  const Status status = compile(request, choice);
  return status.ok() ? success : report(status.error());
}

}  // namespace bp::command
