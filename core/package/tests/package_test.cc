// Packages of programs for the test plugin (core/compile/tests/plugins/tiny.c) and for the backends of this repository:
// what is loaded computes what was compiled, and nothing is compiled.
#include "core/package/package.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "core/backplane.h"
#include "core/base/files.h"
#include "core/base/mapped_file.h"
#include "core/interpreter/random_inputs.h"
#include "core/layers/failures.h"
#include "core/package/container.h"
#include "core/package/signing.h"
#include "tools/testing/require.h"
#include "tools/testing/skip.h"
#include "tools/testing/source_tree.h"
#include "tools/testing/temporary_folder.h"

namespace bp::package {
namespace {

using testing::error_of;
using testing::parse;
using testing::require_ok;
using testing::require_value;
using Settings = std::vector<std::pair<std::string, std::string>>;

const std::string tiny = "core/compile/tests/plugins/libbackplane_tiny.so";
const std::string tiny_kernels = "core/compile/tests/plugins/libbackplane_tiny_kernels.so";
const Settings all_ops = {{"ops", "add,subtract,multiply,maximum,negate,copy,compare,while,call,conditional"}};

std::string in_build(const std::string &file) {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / file;
}

Backend backend(const std::string &file, const Settings &settings = all_ops, host::Layer layer = {}) {
  BackendOptions options;
  options.settings = settings;
  if (layer) {
    options.layers.push_back(std::move(layer));
  }
  return require_value(Backend::load(in_build(file), options));
}

// Settings with which no call of compile() succeeds.
Settings never_compiling(Settings settings) {
  settings.insert(settings.end(), {{"fault", "never"}, {"fault-in", "compile"}});
  return settings;
}

Compiled compile(const Backend &on, const Module &module) {
  CompileOptions options;
  options.keep_artifacts = true;
  options.verify = true;
  return require_value(on.compile(module, options));
}

SharedBytes shared(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return SharedBytes(std::vector<std::byte>(bytes.begin(), bytes.end()));
}

std::string packed(const Backend &on, std::string_view text) {
  const Module module = parse(text);
  return require_value(pack({compile(on, module).executable, interface_of(module)}));
}

Result<Executable> loaded(const Backend &on, std::string_view bytes) {
  BP_ASSIGN(const Package package, Package::read(shared(bytes), "x.bpkg"));
  return package.load(on.devices());
}

std::string problem(const Backend &on, std::string_view bytes) {
  return error_of(loaded(on, bytes));
}

// Runs the program as loaded from the package, and compares it with the interpreter, bit by bit. Returns the package.
std::string check_same(const Backend &maker, const Backend &user, std::string_view text) {
  const Module module = parse(text);
  const std::string bytes = packed(maker, text);
  const Executable executable = require_value(loaded(user, bytes));
  const std::vector<Literal> arguments = require_value(interpreter::random_arguments(module, 1));
  const Literal expected = require_value(interpreter::interpret(module, arguments));
  CHECK(require_value(executable.run(arguments)).identical(expected));
  CHECK(require_value(executable.run(arguments)).identical(expected));  // donated arguments are as before
  return bytes;
}

// The package with another index.
template <class Change>
std::string changed(const std::string &bytes, Change change) {
  const Container container = require_value(read_container(shared(bytes), "x.bpkg"));
  boost::json::object index = container.index;
  change(index);
  BlobList blobs;
  for (const auto &[hash, blob] : container.blobs) {
    blobs.add(hash, blob);
  }
  std::string joined;
  for (const SharedBytes &piece : write_container(std::move(index), blobs)) {
    joined += piece.text();
  }
  return joined;
}

const std::string plain = R"(
HloModule plain
ENTRY main { x = s32[4] parameter(0)  k = s32[4] constant({1, 2, 3, 4})  y = s32[4] add(x, k)
  ROOT r = s32[4] multiply(y, y) }
)";

// A large constant twice, a donated input, and a result that is a tuple in a tuple.
const std::string tuples = R"(
HloModule tuples, input_output_alias={ {0}: (0, {}, may-alias) }
ENTRY main { x = s32[64] parameter(0)  p = (s32[64], (s32[], s32[2])) parameter(1)
  y = s32[64] get-tuple-element(p), index=0  rest = (s32[], s32[2]) get-tuple-element(p), index=1
  k = s32[64] constant({1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8,
    1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 9})
  sum = s32[64] add(x, k)  product = s32[64] multiply(y, k)  inner = (s32[64], (s32[], s32[2])) tuple(product, rest)
  ROOT all = (s32[64], (s32[64], (s32[], s32[2]))) tuple(sum, inner) }
)";

// The plugin has no op for cosine or for choosing among values: the host has steps of its own.
const std::string with_host = R"(
HloModule with_host
ENTRY main { x = f32[8] parameter(0)  y = f32[8] parameter(1)  sum = f32[8] add(x, y)  c = f32[8] cosine(sum)
  twice = f32[8] add(c, c)  less = pred[8] compare(x, y), direction=LT  s = f32[8] select(less, twice, x)
  ROOT r = (f32[8], f32[8]) tuple(twice, s) }
)";

// A loop on the host, whose body runs on the device.
const std::string with_loop = R"(
HloModule with_loop
condition { c = (s32[], f32[8192], f32[8192]) parameter(0)  i = s32[] get-tuple-element(c), index=0
  n = s32[] constant(3)  ROOT less = pred[] compare(i, n), direction=LT }
body { b = (s32[], f32[8192], f32[8192]) parameter(0)  i = s32[] get-tuple-element(b), index=0
  x = f32[8192] get-tuple-element(b), index=1  y = f32[8192] get-tuple-element(b), index=2  one = s32[] constant(1)
  next = s32[] add(i, one)  angle = f32[8192] cosine(x)  sum = f32[8192] add(x, angle)  more = f32[8192] add(sum, y)
  ROOT new = (s32[], f32[8192], f32[8192]) tuple(next, more, y) }
ENTRY main { y = f32[8192] parameter(0)  zero = s32[] constant(0)  start = f32[8192] multiply(y, y)
  state = (s32[], f32[8192], f32[8192]) tuple(zero, start, y)
  loop = (s32[], f32[8192], f32[8192]) while(state), condition=condition, body=body
  ROOT end = f32[8192] get-tuple-element(loop), index=1 }
)";

// The lines of docs/packages.md.
Result<bp::Literal> example(const bp::Backend &backend, const bp::Module &module, std::vector<bp::Literal> arguments) {
  bp::CompileOptions options;
  options.keep_artifacts = true;
  BP_ASSIGN(bp::Compiled compiled, backend.compile(module, options));
  BP_TRY(bp::save_package(compiled.executable, bp::package::interface_of(module), "model.bpkg"));

  BP_ASSIGN(bp::Executable executable, backend.load_package("model.bpkg"));
  BP_ASSIGN(bp::Literal result, executable.run(std::move(arguments)));
  return result;
}

}  // namespace

TEST_CASE("the example of the documentation works") {
  const std::string page = testing::read_file(testing::find_in_source_tree("docs/packages.md"));
  const std::string source = testing::read_file(testing::find_in_source_tree("core/package/tests/package_test.cc"));
  const std::size_t begin = page.find("```cpp\n") + 7;
  CHECK(source.find(page.substr(begin, page.find("```", begin) - begin)) != std::string::npos);
  const testing::TemporaryFolder folder;
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  const Module module = parse(plain);
  const std::vector<Literal> arguments = require_value(interpreter::random_arguments(module, 1));
  const auto result = example(backend(tiny), module, arguments);
  std::filesystem::current_path(before);
  CHECK(require_value(result).identical(require_value(interpreter::interpret(module, arguments))));
}

TEST_CASE("a loaded package computes what was compiled, and nothing is compiled") {
  const Backend maker = backend(tiny), user = backend(tiny, never_compiling(all_ops));
  CHECK(error_of(user.compile(parse(plain))).find("it never compiles") != std::string::npos);
  for (const std::string &text : {plain, tuples, with_host, with_loop}) {
    INFO(text);
    const std::string bytes = check_same(maker, user, text);
    CHECK(packed(maker, text) == bytes);
  }
  const std::string bytes = packed(maker, with_loop);
  const Package package = require_value(Package::read(shared(bytes), "x.bpkg"));
  CHECK(package.index().executables.size() == 2);
  CHECK(package.index().executables.back().called.size() == 1);
  CHECK(package.backends() == "org.example.tiny");
}

TEST_CASE("a backend with memory of its own, queues, or kernels only, runs packages, and so does the interpreter") {
  for (const char *visible : {"0", "1"}) {
    Settings settings = all_ops;
    settings.insert(settings.end(), {{"capacity", "1000000"}, {"queues", "1"}, {"visible", visible}});
    for (const std::string &text : {plain, tuples, with_host, with_loop}) {
      check_same(backend(tiny, settings), backend(tiny, never_compiling(settings)), text);
    }
  }
  Settings taking = all_ops;
  taking.emplace_back("take-constants", "1");
  check_same(backend(tiny, taking), backend(tiny, never_compiling(taking)), tuples);
  const Backend kernels = backend(tiny_kernels);
  for (const std::string &text : {plain, tuples, with_host}) {
    const std::string bytes = check_same(kernels, kernels, text);
    CHECK(bytes.find("\"artifact\"") == std::string::npos);
  }
  const Backend interpreter = require_value(Backend::load("interpreter"));
  const std::string bytes = check_same(interpreter, interpreter, with_loop);
  CHECK(require_value(Package::read(shared(bytes), "x.bpkg")).backends() == "interpreter");
}

TEST_CASE("two backends share a package") {
  const std::string kernels = in_build("plugins/kernels/libbackplane_kernels.so");
  if (!std::filesystem::exists(kernels)) {
    testing::skip("the backend kernels was not built");
    return;
  }
  BackendOptions options;
  options.settings = {{"ops", "add,copy"}};
  const Backend both = require_value(Backend::load(in_build(tiny) + "," + kernels, options));
  const std::string bytes = check_same(both, both, R"(
HloModule two
ENTRY main { x = f32[4] parameter(0)  y = f32[4] parameter(1)  s = f32[4] add(x, y)  ROOT r = f32[4] multiply(s, y) }
)");
  const Package package = require_value(Package::read(shared(bytes), "x.bpkg"));
  CHECK(package.backends() == "org.example.tiny,dev.backplane.kernels");
  CHECK(problem(backend(tiny), bytes)
            .find("was compiled for org.example.tiny, dev.backplane.kernels, but loaded for "
                  "org.example.tiny: ") != std::string::npos);
}

TEST_CASE("constants are stored once, and used where the file is mapped") {
  const testing::TemporaryFolder folder;
  const Backend maker = backend(tiny), user = backend(tiny, never_compiling(all_ops));
  const Module module = parse(tuples);
  require_ok(save_package(compile(maker, module).executable, interface_of(module), folder / "a.bpkg"));
  const SharedBytes file = require_value(map_file(folder / "a.bpkg"));
  const Package package = require_value(Package::read(file, "a.bpkg"));
  CHECK(package.index().executables[0].constants.size() == 1);  // used twice
  const Executable executable = require_value(package.load(user.devices()));
  REQUIRE(executable.program() != nullptr);
  const auto constants = executable.program()->image().constants();
  REQUIRE(constants.size() == 1);
  const std::byte *address = constants[0].literal.bytes().data();
  CHECK((address >= file.bytes().data() && address < file.bytes().data() + file.size()));
  CHECK(constants[0].is_in_place);
  const std::string_view content(reinterpret_cast<const char *>(address), constants[0].literal.bytes().size());
  CHECK(file.text().find(content) != std::string_view::npos);
  CHECK(file.text().find(content, file.text().find(content) + 1) == std::string_view::npos);
}

TEST_CASE("a package in bytes at any address is loaded") {
  const Backend on = backend(tiny);
  const std::string bytes = packed(on, tuples);
  for (const std::size_t offset : {0, 1, 8, 63}) {
    std::vector<std::byte> moved(bytes.size() + offset);
    std::memcpy(moved.data() + offset, bytes.data(), bytes.size());
    const SharedBytes all(std::move(moved));
    const Package package = require_value(Package::read(all.part(offset, bytes.size()), "x.bpkg"));
    CHECK(error_of(package.load(on.devices())).empty());
  }
}

TEST_CASE("a package says what it holds") {
  const Backend on = backend(tiny);
  const Module module = parse(tuples);
  const Compiled compiled = compile(on, module);
  const std::string bytes =
      require_value(pack({compiled.executable, interface_of(module), {{"test.section", "content"}}}));
  const Package package = require_value(Package::read(shared(bytes), "x.bpkg"));
  const Index &index = package.index();
  CHECK(index.name == "tuples");
  CHECK(index.interface.parameters.size() == 2);
  CHECK(index.interface.parameters[1].name == "p");
  CHECK(to_string(index.interface.parameters[1].shape, ir::PrintLayout::Never) == "(s32[64], (s32[], s32[2]))");
  CHECK(index.interface.results[0].name == "sum");
  CHECK(index.devices[0].target == "tiny");
  CHECK(index.devices[0].version == "1");
  CHECK(index.devices[0].build == require_value(on.device()->plugin().file_hash()));
  REQUIRE(index.programs.size() == 1);
  CHECK(index.programs[0].memory.peak() == compiled.executable.memory().peak());
  CHECK(index.programs[0].is_memory_complete);
  CHECK(package.section("test.section") == "content");
  CHECK(!package.section("absent"));
  // A loaded program can be saved again, with the same bytes.
  const Executable again = require_value(package.load(on.devices()));
  CHECK(require_value(pack({again, index.interface, {{"test.section", "content"}}})) == bytes);
}

TEST_CASE("a program that cannot be loaded here is packed, and says why when it runs") {
  Settings settings = all_ops;
  settings.emplace_back("no-run", "1");  // load() gives a program without run()
  const Backend here = backend(tiny, settings);
  const Module module = parse(plain);
  CompileOptions options;
  options.keep_artifacts = true;
  CHECK(error_of(here.compile(module, options)).find("its program is incomplete") != std::string::npos);
  options.must_load = false;
  const Compiled compiled = require_value(here.compile(module, options));
  CHECK(compiled.report.not_loaded.find("its program is incomplete") != std::string::npos);
  const std::vector<Literal> arguments = require_value(interpreter::random_arguments(module, 1));
  CHECK(error_of(compiled.executable.run(arguments)).find("its program is incomplete") != std::string::npos);
  const std::string bytes = require_value(pack({compiled.executable, interface_of(module)}));
  CHECK(!require_value(Package::read(shared(bytes), "x.bpkg")).index().programs[0].is_memory_complete);
  const Executable executable = require_value(loaded(backend(tiny), bytes));
  CHECK(require_value(executable.run(arguments)).identical(require_value(interpreter::interpret(module, arguments))));
  CHECK(problem(here, bytes).find("made by org.example.tiny 1 for the target tiny") != std::string::npos);
  CHECK(problem(here, bytes).find("compile the model again for this target") != std::string::npos);
}

TEST_CASE("a program that has not kept its artifact is not packed") {
  const Backend on = backend(tiny);
  const Module module = parse(plain);
  const Compiled compiled = require_value(on.compile(module));
  CHECK(error_of(pack({compiled.executable, interface_of(module)})) ==
        "the program plain of backend org.example.tiny cannot be packed, because it has not kept its artifact: compile "
        "with keep_artifacts");
}

TEST_CASE("a package is for the backends that it was compiled for") {
  const std::string bytes = packed(backend(tiny), plain);
  CHECK(problem(backend(tiny_kernels), bytes)
            .find("x.bpkg was compiled for org.example.tiny, but loaded for "
                  "org.example.tiny-kernels: load it for org.example.tiny, or "
                  "compile the model again") != std::string::npos);
  CHECK(problem(require_value(Backend::load("interpreter")), bytes).find("but loaded for the interpreter") !=
        std::string::npos);
}

TEST_CASE("a package with any byte changed is refused") {
  const std::string bytes = packed(backend(tiny), plain);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
    INFO(i);
    CHECK(!Package::read(shared(damaged), "x.bpkg").ok());
  }
}

TEST_CASE("what is wrong with an index is said") {
  const Backend on = backend(tiny);
  const std::string bytes = packed(on, with_host);
  const auto said = [&](const auto &change) { return problem(on, changed(bytes, change)); };
  using Object = boost::json::object;
  CHECK(said([](Object &) {}).empty());
  CHECK(said([](Object &index) { index.erase("name"); }) ==
        "name is missing, expected a text\n  note: in the index of x.bpkg");
  CHECK(said([](Object &index) { index["programs"] = 7; }).starts_with("programs is 7, expected a list"));
  CHECK(said([](Object &index) { index["executables"] = boost::json::array(); }).starts_with("executables is empty"));
  CHECK(said([](Object &index) {
          index["programs"].as_array()[0].as_object()["device"] = 1;
        }).starts_with("programs[0].device is 1, expected a number from 0 to below 1"));
  CHECK(said([](Object &index) {
          index["programs"].as_array()[0].as_object()["image"] = "abc";
        }).starts_with("programs[0].image is \"abc\", expected a SHA-256 of 64 digits"));
  CHECK(said([](Object &index) {
          index["programs"].as_array()[0].as_object()["image"] = std::string(64, '0');
        }).find("an image is missing: there is no blob 0000") != std::string::npos);
  CHECK(said([](Object &index) {
          index["programs"].as_array()[0].as_object()["result"] = "f33[2]";
        }).find("read as programs[0].result") != std::string::npos);
  CHECK(said([](Object &index) {
          index["programs"].as_array()[0].as_object()["parameters"].as_array()[0] = "f32[9]{0}";
        }).find("number 0 of the parameters has shape f32[8]{0} in its image, but f32[9]{0} in the index") !=
        std::string::npos);

  CHECK(said([](Object &index) { index["results"].as_array().pop_back(); }) ==
        "the parameters and results in the index are not those of with_host");

  const auto with_steps = [&](const auto &change) {
    return said([&](Object &index) { change(index["executables"].as_array()[0].as_object()["steps"].as_array()); });
  };
  using Array = boost::json::array;
  const auto step_with = [](Array &steps, std::string_view member) -> Object & {
    return std::ranges::find_if(steps, [&](const auto &step) { return step.as_object().contains(member); })
        ->as_object();
  };
  CHECK(with_steps([](Array &steps) { steps.clear(); }).starts_with("no step computes the result, "));
  CHECK(with_steps([](Array &steps) {
          std::swap(steps.front(), steps.back());
        }).find("is used before a step computes") != std::string::npos);
  CHECK(with_steps([](Array &steps) { steps.push_back(steps.front()); }).starts_with("two steps compute "));
  CHECK(said([](Object &index) {
          const Object inner = {{"executable", 0}, {"inputs", Array()}, {"outputs", Array()}};
          Object outer = index["executables"].as_array()[0].as_object();
          outer["steps"] = Array{inner, inner};
          index["executables"].as_array().push_back(outer);
        }).starts_with("two steps run the executable with_host, expected one"));
  CHECK(with_steps([&](Array &steps) {
          step_with(steps, "instruction")["instruction"] = "absent";
        }).starts_with("a step names absent, which with_host does not have"));
  CHECK(with_steps([&](Array &steps) {
          step_with(steps, "program")["inputs"].as_array().pop_back();
        }).find("values, but its step has") != std::string::npos);
  CHECK(with_steps([&](Array &steps) {
          step_with(steps, "program")["outputs"].as_array().clear();
        }).find("but its step has 0") != std::string::npos);
  CHECK(with_steps([&](Array &steps) {
          Object &step = step_with(steps, "program");
          step.erase("program");
          step["executable"] = 0;
        }).find(".executable is 0, expected a number from 0 to below 0") != std::string::npos);
}

TEST_CASE("files are written as a whole") {
  const testing::TemporaryFolder folder;
  const Backend on = backend(tiny);
  const Module module = parse(plain);
  const Compiled compiled = compile(on, module);
  CHECK(error_of(save_package(compiled.executable, interface_of(module), folder / "absent/a.bpkg"))
            .find("No such file or directory") != std::string::npos);
  require_ok(save_package(compiled.executable, interface_of(module), folder / "a.bpkg"));
  require_ok(save_package(compiled.executable, interface_of(module), folder / "a.bpkg"));
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
  CHECK(is_package(folder / "a.bpkg"));
  CHECK(!is_package(folder / "absent"));
  CHECK(error_of(on.load_package(folder / "absent")) ==
        "cannot read " + (folder / "absent") + ": No such file or directory");
  CHECK(error_of(on.load_package(folder.path())) == "cannot read " + folder.path() + ": not a regular file");
  CHECK(error_of(on.load_package(folder / "a.bpkg")).empty());
}

TEST_CASE("packages of the backends of this repository run without a call of compile()") {
  const std::string text = R"(
HloModule block
add { p = f32[] parameter(0)  q = f32[] parameter(1)  ROOT s = f32[] add(p, q) }
ENTRY main { x = f32[16,8] parameter(0)  w = f32[8,4] parameter(1)  zero = f32[] constant(0)
  k = f32[4] constant({0.5, 1, 1.5, 2})  ks = f32[16,4] broadcast(k), dimensions={1}
  d = f32[16,4] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  m = f32[16,4] maximum(d, ks)  r = f32[16] reduce(m, zero), dimensions={1}, to_apply=add
  ROOT all = (f32[16,4], f32[16]) tuple(m, r) }
)";
  const Module module = parse(text);
  const std::vector<Literal> arguments = require_value(interpreter::random_arguments(module, 1));
  int count = 0;
  for (const char *name : {"cpu", "npu", "kernels"}) {
    const std::string file = fmt::format("plugins/{0}/libbackplane_{0}.so", name);
    if (!std::filesystem::exists(in_build(file))) {
      continue;
    }
    ++count;
    INFO(name);
    const Backend maker = backend(file, {});
    const Compiled compiled = compile(maker, module);
    const Literal expected = require_value(compiled.executable.run(arguments));
    const std::string bytes = require_value(pack({compiled.executable, interface_of(module)}));
    auto counter = std::make_shared<layers::Failure>();
    counter->function = layers::Function::compiler_compile;
    counter->call = std::numeric_limits<std::uint64_t>::max();
    const Backend user = backend(file, {}, layers::failure_layer(counter));
    const Executable executable = require_value(loaded(user, bytes));
    CHECK(require_value(executable.run(arguments)).identical(expected));
    CHECK(counter->calls == 0);
    CHECK(executable.memory().peak() == compiled.executable.memory().peak());
  }
  if (count == 0) {
    testing::skip("no backend that could be tested was built");
  }
}

TEST_CASE("a package that somebody must have signed is loaded only with that signature") {
  const testing::TemporaryFolder folder;
  const std::string file = folder / "a.bpkg", key = folder / "key.pem", public_key = folder / "public.pem",
                    other = folder / "other.pem";
  // Keys of RFC 8032, section 7.1.
  testing::write_file(key,
                      "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n"
                      "-----END PRIVATE KEY-----\n");
  testing::write_file(public_key,
                      "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n"
                      "-----END PUBLIC KEY-----\n");
  testing::write_file(other,
                      "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAPUAXw+hDiVqStwqnTRt+vJyYLM8uxJaMwM1V8Sr0Zgw=\n"
                      "-----END PUBLIC KEY-----\n");
  const Backend on = backend(tiny);
  const Module module = parse("ENTRY main { x = f32[4] parameter(0)  ROOT r = f32[4] negate(x) }");
  require_ok(save_package(compile(on, module).executable, interface_of(module), file));
  const PublicKey owner = require_value(read_public_key(public_key)), stranger = require_value(read_public_key(other));
  CHECK(error_of(on.load_package(file, owner)) ==
        file + " is not signed: there is no " + file + ".sig, expected a signature by the key 06e3fd8fda29bb60");
  require_ok(sign_file(file, key));
  CHECK(on.load_package(file, owner).ok());
  CHECK(on.load_package(file).ok());
  const std::string not_signed = " is not what the key ";
  CHECK_THAT(error_of(on.load_package(file, stranger)),
             Catch::StartsWith(file + not_signed + "deb2ded39dc26fce has signed"));
  std::string bytes = require_value(read_file(file));
  bytes.back() ^= 1;
  testing::write_file(file, bytes);
  CHECK_THAT(error_of(on.load_package(file, owner)),
             Catch::StartsWith(file + not_signed + "06e3fd8fda29bb60 has signed"));
  testing::write_file(file + ".sig", "short");
  CHECK(error_of(on.load_package(file, owner)) == file + ".sig has 5 bytes, expected the 64 of an Ed25519 signature");
}

}  // namespace bp::package
