#include <fmt/core.h>

#include <algorithm>
#include <boost/algorithm/string.hpp>
#include <boost/filesystem.hpp>
#include <boost/process.hpp>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>

#include "core/aot/archive.h"
#include "core/aot/header.h"
#include "core/aot/program.h"
#include "core/base/files.h"
#include "core/compile/compile.h"
#include "tools/command/backend_choice.h"
#include "tools/command/model_choice.h"
#include "tools/command/report_text.h"
#include "tools/command/terminal.h"

namespace bp::command {
namespace {

enum class Product { Object, Archive, Shared };

struct AotRequest {
  ModelChoice model;
  std::string output, header;  // files
  std::string weights = {};    // file; empty: the constants are in the object
  Product product = Product::Object;
  aot::Options options = {};
  std::shared_ptr<const Cancellation> cancellation = {};  // nullptr: no deadline
};

std::string file_name(const std::string &path) {
  return std::filesystem::path(path).filename().string();
}

std::filesystem::path canonical(const std::string &path) {
  std::error_code problem;
  std::filesystem::path found = std::filesystem::weakly_canonical(std::filesystem::absolute(path, problem), problem);
  return problem ? std::filesystem::path(path) : found;
}

// Returns an identifier similar to a text.
std::string identifier_like(std::string_view text) {
  std::string name;
  for (const char c : text) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    name += is_plain ? c : '_';
  }
  return aot::is_identifier(name) ? name : "model_" + name;
}

// Has the C compiler that CC names, or cc, make a shared library of the object and the functions of the header.
Status link_shared(const std::string &object, const std::string &header, const std::vector<aot::Description> &programs,
                   const AotRequest &request) {
  const char *named = std::getenv("CC");
  std::vector<std::string> command;
  boost::split(command, std::string_view(named == nullptr || *named == '\0' ? "cc" : named), boost::is_space(),
               boost::token_compress_on);
  const boost::filesystem::path found = command[0].find('/') == std::string::npos
                                            ? boost::process::search_path(command[0])
                                            : boost::filesystem::path(command[0]);
  if (found.empty() || !boost::filesystem::exists(found)) {
    return make_error(ErrorCode::NotFound,
                      "there is no C compiler {}, which links shared libraries: set CC to one, or make an archive "
                      "(--archive) and link it elsewhere",
                      command[0]);
  }
  const boost::filesystem::path folder =
      boost::filesystem::temp_directory_path() / boost::filesystem::unique_path("backplane-%%%%%%%%");
  BP_TRY(make_directory(folder.string()));
  const auto link = [&]() -> Status {
    const std::string object_file = (folder / "program.o").string(), source = (folder / "program.c").string();
    BP_TRY(write_file(object_file, object));
    BP_TRY(write_file((folder / "program.h").string(), header));
    BP_TRY(write_file(source, aot::source_text(programs, "program.h")));
    std::vector<std::string> arguments(command.begin() + 1, command.end());
    for (const std::string &argument :
         {std::string("-std=c99"), std::string("-O2"), std::string("-shared"), std::string("-fPIC"),
          "-Wl,-soname," + file_name(request.output), std::string("-o"), request.output, source, object_file}) {
      arguments.push_back(argument);
    }
    std::error_code problem;
    boost::process::child child(found, boost::process::args(arguments), problem);
    if (!problem) {
      child.wait(problem);
    }
    return !problem && child.exit_code() == 0
               ? Status()
               : Status(make_error(ErrorCode::Io, "{} could not link {}: {}", found.string(), request.output,
                                   problem ? problem.message() : "its messages are above"));
  };
  Status linked = link();
  boost::system::error_code ignored;
  boost::filesystem::remove_all(folder, ignored);
  return linked;
}

Status write_product(const aot::ObjectFile &object, const std::string &header,
                     const std::vector<aot::Description> &programs, const AotRequest &request) {
  const std::string bytes = aot::write_object(object);
  if (request.product == Product::Shared) {
    return link_shared(bytes, header, programs, request);
  }
  if (request.product == Product::Object) {
    return write_file(request.output, bytes);
  }
  std::vector<std::string> symbols;
  for (const aot::Symbol &symbol : object.symbols) {
    if (!symbol.is_undefined() && symbol.binding != 0) {
      symbols.push_back(symbol.name);
    }
  }
  BP_ASSIGN(const std::string archive, aot::write_archive({{request.options.name + ".o", bytes, std::move(symbols)}}));
  return write_file(request.output, archive);
}

Result<aot::Program> compile_program(Module module, const Backend &backend, const AotRequest &request,
                                     const std::string &name) {
  const package::Interface interface = package::interface_of(module);
  CompileOptions options;
  options.device_only = true;
  options.cancellation = request.cancellation;
  options.keep_artifacts = true;
  options.must_load = false;
  BP_ASSIGN(options.host_functions, compile::find_host_functions(module, backend.device()));
  BP_ASSIGN(const Compiled compiled, backend.compile(std::move(module), options));
  aot::Options with = request.options;
  with.name = name;
  return aot::make_program(compiled.executable, interface, with);
}

Status write_weights(const aot::Program &program, const std::string &path) {
  BP_ASSIGN(OutputFile file, OutputFile::create(path));
  for (const SharedBytes &piece : program.weights) {
    file.write(piece.text());
  }
  return file.status();
}

void print_facts(const AotRequest &request, const Backend &backend, const std::vector<aot::Description> &programs,
                 double seconds) {
  fmt::print("backend:          {}\n", describe(backend));
  for (const aot::Description &program : programs) {
    fmt::print("program:          {}, function {}_run\n", program.module, program.options.name);
    fmt::print("target:           {}\n", program.target);
    std::set<std::string> functions;
    for (const aot::Call &call : program.calls) {
      functions.insert(call.function);
    }
    if (!functions.empty()) {
      fmt::print("to be defined:    {}\n", fmt::join(functions, ", "));
    }
    const bool is_in_object = program.options.arena == aot::Arena::InObject;
    const std::uint32_t threads = is_in_object ? program.options.threads : 1;
    fmt::print("arena:            {} for {}{}\n", format_bytes(static_cast<double>(program.arena_bytes(threads))),
               threads == 1 ? "one thread" : fmt::format("{} threads", threads), is_in_object ? ", in the object" : "");
  }
  fmt::print("compile time:     {}\n", format_seconds(seconds));
  fmt::print("header:           {}\n", request.header);
  const auto print_file = [](std::string_view label, const std::string &path) {
    std::error_code problem;
    fmt::print("{:<17} {}, {}\n", label, path,
               format_bytes(static_cast<double>(std::filesystem::file_size(path, problem))));
  };
  if (!request.weights.empty()) {
    print_file("weights:", request.weights);
  }
  print_file(request.product == Product::Object    ? "object:"
             : request.product == Product::Archive ? "archive:"
                                                   : "shared library:",
             request.output);
}

// Several modules may have names that differ, and macros that do not.
Status check_macros(const std::string &header) {
  constexpr std::string_view begin = "\n#define ";
  std::set<std::string> seen;
  for (std::size_t at = header.find(begin); at != std::string::npos; at = header.find(begin, at + 1)) {
    const std::size_t first = at + begin.size();
    const std::string name = header.substr(first, header.find_first_of(" (\n", first) - first);
    if (!seen.insert(name).second) {
      return invalid_input("two modules would define the macro {}: choose one with --part", name);
    }
  }
  return {};
}

Status compile_ahead(const AotRequest &request, const BackendChoice &choice) {
  BP_ASSIGN(std::vector<Module> modules, request.model.modules());
  if (modules.size() > 1 && !request.weights.empty()) {
    return request.model.too_many(modules, "--weights");
  }
  BP_ASSIGN(const Backend backend, choice.load());
  if (backend.is_interpreter()) {
    return unsupported("the interpreter compiles nothing, expected a backend that does, such as --on cpu");
  }
  const auto start = std::chrono::steady_clock::now();
  aot::ObjectFile object;
  std::vector<aot::Description> programs;
  for (std::size_t i = 0; i < modules.size(); ++i) {
    const std::string name = modules.size() == 1
                                 ? request.options.name
                                 : fmt::format("{}_{}", request.options.name, identifier_like(modules[i].name()));
    const std::string module = modules[i].name();
    Result<aot::Program> program = compile_program(std::move(modules[i]), backend, request, name);
    if (!program.ok()) {
      return modules.size() == 1 ? std::move(program).error()
                                 : std::move(program).error().note("in the module " + module);
    }
    if (std::ranges::any_of(programs, [&](const auto &other) { return other.options.name == name; })) {
      return invalid_input("two modules would be called {}: choose one with --part", name);
    }
    if (!request.weights.empty()) {
      BP_TRY(write_weights(*program, request.weights));
    }
    BP_TRY(aot::append(object, std::move(program->object), name));
    programs.push_back(std::move(program->description));
  }
  const std::string header =
      aot::header_text(programs, request.options.name,
                       request.product == Product::Shared ? aot::Functions::Declared : aot::Functions::Inline,
                       file_name(request.header));
  BP_TRY(check_macros(header));
  BP_TRY(write_product(object, header, programs, request));
  BP_TRY(write_file(request.header, header));
  print_facts(request, backend, programs, seconds_since(start));
  return {};
}

}  // namespace

int compile_ahead_of_time(std::span<const std::string> arguments) {
  namespace po = boost::program_options;
  Options options(
      "aot MODEL -o FILE.o --header FILE.h [--on NAME] [--target TARGET]",
      "Compiles a model ahead of time: an object file, or a library, that holds code and constants alone, and\n"
      "a header for C99 and C++ with a function NAME_run() for it. An application that links it needs neither\n"
      "Backplane nor the backend, which must run all instructions of the model. If a file contains several\n"
      "modules, each becomes a function NAME_MODULE_run().",
      "  backplane aot model.hlo -o model.o --header model.h\n"
      "  backplane aot model.hlo -o model.o --header model.h --weights model.weights    constants in a file\n"
      "  backplane aot model.hlo -o model.o --header model.h --target=aarch64-linux-gnu --features=+dotprod\n"
      "  backplane aot model.hlo -o model.o --header model.h --static-arena    memory in the object\n"
      "  backplane aot model.hlo -o model.o --header model.h --freestanding    without a C library\n"
      "  backplane aot model.hlo -o libmodel.a --header model.h --archive\n"
      "  CC=clang backplane aot model.hlo -o libmodel.so --header model.h --shared\n");
  BackendChoice::add_to(options);
  options.add()("output,o", po::value<std::string>(), "the object or library to write")(
      "header", po::value<std::string>(), "the header to write")(
      "name", po::value<std::string>(), "what names in the header begin with; otherwise the name of the header's file")(
      "archive", "write a static library in place of an object")(
      "shared", "write a shared library in place of an object; the C compiler that CC names, or cc, links it")(
      "inline-constants", "put the constants into the object, which is the default")(
      "weights", po::value<std::string>(),
      "put the constants into a file, which the application maps or reads and passes to the function")(
      "static-arena", "put the memory that a run works in into the object: then one run at a time")(
      "threads", po::value<int>()->default_value(1), "with --static-arena: threads that it is enough for")(
      "freestanding", "for a program without a C library: needs no function from elsewhere");
  options.complete({"name"}, Completion::Nothing);
  add_deadline_option(options, "the compilation");
  ModelChoice::add_to(options);
  if (auto exit = options.parse(arguments)) {
    return *exit;
  }
  BackendChoice choice;
  if (auto exit = choice.read(options)) {
    return *exit;
  }
  AotRequest request;
  if (auto exit = request.model.read(options)) {
    return *exit;
  }
  if (auto exit = read_deadline(options, request.cancellation)) {
    return *exit;
  }
  if (!options.has("output") || !options.has("header")) {
    return options.misuse("expected -o FILE and --header FILE, the files to write");
  }
  request.output = options.get<std::string>("output");
  request.header = options.get<std::string>("header");
  if (options.has("archive") && options.has("shared")) {
    return options.misuse("--archive and --shared exclude each other");
  }
  request.product = options.has("archive")  ? Product::Archive
                    : options.has("shared") ? Product::Shared
                                            : Product::Object;
  if (options.has("weights")) {
    if (options.has("inline-constants")) {
      return options.misuse("--inline-constants and --weights exclude each other");
    }
    request.weights = options.get<std::string>("weights");
    request.options.constants = aot::Constants::InFile;
  }
  if (options.has("static-arena")) {
    request.options.arena = aot::Arena::InObject;
  } else if (options.is_given("threads")) {
    return options.misuse("--threads is for --static-arena: without it, the application says how many it has");
  }
  constexpr int max_threads = 1024;
  const int threads = options.get<int>("threads");
  if (threads < 1 || threads > max_threads) {
    return options.misuse(fmt::format("--threads is {}, expected 1 to {}", threads, max_threads));
  }
  request.options.threads = static_cast<std::uint32_t>(threads);
  request.options.freestanding = options.has("freestanding");
  std::map<std::filesystem::path, std::string_view> files = {{canonical(request.model.file()), "the model"}};
  for (const auto &[path, what] :
       {std::pair{request.output, "-o"}, {request.header, "--header"}, {request.weights, "--weights"}}) {
    if (path == "-") {
      return options.misuse(fmt::format("{} is \"-\", expected a file", what));
    }
    if (path.empty()) {
      continue;
    }
    if (const auto [other, is_new] = files.emplace(canonical(path), what); !is_new) {
      return options.misuse(fmt::format("{} is the same file as {}: {}", what, other->second, path));
    }
  }
  if (options.has("name")) {
    request.options.name = options.get<std::string>("name");
    if (!aot::is_identifier(request.options.name)) {
      return options.misuse(
          fmt::format("--name is \"{}\", expected a name of C, such as model_1", request.options.name));
    }
  } else {
    request.options.name = identifier_like(std::filesystem::path(request.header).stem().string());
  }
  const Status status = compile_ahead(request, choice);
  return status.ok() ? success : report(status.error());
}

}  // namespace bp::command
