#include "core/backplane.h"

#include "core/base/files.h"
#include "core/base/mapped_file.h"
#include "core/buffers/print.h"
#include "core/host/open_device.h"
#include "core/import/find_front_end.h"
#include "core/import/front_ends.h"
#include "core/ir/verifier.h"
#include "core/package/container.h"
#include "core/package/package.h"
#include "core/remote/isolate.h"
#include "core/text/printer.h"

namespace bp {
namespace {

// Writes the modules and programs of a compilation into a directory.
class Dump final : public compile::Observer {
 public:
  explicit Dump(const std::string &directory) : prefix_(directory + "/") {}

  Status module(const std::string &name, const ir::Module &module) override {
    return write_file(prefix_ + name + ".hlo", text::print(module));
  }

  Status program(const std::string &name, const ir::Module &module, const buffers::Plan &plan, const host::Image &image,
                 std::span<const std::byte> artifact) override {
    BP_TRY(write_file(prefix_ + name + ".hlo", text::print(module)));
    BP_ASSIGN(std::string plan_text, buffers::to_string(plan, module));
    BP_TRY(write_file(prefix_ + name + ".plan.txt", plan_text));
    BP_ASSIGN(boost::json::value plan_json, buffers::to_json(plan, module));
    BP_TRY(write_file(prefix_ + name + ".plan.json", boost::json::serialize(plan_json) + "\n"));
    BP_TRY(write_file(prefix_ + name + ".image.txt", host::image_to_text(image.module())));
    BP_TRY(write_file(prefix_ + name + ".image", as_text(image.bytes())));
    return artifact.empty() ? Status() : write_file(prefix_ + name + ".artifact", as_text(artifact));
  }

 private:
  static std::string_view as_text(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
  }

  std::string prefix_;
};

// Converts the options. If dump_dir is set, creates that directory and makes `dump` the observer.
Result<compile::Options> inner_options(const CompileOptions &options, Dump &dump) {
  compile::Options inner;
  inner.device_only = options.device_only;
  inner.fuse = options.fuse;
  inner.disabled_passes = options.disabled_passes;
  inner.clusters = options.clusters;
  inner.verify = options.verify;
  inner.cancellation = options.cancellation;
  inner.host_functions = options.host_functions;
  inner.progress = options.progress;
  inner.fold_constants = options.fold_constants;
  inner.memory_limit = options.memory_limit;
  inner.keep_artifacts = options.keep_artifacts;
  inner.must_load = options.must_load;
  if (!options.dump_dir.empty()) {
    BP_TRY(make_directory(options.dump_dir));
    inner.observer = &dump;
  }
  return inner;
}

// Returns the front end of a file, which has a name or is found; an error for packages, which are compiled already.
Result<std::shared_ptr<const import::FrontEnd>> front_end_of(std::string_view text, const std::string &file,
                                                             const std::string &format) {
  if (package::is_container(text)) {
    return package::not_a_model(file);
  }
  return format.empty() ? import::find_front_end(text, file) : import::find_front_end_by_name(format);
}

// Reads one program of a file. Weights in another file are refused where programs have none there.
Result<Module> read_part(const import::FrontEnd &front_end, const import::Source &part, const ReadOptions &options) {
  if (!options.weights.empty() && !front_end.has_weights_file) {
    return invalid_input("{}: the file of weights {} is given, but {} has its weights itself", part.file,
                         options.weights, front_end.description);
  }
  return front_end.read(part, options);
}

// Reads a file that is one program.
Result<Module> parse(const SharedBytes &bytes, const std::string &file, const ReadOptions &options) {
  BP_ASSIGN(const std::shared_ptr<const import::FrontEnd> front_end, front_end_of(bytes.text(), file, options.format));
  std::vector<import::Source> parts = import::split(*front_end, bytes.text(), file);
  if (parts.size() > 1) {
    return invalid_input("the file has {} modules and the second begins here, expected one module", parts.size())
        .at({file, parts[1].first_line, 1, {}});
  }
  parts[0].owner = bytes.owner();
  return read_part(*front_end, parts[0], options);
}

// Checks what does not depend on the plugins that are here: no name is empty, and the interpreter has no instances and
// shares no work.
Status check_names(std::string_view names) {
  for (std::size_t at = 0; at <= names.size();) {
    const std::size_t end = std::min(names.find(',', at), names.size());
    const std::string_view name = names.substr(at, end - at);
    if (name.empty()) {
      return invalid_input(
          "the backend \"{}\" has an empty name, expected a name such as cpu, a path, or several of "
          "these with commas between them",
          names);
    }
    if (name.starts_with("interpreter:")) {
      return make_error(ErrorCode::NotFound,
                        "{}: there is no such device, expected interpreter: it is a part of the core, of which there "
                        "is one",
                        name);
    }
    if (name == "interpreter" && name != names) {
      return invalid_input(
          "{}: the interpreter cannot be one of several backends, expected it alone, or not at all: it "
          "runs what the others do not claim",
          names);
    }
    at = end + 1;
  }
  return {};
}

}  // namespace

Result<Backend> Backend::load(std::string_view name, const BackendOptions &options) {
  BP_TRY(check_names(name));
  if (options.thread_count > BackendOptions::max_threads) {
    return invalid_input("the backend has {} threads, expected at most {}", options.thread_count,
                         BackendOptions::max_threads);
  }
  Backend backend{std::string(name)};
  backend.thread_count_ = options.thread_count;
  if (name == "interpreter") {
    if (!options.settings.empty()) {
      return invalid_input("the interpreter has no settings, but {} was given", options.settings[0].first);
    }
    return backend;
  }
  const std::size_t end = std::min(name.find(','), name.size());
  host::DeviceOptions device;
  if (options.threads != nullptr) {
    device.host.threads = std::shared_ptr<ThreadPool>(std::shared_ptr<void>(), options.threads);  // not owned
  } else if (options.thread_count != 0) {
    device.host.threads = std::make_shared<ThreadPool>(options.thread_count);
  }
  device.host.log = options.log;
  device.host.withdrawn = options.withdrawn_services;
  device.layers = options.layers;
  if (options.isolation.has_value()) {
    Isolation isolation = *options.isolation;
    isolation.withdrawn_services = options.withdrawn_services;
    isolation.thread_count = options.thread_count;
    device.opener = remote::isolated(std::move(isolation));
  }
  for (std::size_t at = end; at < name.size();) {
    const std::size_t next = std::min(name.find(',', at + 1), name.size());
    BP_ASSIGN(auto other, host::open_device(name.substr(at + 1, next - at - 1), device));
    backend.others_.push_back(std::move(other));
    at = next;
  }
  name = name.substr(0, end);
  device.settings = options.settings;
  if (!options.dump_dir.empty()) {
    BP_TRY(make_directory(options.dump_dir));
    // Not every backend accepts the setting "dump-dir": if opening fails, try again without it.
    host::DeviceOptions with_dump = device;
    with_dump.settings.emplace_back("dump-dir", options.dump_dir);
    if (auto opened = host::open_device(name, std::move(with_dump)); opened.ok()) {
      backend.device_ = std::move(opened).value();
      return backend;
    }
  }
  BP_ASSIGN(backend.device_, host::open_device(name, std::move(device)));
  return backend;
}

Result<Module> read_module(const std::string &path, const ReadOptions &options) {
  BP_ASSIGN(const SharedBytes bytes, load_file(path));
  return parse(bytes, path, options);
}

Result<std::vector<Module>> read_modules(const std::string &path, const ReadOptions &options) {
  BP_ASSIGN(const SharedBytes bytes, load_file(path));
  BP_ASSIGN(const std::shared_ptr<const import::FrontEnd> front_end, front_end_of(bytes.text(), path, options.format));
  std::vector<Module> modules;
  for (import::Source &part : import::split(*front_end, bytes.text(), path)) {
    part.owner = bytes.owner();
    BP_ASSIGN(Module module, read_part(*front_end, part, options));
    modules.push_back(std::move(module));
  }
  return modules;
}

Result<Module> parse_module(std::string_view text, const std::string &file, const ReadOptions &options) {
  return parse(SharedBytes(std::as_bytes(std::span(text)), nullptr), file, options);
}

Result<std::vector<Parameter>> read_parameters(const std::string &path, const std::string &format) {
  BP_ASSIGN(const SharedBytes bytes, load_file(path));
  return parse_parameters(bytes.text(), path, format);
}

Result<std::vector<Parameter>> parse_parameters(std::string_view text, const std::string &file,
                                                const std::string &format) {
  BP_ASSIGN(const std::shared_ptr<const import::FrontEnd> front_end, front_end_of(text, file, format));
  const std::vector<import::Source> parts = import::split(*front_end, text, file);
  if (parts.size() != 1 || front_end->parameters == nullptr) {
    return invalid_input("{}: a file of {} module{}, expected one program of a format whose sizes may be open", file,
                         parts.size(), parts.size() == 1 ? " in another form" : "s");
  }
  return front_end->parameters(parts[0]);
}

std::vector<std::shared_ptr<const host::Device>> Backend::devices() const {
  std::vector<std::shared_ptr<const host::Device>> all = others_;
  if (device_ != nullptr) {
    all.insert(all.begin(), device_);
  }
  return all;
}

Result<Compiled> Backend::compile(Module module, const CompileOptions &options) const {
  if (is_interpreter()) {
    BP_TRY(ir::verify(module));
    compile::Report report;
    report.instructions = module.instruction_count();
    Compiled compiled{Executable::on_host(std::move(module)), std::move(report)};
    compiled.executable.set_host_threads(static_cast<int>(thread_count_));
    return compiled;
  }
  Dump dump(options.dump_dir);
  BP_ASSIGN(compile::Options inner, inner_options(options, dump));
  compile::DirectoryCache directory(options.cache_dir);
  inner.cache = options.cache == nullptr && !options.cache_dir.empty() ? &directory : options.cache;
  BP_ASSIGN(Compiled compiled, compile::compile(std::move(module), devices(), inner));
  compiled.executable.set_host_threads(static_cast<int>(thread_count_));
  return compiled;
}

Result<Executable> Backend::load_package(const std::string &path, const std::optional<PublicKey> &signed_by) const {
  BP_ASSIGN(const Package opened, Package::open(path, signed_by));
  BP_ASSIGN(Executable executable, opened.load(devices()));
  executable.set_host_threads(static_cast<int>(thread_count_));
  return executable;
}

Status save_package(const Executable &executable, Interface interface, const std::string &path) {
  return package::save({executable, std::move(interface)}, path);
}

Result<Artifact> Backend::make_artifact(Module module, const CompileOptions &options) const {
  if (is_interpreter()) {
    return unsupported("the interpreter cannot make artifacts, expected a backend that compiles");
  }
  if (!others_.empty()) {
    return unsupported("the backends are {}, expected a single one: an artifact is made by one backend", name_);
  }
  Dump dump(options.dump_dir);
  BP_ASSIGN(compile::Options inner, inner_options(options, dump));
  return compile::make_artifact(std::move(module), device_, inner);
}

}  // namespace bp
