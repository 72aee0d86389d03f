#include "core/backplane.h"

#include "core/base/files.h"
#include "core/buffers/print.h"
#include "core/host/open_device.h"
#include "core/import/hlo_proto/hlo_proto.h"
#include "core/import/mlir/bytecode.h"
#include "core/import/onnx/onnx.h"
#include "core/import/stablehlo/stablehlo.h"
#include "core/ir/verifier.h"
#include "core/package/container.h"
#include "core/package/package.h"
#include "core/remote/isolate.h"
#include "core/text/parser.h"
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

// The text of one module, within a text that may hold several.
struct ModuleText {
  std::string_view text;
  std::uint32_t first_line = 1;
  enum class Form { Hlo, StableHlo, HloProto, Onnx, Package, Binary } form = Form::Hlo;
};

// Returns the offset of the first NUL byte near the beginning, which no text contains; npos if there is none.
std::size_t find_nul(std::string_view text) {
  constexpr std::size_t max_visited = 4096;
  return text.substr(0, max_visited).find('\0');
}

// Returns at least one part: a text that contains no module is itself the only part, which the reader will reject.
std::vector<ModuleText> split_modules(std::string_view text) {
  std::vector<ModuleText> parts;
  if (import::onnx::is_onnx(text)) {
    parts.push_back({text, 1, ModuleText::Form::Onnx});
  } else if (import::hlo_proto::is_hlo_proto(text)) {
    parts.push_back({text, 1, ModuleText::Form::HloProto});
  } else if (package::is_container(text)) {
    parts.push_back({text, 1, ModuleText::Form::Package});
  } else if (find_nul(text) != std::string_view::npos && !import::mlir::is_bytecode(text)) {
    parts.push_back({text, 1, ModuleText::Form::Binary});
  } else if (import::stablehlo::is_stablehlo(text)) {
    for (const import::stablehlo::TextPart &part : import::stablehlo::split(text)) {
      parts.push_back({part.text, part.first_line, ModuleText::Form::StableHlo});
    }
  } else {
    for (const text::TextPart &part : text::split_modules(text)) {
      parts.push_back({part.text, part.first_line, ModuleText::Form::Hlo});
    }
  }
  if (parts.empty()) {
    parts.push_back({text});
  }
  return parts;
}

// Returns the number of a parameter, which is given by its name or its number.
Result<std::size_t> find_parameter(const std::vector<import::onnx::Parameter> &parameters, const std::string &wanted,
                                   const std::string &file) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].name == wanted || std::to_string(i) == wanted) {
      return i;
    }
  }
  return invalid_input("{}: the parameter \"{}\" is given, expected one of {}", file, wanted, parameters.size());
}

Result<Module> parse_onnx(std::string_view bytes, const std::string &file, const ReadOptions &options) {
  import::onnx::Options inner;
  inner.file = file;
  BP_ASSIGN(const std::vector<import::onnx::Parameter> parameters, import::onnx::parameters(bytes, inner));
  inner.shapes = options.parameter_shapes;
  for (const ParameterIntegers &given : options.parameter_sizes) {
    BP_ASSIGN(const std::size_t number, find_parameter(parameters, given.parameter, file));
    inner.shapes.resize(std::max(inner.shapes.size(), number + 1));
    inner.shapes[number] = Shape::array(parameters[number].shape.element_type(), given.integers);
  }
  return import::onnx::read(bytes, inner);
}

// `whole`: the text that line numbers in messages refer to.
Result<Module> parse_part(const ModuleText &part, std::string_view whole, const std::string &file,
                          const ReadOptions &options) {
  if (part.form == ModuleText::Form::StableHlo) {
    return import::stablehlo::read(part.text, {file,
                                               part.first_line,
                                               {},
                                               options.parameter_shapes,
                                               options.parameter_sizes,
                                               options.parameter_values,
                                               options.size_parameters});
  }
  if (part.form == ModuleText::Form::Onnx) {
    return parse_onnx(part.text, file, options);
  }
  if (part.form == ModuleText::Form::Package) {
    return package::not_a_model(file);
  }
  if (!options.parameter_shapes.empty() || !options.parameter_sizes.empty() || !options.parameter_values.empty()) {
    return invalid_input(
        "{}: shapes or values of parameters are given, expected none: an HLO module has its shapes, and a size that it "
        "bounds, as in f32[<=8], is that of the argument of a run",
        file);
  }
  if (part.form == ModuleText::Form::HloProto) {
    BP_ASSIGN(Module module, import::hlo_proto::read_module(part.text, {file}));
    BP_TRY(ir::verify(module));
    return module;
  }
  if (part.form == ModuleText::Form::Binary) {
    return invalid_input(
        "{}: a binary file (there is a 0 at offset {}), expected HLO or StableHLO, as text, MLIR bytecode or HloProto",
        file, find_nul(part.text));
  }
  text::ParseOptions text_options;
  text_options.file = file;
  text_options.first_line = part.first_line;
  text_options.warnings = options.warnings;
  BP_ASSIGN(Module module, text::parse_module(part.text, text_options));
  if (Status verified = ir::verify(module); !verified.ok()) {
    return std::move(verified).error().in(whole);
  }
  return module;
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
  Backend backend{std::string(name)};
  if (name == "interpreter") {
    if (!options.settings.empty()) {
      return invalid_input("the interpreter has no settings, but {} was given", options.settings[0].first);
    }
    return backend;
  }
  const std::size_t end = std::min(name.find(','), name.size());
  host::DeviceOptions device;
  device.host.threads = options.threads;
  device.host.log = options.log;
  device.host.withdrawn = options.withdrawn_services;
  device.layers = options.layers;
  if (options.isolation.has_value()) {
    Isolation isolation = *options.isolation;
    isolation.withdrawn_services = options.withdrawn_services;
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
  BP_ASSIGN(const std::string text, read_file(path));
  return parse_module(text, path, options);
}

Result<std::vector<Module>> read_modules(const std::string &path, const ReadOptions &options) {
  BP_ASSIGN(const std::string text, read_file(path));
  std::vector<Module> modules;
  for (const ModuleText &part : split_modules(text)) {
    BP_ASSIGN(Module module, parse_part(part, text, path, options));
    modules.push_back(std::move(module));
  }
  return modules;
}

Result<Module> parse_module(std::string_view text, const std::string &file, const ReadOptions &options) {
  const std::vector<ModuleText> parts = split_modules(text);
  if (parts.size() > 1) {
    return invalid_input("the file has {} modules and the second begins here, expected one module", parts.size())
        .at({file, parts[1].first_line, 1, {}});
  }
  return parse_part(parts.front(), text, file, options);
}

Result<std::vector<Parameter>> parse_parameters(std::string_view text, const std::string &file) {
  const std::vector<ModuleText> parts = split_modules(text);
  if (parts.size() != 1 || parts[0].form != ModuleText::Form::StableHlo) {
    return invalid_input("{}: a file of {} module{}, expected one StableHLO program", file, parts.size(),
                         parts.size() == 1 ? " in another form" : "s");
  }
  return import::stablehlo::parameters(parts[0].text, {file, parts[0].first_line, {}});
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
    return Compiled{Executable::on_host(std::move(module)), std::move(report)};
  }
  Dump dump(options.dump_dir);
  BP_ASSIGN(compile::Options inner, inner_options(options, dump));
  compile::DirectoryCache directory(options.cache_dir);
  inner.cache = options.cache == nullptr && !options.cache_dir.empty() ? &directory : options.cache;
  return compile::compile(std::move(module), devices(), inner);
}

Result<Executable> Backend::load_package(const std::string &path, const std::optional<PublicKey> &signed_by) const {
  BP_ASSIGN(const Package opened, Package::open(path, signed_by));
  return opened.load(devices());
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
