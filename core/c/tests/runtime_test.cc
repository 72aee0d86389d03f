// The C interface, through the library that applications link.
#include "backplane/runtime.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "tools/testing/temporary_folder.h"

namespace {

// Records the reports.
struct Errors {
  std::vector<std::string> told;
  bp_diag_t diag = {this, [](const bp_diag_t *self, bp_status, std::uint32_t, const char *message) {
                      static_cast<Errors *>(self->ctx)->told.emplace_back(message);
                    }};
  // Returns the only report.
  std::string text() const {
    REQUIRE(told.size() == 1);
    return told[0];
  }
};

using Options = std::vector<bp_option_t>;

backplane_backend_t *load(const char *name) {
  Errors errors;
  backplane_backend_t *backend = nullptr;
  CHECK(backplane_load(name, nullptr, 0, &errors.diag, &backend) == BP_OK);
  REQUIRE(backend != nullptr);
  return backend;
}

bp_status compile(const backplane_backend_t *backend, const std::string &text, const Options &options, Errors &errors,
                  backplane_executable_t **executable) {
  return backplane_compile_bytes(backend, text.data(), text.size(), "given", options.data(),
                                 static_cast<std::uint32_t>(options.size()), &errors.diag, executable);
}

const std::string mixed = R"(HloModule mixed
ENTRY main {
  pair = (f32[2], (s8[3], token[])) parameter(0)
  x = f32[2] get-tuple-element(pair), index=0
  inner = (s8[3], token[]) get-tuple-element(pair), index=1
  small = s8[3] get-tuple-element(inner), index=0
  scalar = s64[] parameter(1)
  twice = f32[2] add(x, x)
  less = s8[3] negate(small)
  nested = (s8[3], s64[]) tuple(less, scalar)
  ROOT r = (f32[2], (s8[3], s64[])) tuple(twice, nested)
})";

}  // namespace

TEST_CASE("arrays are described and go in and out, tuples taken apart") {
  backplane_backend_t *backend = load("interpreter");
  backplane_executable_t *executable = nullptr;
  Errors errors;
  REQUIRE(compile(backend, mixed, {}, errors, &executable) == BP_OK);
  backplane_release_backend(backend);  // the executable stays valid
  REQUIRE(backplane_input_count(executable) == 3);
  REQUIRE(backplane_output_count(executable) == 3);
  const auto describe = [](const backplane_array_t *array) {
    std::string text =
        std::string(array->name) + " " + std::to_string(array->dtype) + " " + std::to_string(array->size);
    for (std::uint32_t i = 0; i < array->rank; ++i) {
      text += " " + std::to_string(array->dims[i]);
    }
    return text;
  };
  const std::string f32 = std::to_string(BP_DTYPE_F32), s8 = std::to_string(BP_DTYPE_S8),
                    s64 = std::to_string(BP_DTYPE_S64);
  CHECK(describe(backplane_input(executable, 0)) == "pair{0} " + f32 + " 8 2");
  CHECK(describe(backplane_input(executable, 1)) == "pair{1,0} " + s8 + " 3 3");
  CHECK(describe(backplane_input(executable, 2)) == "scalar " + s64 + " 8");
  CHECK(backplane_input(executable, 3) == nullptr);
  CHECK(describe(backplane_output(executable, 0)) == "twice " + f32 + " 8 2");
  CHECK(describe(backplane_output(executable, 1)) == "nested{0} " + s8 + " 3 3");
  CHECK(describe(backplane_output(executable, 2)) == "nested{1} " + s64 + " 8");
  CHECK(backplane_output(executable, 3) == nullptr);

  // A saved executable is loaded with the same names, and computes the same.
  const bp::testing::TemporaryFolder folder;
  const std::string path = folder / "mixed.bpkg";
  REQUIRE(backplane_save_package(executable, path.c_str(), &errors.diag) == BP_OK);
  backplane_backend_t *user = load("interpreter");
  backplane_executable_t *loaded = nullptr;
  REQUIRE(backplane_load_package(user, path.c_str(), nullptr, &errors.diag, &loaded) == BP_OK);
  backplane_release_backend(user);
  REQUIRE(backplane_input_count(loaded) == 3);
  REQUIRE(backplane_output_count(loaded) == 3);
  for (std::uint32_t i = 0; i < 3; ++i) {
    CHECK(describe(backplane_input(loaded, i)) == describe(backplane_input(executable, i)));
    CHECK(describe(backplane_output(loaded, i)) == describe(backplane_output(executable, i)));
  }
  if (GENERATE(false, true)) {
    std::swap(executable, loaded);
  }
  backplane_release_executable(loaded);

  const float x[] = {1.5f, -2};
  const std::int8_t small[] = {1, 2, -3};
  const std::int64_t scalar = 1LL << 40;
  alignas(8) char place[9];  // any alignment is allowed
  std::int8_t less[3];
  std::int64_t same = 0;
  const void *inputs[] = {x, small, &scalar};
  void *outputs[] = {place + 1, less, &same};
  REQUIRE(backplane_run(executable, inputs, outputs, &errors.diag) == BP_OK);
  float twice[2];
  std::memcpy(twice, place + 1, sizeof twice);
  CHECK(twice[0] == 3);
  CHECK(twice[1] == -4);
  CHECK((less[0] == -1 && less[1] == -2 && less[2] == 3));
  CHECK(same == scalar);
  CHECK(errors.told.empty());

  inputs[1] = nullptr;
  CHECK(backplane_run(executable, inputs, outputs, &errors.diag) == BP_INVALID);
  CHECK(errors.text() == "an input is a null pointer, expected one that is not");
  CHECK(backplane_run(executable, nullptr, outputs, nullptr) == BP_INVALID);  // without a sink for errors
  backplane_release_executable(executable);
  backplane_release_executable(nullptr);
  backplane_release_backend(nullptr);
}

TEST_CASE("numbers narrower than a byte may come with any upper bits") {
  backplane_backend_t *backend = load("interpreter");
  backplane_executable_t *executable = nullptr;
  Errors errors;
  REQUIRE(compile(backend, R"(HloModule narrow
    ENTRY main { x = s4[4] parameter(0)  y = u4[4] parameter(1)  a = s8[4] convert(x)  b = s8[4] convert(y)
      ROOT r = s8[4] add(a, b) })",
                  {}, errors, &executable) == BP_OK);
  const unsigned char x[] = {0x0f, 0x08, 0xf7, 0xa1}, y[] = {0x00, 0xf0, 0x11, 0x0f};
  const void *inputs[] = {x, y};
  std::int8_t result[4] = {};
  void *outputs[] = {result};
  REQUIRE(backplane_run(executable, inputs, outputs, &errors.diag) == BP_OK);
  CHECK(std::vector<int>(result, result + 4) == std::vector<int>{-1, -8, 8, 16});
  backplane_release_executable(executable);
  backplane_release_backend(backend);
}

TEST_CASE("a program for several devices is compiled, but not run on one") {
  backplane_backend_t *backend = load("interpreter");
  backplane_executable_t *executable = nullptr;
  Errors errors;
  REQUIRE(compile(backend, "HloModule two, replica_count=2\nENTRY e { ROOT i = u32[] replica-id() }", {}, errors,
                  &executable) == BP_OK);
  std::uint32_t number = 7;
  void *outputs[] = {&number};
  CHECK(backplane_run(executable, nullptr, outputs, &errors.diag) == BP_UNSUPPORTED);
  CHECK(errors.text().find("two needs 2 devices (replica_count=2, num_partitions=1)") != std::string::npos);
  CHECK(number == 7);
  backplane_release_executable(executable);
  backplane_release_backend(backend);
}

TEST_CASE("a run ends at its deadline or when it is cancelled, and a compilation, too") {
  const std::string endless = R"(
    flip { i = s32[] parameter(0)  one = s32[] constant(1)  ROOT n = s32[] xor(i, one) }
    goes_on { i = s32[] parameter(0)  five = s32[] constant(5)  ROOT r = pred[] compare(i, five), direction=LT }
    ENTRY main { i = s32[] parameter(0)  ROOT w = s32[] while(i), condition=goes_on, body=flip })";
  for (const char *name : {"interpreter", "kernels"}) {
    backplane_backend_t *backend = load(name);
    backplane_executable_t *executable = nullptr;
    Errors errors;
    REQUIRE(compile(backend, endless, {{"deadline", "1000"}}, errors, &executable) == BP_OK);
    const std::int32_t zero = 0;
    std::int32_t result = 0;
    const void *inputs[] = {&zero};
    void *outputs[] = {&result};
    backplane_terms_t *soon = backplane_make_terms(0.05, 3);
    CHECK(backplane_run_with_terms(executable, inputs, outputs, soon, &errors.diag) == BP_CANCELLED);
    CHECK_THAT(errors.text(), Catch::Contains("not done by its deadline"));
    backplane_release_terms(soon);
    for (const double passed : {-1.0, std::numeric_limits<double>::quiet_NaN()}) {
      backplane_terms_t *late = backplane_make_terms(passed, 0);
      CHECK(backplane_run_with_terms(executable, inputs, outputs, late, nullptr) == BP_CANCELLED);
      backplane_release_terms(late);
    }
    backplane_terms_t *never = backplane_make_terms(0, 0);
    backplane_cancel(never);
    errors.told.clear();
    CHECK(backplane_run_with_terms(executable, inputs, outputs, never, &errors.diag) == BP_CANCELLED);
    CHECK_THAT(errors.text(), Catch::Contains("cancelled by the caller"));
    backplane_release_terms(never);
    backplane_release_terms(nullptr);
    backplane_cancel(nullptr);
    backplane_release_executable(executable);
    backplane_release_backend(backend);
  }
  backplane_backend_t *backend = load("kernels");
  backplane_executable_t *executable = nullptr;
  for (const char *wrong : {"0", "-1", "soon", "nan"}) {
    Errors errors;
    CHECK(compile(backend, endless, {{"deadline", wrong}}, errors, &executable) == BP_INVALID);
    CHECK(errors.text() == std::string("the option deadline is '") + wrong + "', expected a number of seconds above 0");
  }
  Errors errors;
  CHECK(compile(backend, endless, {{"deadline", "1e-9"}}, errors, &executable) == BP_CANCELLED);
  backplane_release_backend(backend);
}

TEST_CASE("a plugin is loaded by name") {
  backplane_backend_t *backend = load("kernels");
  backplane_executable_t *executable = nullptr;
  Errors errors;
  const std::string text = "ENTRY main { x = f32[3] parameter(0)  y = f32[3] cosine(x)  ROOT r = f32[3] add(x, y) }";
  CHECK(compile(backend, text, {{"device-only", "1"}}, errors, &executable) == BP_UNSUPPORTED);
  CHECK_THAT(errors.text(), Catch::Contains("cosine"));
  REQUIRE(compile(backend, text, {{"device-only", "0"}}, errors, &executable) == BP_OK);
  const float x[3] = {};
  float r[3];
  const void *input = x;
  void *output = r;
  CHECK(backplane_run(executable, &input, &output, nullptr) == BP_OK);
  CHECK(r[2] == 1);
  backplane_release_executable(executable);
  backplane_release_backend(backend);
}

TEST_CASE("all errors are in one report") {
  backplane_backend_t *backend = nullptr;
  Errors absent, option, file, null;
  CHECK(backplane_load("no-such-backend", nullptr, 0, &absent.diag, &backend) == BP_INVALID);
  CHECK_THAT(absent.text(), Catch::StartsWith("no plugin answers to \"no-such-backend\", expected one of: "));
  const bp_option_t speed = {"speed", "9"};
  CHECK(backplane_load("interpreter", &speed, 1, &option.diag, &backend) == BP_INVALID);
  CHECK(option.text() == "the interpreter has no settings, but speed was given");
  for (const char *count : {"many", "-1", "1025", ""}) {
    Errors threads;
    const bp_option_t option_threads = {"threads", count};
    CHECK(backplane_load("interpreter", &option_threads, 1, &threads.diag, &backend) == BP_INVALID);
    CHECK(threads.text() == "option threads is '" + std::string(count) + "', expected a number of at most 1024, or 0");
  }
  Errors isolation;
  const bp_option_t isolate = {"isolate", "soon"};
  CHECK(backplane_load("interpreter", &isolate, 1, &isolation.diag, &backend) == BP_INVALID);
  CHECK(isolation.text() == "option isolate is 'soon', expected a number of seconds, or 0");
  Errors of_memory, alone;
  const bp_option_t memory[] = {{"isolate", "0"}, {"isolate-memory", "some"}};
  CHECK(backplane_load("interpreter", memory, 2, &of_memory.diag, &backend) == BP_INVALID);
  CHECK(of_memory.text() == "option isolate-memory is 'some', expected a number of bytes");
  const bp_option_t strict = {"isolate-strict", "1"};
  CHECK(backplane_load("interpreter", &strict, 1, &alone.diag, &backend) == BP_INVALID);
  CHECK(alone.text() == "option isolate-strict is given, expected option isolate too");
  CHECK(backplane_load(nullptr, nullptr, 0, &null.diag, &backend) == BP_INVALID);
  CHECK(null.text() == "name is a null pointer, expected one that is not");
  CHECK(backend == nullptr);

  backend = load("interpreter");
  backplane_executable_t *executable = nullptr;
  CHECK(backplane_compile_file(backend, "absent.hlo", nullptr, 0, &file.diag, &executable) == BP_INVALID);
  CHECK(file.text() == "cannot read absent.hlo: No such file or directory");
  const auto [text, options, status, message] = GENERATE(table<std::string, Options, bp_status, std::string>({
      {"ENTRY m { ROOT x = f32[2] parameter(1) }", {}, BP_INVALID, "given:1:"},
      {"ENTRY m { ROOT x = f32[<=2] parameter(0) }",
       {},
       BP_UNSUPPORTED,
       "given:1:16: x: has shape f32[<=2], expected sizes that are known before it runs"},
      {mixed,
       {{"speed", "9"}},
       BP_INVALID,
       "there is no option 'speed' of a compilation, expected device-only, memory-limit, cache-dir, dump-dir, "
       "deadline, keep-artifacts, fuse, disabled-passes, cluster, host-functions or format"},
      {mixed, {{"cluster", "some"}}, BP_INVALID, "the option cluster is 'some', expected off, auto or marked"},
      {mixed, {{"format", "stable_hlo"}}, BP_INVALID, "there is no format 'stable_hlo', expected one of onnx, caffe, "},
      {mixed, {{"format", "stablehlo"}}, BP_UNSUPPORTED, "given:1:1: unknown operation HloModule"},
      {mixed, {{"fuse", "2"}}, BP_INVALID, "the option fuse is '2', expected 0 or 1"},
      {mixed, {{"memory-limit", "-1"}}, BP_INVALID, "the option memory-limit is '-1', expected a number of at least 0"},
      {mixed, {{"device-only", "yes"}}, BP_INVALID, "the option device-only is 'yes', expected 0 or 1"},
      {mixed, {{"device-only", nullptr}}, BP_INVALID, "the value of an option is a null pointer"},
  }));
  Errors no_package, null_path;
  CHECK(backplane_load_package(backend, "absent.bpkg", nullptr, &no_package.diag, &executable) == BP_INVALID);
  CHECK(no_package.text() == "cannot read absent.bpkg: No such file or directory");
  Errors no_key;
  CHECK(backplane_load_package(backend, "absent.bpkg", "absent.pem", &no_key.diag, &executable) == BP_INVALID);
  CHECK_THAT(no_key.text(), Catch::Contains("cannot read absent.pem"));
  CHECK(backplane_load_package(backend, nullptr, nullptr, &null_path.diag, &executable) == BP_INVALID);
  CHECK(null_path.text() == "path is a null pointer, expected one that is not");
  Errors errors;
  CHECK(compile(backend, text, options, errors, &executable) == status);
  CHECK_THAT(errors.text(), Catch::StartsWith(message));
  CHECK(executable == nullptr);
  backplane_release_backend(backend);
}

namespace {

struct Plugin {
  std::string name, id, aliases, title, path, refusal;
};

std::vector<Plugin> list_plugins() {
  std::vector<Plugin> plugins;
  const auto receive = [](void *data, const backplane_plugin_t *plugin) {
    static_cast<std::vector<Plugin> *>(data)->push_back({plugin->name, plugin->id, plugin->aliases, plugin->title,
                                                         plugin->path,
                                                         plugin->refusal == nullptr ? "" : plugin->refusal});
  };
  CHECK(backplane_list_plugins(receive, &plugins, nullptr) == BP_OK);
  return plugins;
}

// Sets BACKPLANE_PATH as long as it lives.
class SearchPath {
 public:
  explicit SearchPath(const std::string &path) : before_(std::getenv("BACKPLANE_PATH")) {
    setenv("BACKPLANE_PATH", path.c_str(), 1);
  }
  SearchPath(const SearchPath &) = delete;
  SearchPath &operator=(const SearchPath &) = delete;
  ~SearchPath() { before_ == nullptr ? unsetenv("BACKPLANE_PATH") : setenv("BACKPLANE_PATH", before_, 1); }

 private:
  const char *before_;
};

}  // namespace

TEST_CASE("plugins are listed, also those that cannot be loaded, and what they say reaches the application") {
  const std::vector<Plugin> all = list_plugins();
  const auto null = std::ranges::find(all, "null", &Plugin::name);
  REQUIRE(null != all.end());
  CHECK(null->id == "dev.backplane.null");
  CHECK(null->aliases == "null");
  CHECK(!null->title.empty());
  CHECK(null->refusal.empty());

  const bp::testing::TemporaryFolder first, second;
  const std::string file = "libbackplane_null.so";
  std::filesystem::copy_file(null->path, first / file);
  std::filesystem::copy_file(null->path, second / file);
  std::ofstream(second / "libbackplane_none.so") << "no library";
  const SearchPath path((first / "") + ":" + (second / ""));
  const std::vector<Plugin> found = list_plugins();
  REQUIRE(found.size() == 3);
  CHECK(found[0].name == "null");
  CHECK(found[1].name == "none");
  CHECK(found[1].id.empty());
  CHECK_THAT(found[1].refusal, Catch::Contains("libbackplane_none.so"));
  CHECK(found[2].name == "null");

  std::vector<std::string> told;
  const auto log = [](void *data, std::uint32_t, const char *message) {
    static_cast<std::vector<std::string> *>(data)->emplace_back(message);
  };
  backplane_backend_t *backend = nullptr;
  Errors errors;
  REQUIRE(backplane_load_with_log("null", nullptr, 0, log, &told, &errors.diag, &backend) == BP_OK);
  REQUIRE(told.size() == 1);
  CHECK_THAT(told[0], Catch::StartsWith("\"null\", \"dev.backplane.null\"") || Catch::Contains("of 2 files"));
  backplane_release_backend(backend);
  CHECK(backplane_load_with_log("null", nullptr, 0, nullptr, nullptr, &errors.diag, &backend) == BP_INVALID);
  CHECK(errors.text() == "log is a null pointer, expected one that is not");
  CHECK(backplane_list_plugins(nullptr, nullptr, nullptr) == BP_INVALID);
}

TEST_CASE("an application chooses clusters and passes") {
  const std::string sum = "ENTRY m { x = f32[2] parameter(0)  ROOT y = f32[2] add(x, x) }";
  backplane_backend_t *backend = load("kernels");
  for (const Options &options :
       {Options{{"cluster", "auto"}}, Options{{"cluster", "marked"}, {"fuse", "0"}}, Options{{"cluster", "off"}}}) {
    Errors errors;
    backplane_executable_t *executable = nullptr;
    REQUIRE(compile(backend, sum, options, errors, &executable) == BP_OK);
    backplane_release_executable(executable);
  }
  Errors errors;
  backplane_executable_t *executable = nullptr;
  CHECK(compile(backend, sum, {{"disabled-passes", "no-such-pass"}}, errors, &executable) == BP_INVALID);
  CHECK_THAT(errors.text(), Catch::Contains("no-such-pass"));
  backplane_release_backend(backend);
}

namespace {

// Adds two arrays of two floats, or fails if there is a word in place of data.
bp_status add_on_host(void *data, const backplane_call_t *call, const bp_diag_t *errors) {
  if (data != nullptr) {
    errors->report(errors, BP_INTERNAL, BP_NONE, static_cast<const char *>(data));
    return BP_INTERNAL;
  }
  CHECK(std::string(call->target) == "add");
  CHECK(std::string(call->config) == "fast");
  REQUIRE((call->input_count == 2 && call->output_count == 1));
  CHECK((call->outputs[0].rank == 1 && call->outputs[0].dims[0] == 2 && call->outputs[0].size == 8));
  float sides[2][2];
  std::memcpy(sides[0], call->input_data[0], 8);
  std::memcpy(sides[1], call->input_data[1], 8);
  const float sum[] = {sides[0][0] + sides[1][0], sides[0][1] + sides[1][1]};
  std::memcpy(call->output_data[0], sum, 8);
  return BP_OK;
}

bp_status feed(void *data, const backplane_call_t *call, const bp_diag_t *) {
  float &next = *static_cast<float *>(data);
  REQUIRE((call->target == nullptr && call->input_count == 0 && call->output_count == 1));
  const float values[] = {next, next + 1};
  std::memcpy(call->output_data[0], values, sizeof values);
  next += 10;
  return BP_OK;
}

bp_status take(void *data, const backplane_call_t *call, const bp_diag_t *) {
  REQUIRE((call->target == nullptr && call->input_count == 1 && call->output_count == 0));
  std::vector<float> &taken = *static_cast<std::vector<float> *>(data);
  taken.resize(taken.size() + 2);
  std::memcpy(taken.data() + taken.size() - 2, call->input_data[0], 8);
  return BP_OK;
}

}  // namespace

TEST_CASE("functions of the application serve custom calls, infeed and outfeed") {
  const std::string text = R"(HloModule served
    ENTRY main { x = f32[2] parameter(0)  t = token[] after-all()
      i = (f32[2], token[]) infeed(t)  a = f32[2] get-tuple-element(i), index=0
      u = token[] get-tuple-element(i), index=1
      c = f32[2] custom-call(a, x), custom_call_target="add", backend_config="fast"
      o = token[] outfeed(c, u), outfeed_shape=f32[2]{0}
      ROOT r = f32[2] add(c, c) })";
  for (const char *name : {"interpreter", "kernels", "npu"}) {
    INFO(name);
    backplane_backend_t *backend = load(name);
    backplane_executable_t *executable = nullptr;
    Errors errors;
    REQUIRE(compile(backend, text, {{"host-functions", "add,infeed,outfeed"}}, errors, &executable) == BP_OK);
    const float x[] = {1, 2};
    float result[2] = {};
    const void *inputs[] = {x};
    void *outputs[] = {result};
    float next = 3;
    std::vector<float> taken;
    backplane_terms_t *terms = backplane_make_terms(0, 0);
    REQUIRE(backplane_serve_function(terms, "add", add_on_host, nullptr, &errors.diag) == BP_OK);
    REQUIRE(backplane_serve_infeed(terms, feed, &next, &errors.diag) == BP_OK);
    REQUIRE(backplane_serve_outfeed(terms, take, &taken, &errors.diag) == BP_OK);
    for (const float expected : {8.0F, 28.0F}) {
      REQUIRE(backplane_run_with_terms(executable, inputs, outputs, terms, &errors.diag) == BP_OK);
      CHECK((result[0] == expected && result[1] == expected + 4));
    }
    CHECK(taken == std::vector<float>{4, 6, 14, 16});
    CHECK(backplane_serve_function(terms, "add", add_on_host, nullptr, &errors.diag) == BP_INVALID);
    CHECK(errors.text() == "two functions are registered for the custom call \"add\"");
    errors.told.clear();
    CHECK(backplane_serve_infeed(terms, nullptr, nullptr, &errors.diag) == BP_INVALID);
    backplane_release_terms(terms);

    char why[] = "the shop is closed";
    terms = backplane_make_terms(0, 0);
    errors.told.clear();
    CHECK(backplane_run_with_terms(executable, inputs, outputs, terms, &errors.diag) != BP_OK);
    CHECK_THAT(errors.text(), Catch::Contains("takes f32[2] from the application, which feeds nothing"));
    errors.told.clear();
    REQUIRE(backplane_serve_infeed(terms, feed, &next, nullptr) == BP_OK);
    REQUIRE(backplane_serve_function(terms, "add", add_on_host, why, nullptr) == BP_OK);
    CHECK(backplane_run_with_terms(executable, inputs, outputs, terms, &errors.diag) == BP_INVALID);
    CHECK_THAT(errors.text(), Catch::Contains("the application's function failed: the shop is closed"));
    backplane_release_terms(terms);
    backplane_release_executable(executable);
    backplane_release_backend(backend);
  }
}

TEST_CASE("the status of an application's function is kept, and bytes that are no truth value are refused") {
  const std::string text = R"(HloModule answering
    ENTRY main { ROOT c = (s32[], pred[3]) custom-call(), custom_call_target="answer" })";
  for (const char *name : {"interpreter", "npu"}) {
    INFO(name);
    backplane_backend_t *backend = load(name);
    backplane_executable_t *executable = nullptr;
    Errors errors;
    REQUIRE(compile(backend, text, {{"host-functions", "answer"}}, errors, &executable) == BP_OK);
    std::int32_t number = 0;
    std::uint8_t truths[3] = {};
    void *outputs[] = {&number, truths};
    const auto run_with = [&](std::pair<bp_status, std::uint8_t> answer) {
      const auto function = [](void *data, const backplane_call_t *call, const bp_diag_t *) -> bp_status {
        const auto &[status, byte] = *static_cast<const std::pair<bp_status, std::uint8_t> *>(data);
        std::memset(call->output_data[0], 0, 4);
        std::memset(call->output_data[1], byte, 3);
        return status;
      };
      backplane_terms_t *terms = backplane_make_terms(0, 0);
      REQUIRE(backplane_serve_function(terms, "answer", function, &answer, nullptr) == BP_OK);
      errors.told.clear();
      const bp_status status = backplane_run_with_terms(executable, nullptr, outputs, terms, &errors.diag);
      backplane_release_terms(terms);
      return status;
    };
    CHECK(run_with({BP_OK, 1}) == BP_OK);
    CHECK(truths[2] == 1);
    for (const bp_status status : {BP_UNSUPPORTED, BP_NO_MEMORY, BP_CANCELLED, BP_INVALID}) {
      CHECK(run_with({status, 1}) == status);
    }
    CHECK(run_with({BP_DEVICE_LOST, 1}) == BP_INVALID);
    CHECK_THAT(errors.text(), Catch::Contains("the application's function failed: it does not say why"));
    CHECK(run_with({BP_OK, 2}) == BP_INVALID);
    CHECK_THAT(errors.text(),
               Catch::Contains("the application's function wrote 2 as element 0 of output 1, expected 0 or 1 (pred)"));
    CHECK(run_with({BP_OK, 0}) == BP_OK);
    backplane_release_executable(executable);
    backplane_release_backend(backend);
  }
}
