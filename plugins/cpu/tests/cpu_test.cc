// The CPU backend against the interpreter: every elementwise op with every type it takes, at sizes around the length of
// a vector, and the programs in tests/programs, for several instruction sets.
#include <fmt/format.h>
#include <openssl/sha.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <limits>
#include <thread>

#include "core/backplane.h"
#include "core/compile/compile.h"
#include "core/host/diagnostics.h"
#include "core/host/host_services.h"
#include "core/interpreter/compare.h"
#include "core/interpreter/interpreter.h"
#include "core/interpreter/random_inputs.h"
#include "core/passes/pipeline.h"
#include "core/text/parser.h"
#include "core/text/printer.h"
#include "plugins/cpu/tests/open_cpu.h"
#include "plugins/llvm/tests/large_arrays.h"
#include "tools/testing/source_tree.h"

namespace bp::cpu::tests {
namespace {

Device open(std::string features = {}) {
  std::vector<std::pair<std::string, std::string>> settings;
  if (!features.empty()) {
    settings.emplace_back("features", std::move(features));
  }
  return open_cpu(std::move(settings), host::AfterUse::KeepMapped).value();
}

// Returns the relative tolerance: about one unit in the last place of the largest element, with a margin for sums.
double tolerance(const ir::Shape &shape) {
  switch (shape.element_type()) {
    case ir::ElementType::F64:
    case ir::ElementType::C128: return 1e-14;
    case ir::ElementType::F32:
    case ir::ElementType::C64: return 1e-6;
    case ir::ElementType::F16: return 1.0 / 1024;
    case ir::ElementType::BF16: return 1.0 / 128;
    default: return 0;
  }
}

Result<std::vector<interpreter::Comparison>> compare_with_interpreter(const Device &device, std::string_view text,
                                                                      bool fuse) {
  BP_ASSIGN(ir::Module module, text::parse_module(text));
  BP_ASSIGN(std::vector<ir::Literal> arguments, interpreter::random_arguments(module, 1));
  BP_ASSIGN(ir::Literal reference, interpreter::interpret(module, arguments));
  compile::Options options;
  options.device_only = options.verify = true;
  options.fuse = fuse;
  BP_ASSIGN(compile::Compiled compiled, compile::compile(std::move(module), device, options));
  BP_ASSIGN(ir::Literal result, compiled.executable.run(std::move(arguments)));
  return interpreter::compare(result, reference);
}

void check(const Device &device, std::string_view text, bool fuse) {
  INFO(text);
  auto comparisons = compare_with_interpreter(device, text, fuse);
  INFO((comparisons.ok() ? std::string() : comparisons.error().to_string()));
  REQUIRE(comparisons.ok());
  for (const interpreter::Comparison &comparison : *comparisons) {
    INFO(interpreter::to_string(comparison));
    CHECK(comparison.relative_error <= tolerance(comparison.shape));
  }
}

// A program of instructions `name = type[size] op(operands)`, all of which are results. For even sizes the shape is
// [1,size], for which random inputs have both signs; otherwise they are around 1, in the domain of all functions.
class ProgramText {
 public:
  explicit ProgramText(int size) : dimensions_(fmt::format("{}{}", size % 2 == 0 ? "1," : "", size)) {}
  void parameters(std::string_view type, int count) {
    for (int i = 0; i < count; ++i) {
      body_ += fmt::format(" p{} = {}[{}] parameter({})\n", i, type, dimensions_, i);
    }
  }
  void add(std::string_view type, std::string_view expression) {
    const std::string shape = fmt::format("{}[{}]", type, dimensions_);
    body_ += fmt::format(" r{} = {} {}\n", results_, shape, expression);
    shapes_ += (results_ == 0 ? "" : ", ") + shape;
    names_ += fmt::format("{}r{}", results_ == 0 ? "" : ", ", results_);
    ++results_;
  }
  std::string text() const {
    return fmt::format("ENTRY e {{\n{} ROOT t = ({}) tuple({})\n}}\n", body_, shapes_, names_);
  }

 private:
  int results_ = 0;
  std::string dimensions_, body_, shapes_, names_;
};

const char *const floats[] = {"f32", "f64", "bf16", "f16"};
const char *const integers[] = {"s8", "s16", "s32", "s64", "u8", "u16", "u32", "u64"};
const int sizes[] = {1, 2, 7, 16, 37, 64, 129};

}  // namespace

// The integers are so close to the midpoint of two neighbouring floats that f64 cannot represent the difference.
TEST_CASE("integers of 64 bits become the nearest narrow float") {
  const Device device = open(GENERATE("", "x86-64", "x86-64-v3"));
  constexpr std::int64_t middle = (std::int64_t{1} << 62) + (std::int64_t{1} << 54);
  const auto convert = [&](const char *type, std::int64_t number) {
    const std::string text = fmt::format(
        "HloModule m ENTRY main {{ x = {}[1] parameter(0)  y = bf16[1] convert(x)  ROOT r = f32[1] convert(y) }}",
        type);
    compile::Options options;
    options.device_only = true;
    auto compiled = compile::compile(text::parse_module(text).value(), device, options).value();
    const auto element_type = ir::element_type_from_string(type).value();
    ir::Literal x = ir::Literal::zeros(ir::Shape::array(element_type, {1})).value();
    std::memcpy(x.mutable_bytes().data(), &number, sizeof number);
    return compiled.executable.run(std::vector{x}).value().elements<float>()[0];
  };
  for (const char *type : {"s64", "u64"}) {
    CHECK(convert(type, middle) == 0x1p62F);
    CHECK(convert(type, middle + 1) == 0x1p62F + 0x1p55F);
    CHECK(convert(type, 16842753) == 16908288.0F);
  }
  CHECK(convert("s64", -middle - 1) == -0x1p62F - 0x1p55F);
  CHECK(convert("s64", std::numeric_limits<std::int64_t>::min()) == -0x1p63F);
  CHECK(convert("s64", std::numeric_limits<std::int64_t>::max()) == 0x1p63F);
  CHECK(convert("u64", -1) == 0x1p64F);
}

TEST_CASE("elementwise ops agree with the interpreter") {
  const Device device = open(GENERATE("", "x86-64", "x86-64-v3"));
  const char *const float_unary[] = {"abs",
                                     "negate",
                                     "sign",
                                     "ceil",
                                     "floor",
                                     "round-nearest-afz",
                                     "round-nearest-even",
                                     "exponential",
                                     "exponential-minus-one",
                                     "log",
                                     "log-plus-one",
                                     "sqrt",
                                     "rsqrt",
                                     "cbrt",
                                     "sine",
                                     "cosine",
                                     "tan",
                                     "sinh",
                                     "cosh",
                                     "tanh",
                                     "atan",
                                     "asinh",
                                     "erf",
                                     "logistic"};
  const char *const float_binary[] = {"add",   "subtract", "multiply", "divide", "remainder",
                                      "power", "atan2",    "maximum",  "minimum"};
  const char *const integer_unary[] = {"negate", "not", "popcnt", "count-leading-zeros", "abs", "sign"};
  const char *const integer_binary[] = {"add",
                                        "subtract",
                                        "multiply",
                                        "divide",
                                        "remainder",
                                        "power",
                                        "maximum",
                                        "minimum",
                                        "and",
                                        "or",
                                        "xor",
                                        "shift-left",
                                        "shift-right-arithmetic",
                                        "shift-right-logical",
                                        "mulhi"};
  const char *const directions[] = {"EQ", "NE", "GE", "GT", "LE", "LT"};
  const auto program = [&](const char *type, int size, auto &unary, auto &binary) {
    ProgramText text(size);
    text.parameters(type, 2);
    for (const char *op : unary) {
      text.add(type, fmt::format("{}(p0)", op));
    }
    for (const char *op : binary) {
      text.add(type, fmt::format("{}(p0, p1)", op));
    }
    for (const char *direction : directions) {
      text.add("pred", fmt::format("compare(p0, p1), direction={}", direction));
    }
    return text.text();
  };
  for (const char *type : floats) {
    check(device, program(type, 37, float_unary, float_binary), false);
  }
  for (const char *type : integers) {
    check(device, program(type, 37, integer_unary, integer_binary), false);
  }
  for (const int size : sizes) {
    check(device, program("f32", size, float_unary, float_binary), false);
    check(device, program("s32", size, integer_unary, integer_binary), false);
  }
}

TEST_CASE("conversions agree with the interpreter") {
  const Device device = open(GENERATE("", "x86-64", "x86-64-v3"));
  std::vector<std::string> types = {"pred"};
  types.insert(types.end(), std::begin(integers), std::end(integers));
  types.insert(types.end(), std::begin(floats), std::end(floats));
  for (const std::string &from : types) {
    ProgramText text(37);
    text.parameters(from, 1);
    for (const std::string &to : types) {
      text.add(to, "convert(p0)");
    }
    check(device, text.text(), false);
  }
}

TEST_CASE("reduce-precision gives the interpreter's bits for every f16, bf16 and f8") {
  const Device device = open();
  struct Widths {
    int exponent, mantissa;
  };
  const char *const types[] = {"f16",      "bf16",       "f8e3m4", "f8e4m3",     "f8e4m3b11fnuz",
                               "f8e4m3fn", "f8e4m3fnuz", "f8e5m2", "f8e5m2fnuz", "f8e8m0fnu"};
  for (const std::string type : types) {
    const bool is_byte = type.starts_with("f8");
    const int count = is_byte ? 256 : 65536;
    for (const Widths widths : {Widths{5, 10}, {8, 7}, {5, 2}, {4, 3}, {3, 8}, {2, 0}, {8, 0}, {1, 3}, {5, 9}}) {
      check(device,
            fmt::format("ENTRY e {{ i = u{0}[{1}] iota(), iota_dimension=0  x = {2}[{1}] bitcast-convert(i)  "
                        "r = {2}[{1}] reduce-precision(x), exponent_bits={3}, mantissa_bits={4}  "
                        "n = pred[{1}] compare(r, r), direction=NE  y = f32[{1}] convert(r)  "
                        "b = u32[{1}] bitcast-convert(y)  zero = u32[] constant(0)  "
                        "zeros = u32[{1}] broadcast(zero), dimensions={{}}  ROOT s = u32[{1}] select(n, zeros, b) }}",
                        is_byte ? 8 : 16, count, type, widths.exponent, widths.mantissa),
            true);
    }
  }
}

TEST_CASE("programs agree with the interpreter, plain and fused, on several instruction sets") {
  for (const char *features : {"", "x86-64", "x86-64-v3"}) {
    const Device device = open(features);
    for (const auto &entry : std::filesystem::directory_iterator(BP_SOURCE_ROOT "/plugins/cpu/tests/programs")) {
      INFO(entry.path());
      const std::string all = testing::read_file(entry.path());
      for (const text::TextPart &part : text::split_modules(all)) {
        check(device, part.text, false);
        check(device, part.text, true);
      }
    }
  }
}

constexpr std::string_view plain_text = "ENTRY e { p = f32[37] parameter(0)  ROOT r = f32[37] sine(p) }";

// Returns the target of a device that is opened with the setting, or the error.
std::string target_of(const std::string &key, const std::string &value) {
  const Result<Device> device = open_cpu({{key, value}}, host::AfterUse::KeepMapped);
  return device.ok() ? std::string((*device)->target()) : device.error().to_string();
}

TEST_CASE("arrays inside a fusion may have more elements than 32 bits can number") {
  const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  emit::tests::check_large_arrays(Backend::load((folder / "plugins/cpu/libbackplane_cpu.so").string()).value());
}

TEST_CASE("complex functions agree with what the core expands them to") {
  const Device device = open();
  const char *const functions[] = {"exponential", "exponential-minus-one",
                                   "log",         "log-plus-one",
                                   "sqrt",        "rsqrt",
                                   "sine",        "cosine",
                                   "tan",         "sinh",
                                   "cosh",        "tanh",
                                   "logistic",    "sign",
                                   "divide",      "power",
                                   "multiply"};
  for (const std::string type : {"c64", "c128"}) {
    for (const std::string function : functions) {
      const bool is_binary = function == "divide" || function == "power" || function == "multiply";
      const std::string text = fmt::format(
          "ENTRY e {{ x = {0}[1,300] parameter(0)  y = {0}[1,300] parameter(1)  ROOT r = {0}[1,300] {1}(x{2}) }}", type,
          function, is_binary ? ", y" : "");
      INFO(text);
      ir::Module module = text::parse_module(text).value(), expanded = module;
      REQUIRE(passes::run_passes(expanded, {passes::complex_expansion}).ok());
      const std::vector<ir::Literal> arguments = interpreter::random_arguments(module, 1).value();
      compile::Options options;
      options.device_only = true;
      auto native = compile::compile(std::move(module), device, options);
      auto parts = compile::compile(std::move(expanded), device, options);
      REQUIRE(native.ok());
      REQUIRE(parts.ok());
      const interpreter::Comparison comparison =
          interpreter::compare(native->executable.run(arguments).value(), parts->executable.run(arguments).value())
              .value()
              .at(0);
      INFO(interpreter::to_string(comparison));
      CHECK(comparison.agrees(type == "c64" ? 1e-7 : 1e-15));
    }
  }
}

// Returns a program with all four transforms of lines of this length.
std::string transforms(std::int64_t length, bool is_double) {
  const std::string real = is_double ? "f64" : "f32", complex = is_double ? "c128" : "c64";
  const auto whole = [&](const std::string &type) { return fmt::format("{}[3,{}]", type, length); };
  const std::string half = fmt::format("{}[3,{}]", complex, length / 2 + 1);
  const auto transform = [&](const std::string &name, const std::string &result, const std::string &of) {
    return fmt::format("  {0} = {1} fft({2}), fft_type={0}, fft_length={{{3}}}\n", name, result, of, length);
  };
  return fmt::format(
      "ENTRY e {{\n  x = {0} parameter(0)\n  y = {1} parameter(1)\n  z = {2} parameter(2)\n{3}"
      "  ROOT r = ({0}, {0}, {2}, {1}) tuple(FFT, IFFT, RFFT, IRFFT)\n}}\n",
      whole(complex), whole(real), half,
      transform("FFT", whole(complex), "x") + transform("IFFT", whole(complex), "x") + transform("RFFT", half, "y") +
          transform("IRFFT", whole(real), "z"));
}

TEST_CASE("Fourier transforms of any length agree with the interpreter") {
  const bool is_full = std::getenv("BACKPLANE_TEST_FULL") != nullptr;
  const Device device = open(), small = open("x86-64");
  for (std::int64_t length = 1; length <= 300; length += is_full || length < 24 ? 1 : 17) {
    check(length % 3 == 0 ? small : device, transforms(length, length % 2 == 0), false);
    if (is_full) {
      check(device, transforms(length, true), false);
      check(small, transforms(length, false), false);
    }
  }
}

TEST_CASE("random state moves on from run to run") {
  Result<ir::Module> module = text::parse_module(
      "ENTRY e { a = f32[] constant(0)  b = f32[] constant(1)  ROOT r = f32[64] rng(a, b), distribution=rng_uniform }");
  REQUIRE(module.ok());
  compile::Options options;
  options.device_only = true;
  auto compiled = compile::compile(std::move(module).value(), open(), options);
  REQUIRE(compiled.ok());
  const ir::Literal first = compiled->executable.run({}).value(), second = compiled->executable.run({}).value();
  CHECK_FALSE(first.identical(second));
}

TEST_CASE("threads that update the random state at the same time get states of their own") {
  constexpr int thread_count = 4, run_count = 100;
  constexpr std::uint64_t delta = 7;
  Result<ir::Module> module =
      text::parse_module(fmt::format("ENTRY e {{ ROOT s = u64[2] rng-get-and-update-state(), delta={} }}", delta));
  REQUIRE(module.ok());
  compile::Options options;
  options.device_only = true;
  auto compiled = compile::compile(std::move(module).value(), open(), options);
  REQUIRE(compiled.ok());
  std::vector<std::vector<std::uint64_t>> states(thread_count);
  std::vector<std::thread> threads;
  for (std::vector<std::uint64_t> &own : states) {
    threads.emplace_back([&] {
      for (int i = 0; i < run_count; ++i) {
        auto result = compiled->executable.run({});
        own.push_back(result.ok() ? result->elements<std::uint64_t>()[0] : 0);
      }
    });
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
  std::vector<std::uint64_t> all;
  for (const std::vector<std::uint64_t> &own : states) {
    CHECK(std::ranges::is_sorted(own));
    all.insert(all.end(), own.begin(), own.end());
  }
  std::ranges::sort(all);
  for (std::size_t i = 0; i < all.size(); ++i) {
    CHECK(all[i] == all[0] + i * delta);
  }
}

TEST_CASE("features are a list, a level, or a change to the target's own") {
  using Catch::Contains;
  const auto of = [](const std::string &features) { return target_of("target", "x86_64-linux-gnu:" + features); };
  CHECK(of("") == "x86_64-linux-gnu:");
  CHECK(of("x86-64") == "x86_64-linux-gnu:");
  CHECK_THAT(of("x86-64-v3"), Contains("avx2") && Contains("fma") && !Contains("avx512f"));
  CHECK_THAT(of("x86-64-v4"), Contains("avx2") && Contains("avx512vl"));
  // Adding a feature also adds those that it needs; removing one also removes those that need it.
  CHECK(of("avx") == of("+avx"));
  CHECK_THAT(of("avx"), Contains("sse4.2"));
  CHECK_THAT(of("x86-64-v4,-avx512f"), Contains("avx2") && !Contains("avx512"));
  CHECK_THAT(of("x86-64-v3,-avx"), Contains("sse4.2") && !Contains("avx") && !Contains("fma"));
  CHECK_THAT(target_of("target", "aarch64-linux-gnu"), Contains("aarch64-linux-gnu:"));
}

TEST_CASE("the name of a machine stands for its features that a program can find out") {
  using Catch::Contains;
  const auto arm = [](const std::string &features) { return target_of("target", "aarch64-linux-gnu:" + features); };
  CHECK_THAT(arm("cortex-a76"), Contains("dotprod") && Contains("fullfp16") && !Contains("bf16") && !Contains("a76"));
  CHECK_THAT(arm("armv8.2-a"), Contains("crc,lse,rdm") && !Contains("v8") && !Contains("dotprod"));
  CHECK(arm("apple-m1") == arm("apple-a14"));
  CHECK_THAT(arm("neoverse-v1"), Contains("i8mm") && !Contains("sve"));
  CHECK_THAT(arm("armv8.2-a,+dotprod"), Contains("crc,dotprod,lse,rdm"));
  CHECK_THAT(arm("+cortex-a53,-crc"), !Contains("crc"));
  const auto x86 = [](const std::string &features) { return target_of("target", "x86_64-linux-gnu:" + features); };
  CHECK_THAT(x86("znver4"), Contains("avx512bf16") && !Contains("tun"));
  // LLVM's code for avx512fp16 was wrong, so it is used only on request.
  CHECK_THAT(x86("sapphirerapids"), Contains("avx512bf16") && !Contains("avx512fp16"));
  CHECK_THAT(x86("sapphirerapids,avx512fp16"), Contains("avx512fp16"));
  CHECK_THAT(x86("pentium4"), Contains("unknown feature 'pentium4' of x86_64-linux-gnu"));
  CHECK_THAT(x86("prefer-256-bit"), Contains("is not used: no code is generated for it"));
}

TEST_CASE("unknown targets and features are refused") {
  using Catch::Contains;
  CHECK_THAT(target_of("target", "pdp11-dec-unix"),
             Contains("option target: unknown target 'pdp11-dec-unix', expected a triple such as x86_64-linux-gnu or "
                      "aarch64-linux-gnu"));
  for (const char *other : {"x86_64-pc-windows-msvc", "x86_64-windows-msvc", "aarch64-windows-msvc", "x86_64-foo-bar",
                            "x86_64-linux-gnux32", "aarch64-linux-gnu_ilp32"}) {
    CHECK_THAT(target_of("target", other), Contains(std::string("unknown target '") + other));
  }
  CHECK_THAT(target_of("target", "x86_64-linux-gnu:+avx3"),
             Contains("unknown feature 'avx3' of x86_64-linux-gnu, did you mean avx or avx2"));
  CHECK_THAT(target_of("target", "aarch64-linux-gnu:x86-64-v3"), Contains("unknown feature 'x86-64-v3'"));
  CHECK_THAT(target_of("target", "x86_64-linux-gnu:-sse2"), Contains("cannot be taken away"));
  CHECK_THAT(target_of("features", "+avx3"), Contains("option features: unknown feature 'avx3'"));
}

TEST_CASE("code for another architecture is made, and refused where it cannot run") {
#if defined(__x86_64__)
  const char *const other = "aarch64-linux-gnu";
#else
  const char *const other = "x86_64-linux-gnu";
#endif
  const Device device = open_cpu({{"target", other}}, host::AfterUse::KeepMapped).value();
  const auto compared = compare_with_interpreter(device, plain_text, true);
  REQUIRE(!compared.ok());
  CHECK_THAT(compared.error().to_string(),
             Catch::Contains(std::string("artifact is for ") + other + ", this machine is "));
}

TEST_CASE("code that needs a feature this machine lacks is refused") {
#if defined(__x86_64__)
  const char *const rare = "xop,amx-fp16";  // of one vendor each, years apart
#else
  const char *const rare = "sme2,v9.5a";
#endif
  const Device device = open(rare);
  const auto compared = compare_with_interpreter(device, plain_text, true);
  REQUIRE(!compared.ok());
  CHECK_THAT(compared.error().to_string(),
             Catch::Contains("artifact is for ") && Catch::Contains(", this machine lacks "));
}

TEST_CASE("an op that is not compiled is refused with that reason, whatever its results") {
  const Device device = open();
  compile::Options options;
  options.device_only = true;
  const auto compiled =
      compile::compile(text::parse_module("HloModule m ENTRY main { x = f32[8] parameter(0)\n"
                                          "  ROOT r = (f32[2], s32[2]) custom-call(x), custom_call_target=\"TopK\" }")
                           .value(),
                       device, options);
  REQUIRE(!compiled.ok());
  CHECK_THAT(compiled.error().to_string(), Catch::Contains("r is not compiled"));
}

TEST_CASE("programs whose inputs and results have run-time sizes run on the device") {
  const Device device = open();
  compile::Options options;
  options.device_only = options.verify = true;
  const ir::Module module =
      text::parse_module(
          "HloModule m\nENTRY main { x = s32[<=6,4] parameter(0)  w = s32[4,3] parameter(1)  n = s32[] parameter(2)\n"
          "  d = s32[<=6,3] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
          "  less = s32[<=6,3] set-dimension-size(d, n), dimensions={0}\n  all = s32[<=6,3] add(d, d)\n"
          "  ROOT r = (s32[<=6,3], s32[<=6,3]) tuple(less, all) }")
          .value();
  const auto compiled = compile::compile(ir::Module(module), device, options);
  INFO((compiled.ok() ? "" : compiled.error().to_string()));
  REQUIRE(compiled.ok());
  CHECK(compiled->report.on_host.empty());
  CHECK(compiled->report.programs == 1);
  for (const std::int64_t rows : {0, 1, 4, 6}) {
    std::vector<ir::Literal> arguments = interpreter::random_arguments(module, 7).value();
    arguments[0].set_dynamic_size(0, rows);
    arguments[2] = ir::Literal::scalar(ir::ElementType::S32, static_cast<std::int32_t>(rows / 2));
    const ir::Literal expected = interpreter::interpret(module, arguments).value();
    const ir::Literal found = compiled->executable.run(arguments).value();
    CHECK(expected.tuple_elements()[1].dynamic_size(0) == rows);
    CHECK(text::print(found) == text::print(expected));
  }
}

TEST_CASE("the scores of attention need no memory") {
  const ir::Module module = text::parse_module(R"(HloModule m
    max { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT m = f32[] maximum(a, b) }
    sum { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT s = f32[] add(a, b) }
    ENTRY main {
      q = f32[8192,16] parameter(0)  k = f32[8192,16] parameter(1)  v = f32[8192,16] parameter(2)
      s = f32[8192,8192] dot(q, k), lhs_contracting_dims={1}, rhs_contracting_dims={1}
      low = f32[] constant(-inf)  zero = f32[] constant(0)
      top = f32[8192] reduce(s, low), dimensions={1}, to_apply=max
      tops = f32[8192,8192] broadcast(top), dimensions={0}
      d = f32[8192,8192] subtract(s, tops)  e = f32[8192,8192] exponential(d)
      total = f32[8192] reduce(e, zero), dimensions={1}, to_apply=sum
      totals = f32[8192,8192] broadcast(total), dimensions={0}
      w = f32[8192,8192] divide(e, totals)
      ROOT o = f32[8192,16] dot(w, v), lhs_contracting_dims={1}, rhs_contracting_dims={0} })")
                                .value();
  compile::Options options;
  options.device_only = true;
  const compile::Compiled compiled = compile::compile(ir::Module(module), open(), options).value();
  const runtime::MemoryFigures memory = compiled.executable.memory();
  CHECK(memory.temporaries == 0);
  const std::int64_t threads = host::process_thread_pool()->size();
  CHECK(memory.scratch < (2 + 2 * threads) << 20);  // the scores have 256 MiB
}

TEST_CASE("functions that are asked for more accuracy than they have are left to the host") {
  const Device device = open();
  const auto on_host = [&](std::string_view type, std::string_view accuracy) {
    const auto text = fmt::format("HloModule m\nENTRY main {{ x = {0}[8] parameter(0)\n ROOT r = {0}[8] asinh(x){1} }}",
                                  type, accuracy);
    INFO(text);
    const auto compiled = compile::compile(text::parse_module(text).value(), device, {});
    REQUIRE(compiled.ok());
    return compiled->report.on_host.empty() ? "" : compiled->report.on_host[0].reason;
  };
  const std::string highest = ", result_accuracy={mode=highest}";
  CHECK(on_host("f32", highest) == "");
  CHECK(on_host("bf16", highest) == "");
  CHECK(on_host("f64", "") == "");
  CHECK(on_host("f64", highest) == "cpu: r is asked for a result within 1 ulp, it is within 2");
  CHECK(on_host("f64", ", result_accuracy={tolerance={atol=0,rtol=0,ulps=2}}") == "");
  // The formulas for complex numbers are not better.
  CHECK(on_host("c128", highest) == "cpu: r is asked for a result within 1 ulp, it is within 4");
}

TEST_CASE("fusions that would be written out too often are refused") {
  const Device device = open();
  const auto compiled = [&](int levels) {
    std::string text = "HloModule m f0 { p = f32[8] parameter(0)  ROOT r = f32[8] negate(p) }\n";
    for (int i = 1; i <= levels; ++i) {
      text += fmt::format(
          "f{0} {{ p = f32[8] parameter(0)  q = f32[8] fusion(p), kind=kLoop, calls=f{1}\n"
          "  ROOT r = f32[8] fusion(q), kind=kLoop, calls=f{1} }}\n",
          i, i - 1);
    }
    text += fmt::format(
        "ENTRY main {{ x = f32[8] parameter(0)  ROOT whole = f32[8] fusion(x), kind=kLoop, calls=f{} }}", levels);
    compile::Options options;
    options.device_only = true;
    return compile::compile(text::parse_module(text).value(), device, options);
  };
  CHECK(compiled(8).ok());
  const auto refused = compiled(40);
  REQUIRE(!refused.ok());
  CHECK_THAT(refused.error().to_string(), Catch::Contains("whole has too many instructions"));
}

TEST_CASE("a module of arrays in tiles that are copied as they lie makes no artifact") {
  const auto artifact = compile::make_artifact(text::parse_module(R"(
HloModule tiles
ENTRY main {
  x = s32[2,4]{1,0:T(2,2)} parameter(0)
  a = s32[8] bitcast(x)
  b = s16[2,8]{0,1:T(4,1)} bitcast(x)
  ROOT r = (s32[8], s16[2,8]{0,1:T(4,1)}) tuple(a, b)
})")
                                                   .value(),
                                               open());
  REQUIRE(!artifact.ok());
  CHECK_THAT(artifact.error().message(), Catch::Contains("makes no program of the module, which computes nothing: ") &&
                                             Catch::Contains("has a tiled layout, which is not compiled"));
}

TEST_CASE("an artifact whose objects do not link is refused") {
  const Device device = open();
  const compile::Artifact artifact = compile::make_artifact(text::parse_module(plain_text).value(), device).value();
  std::string bytes(reinterpret_cast<const char *>(artifact.bytes.data()), artifact.bytes.size());
  const auto load = [&] {
    // The checksum covers everything after it, as in artifact.cc.
    constexpr std::size_t checksum_at = 16, checked_from = checksum_at + SHA256_DIGEST_LENGTH;
    SHA256(reinterpret_cast<const unsigned char *>(bytes.data()) + checked_from, bytes.size() - checked_from,
           reinterpret_cast<unsigned char *>(bytes.data()) + checksum_at);
    host::Diagnostics diagnostics;
    const bp_status status = diagnostics.call([&](const bp_diag_t *diag) {
      const bp_loc_t constants[2] = {};
      std::uint8_t taken[2] = {};
      const bp_program_t *program = nullptr;
      const bp_status loaded =
          device->compiler()->load(device->abi(), bytes.data(), bytes.size(), constants, taken, 2, &program, diag);
      if (program != nullptr) {
        program->destroy(program);
      }
      return loaded;
    });
    return diagnostics.result(status, device->id(), "load", nullptr);
  };
  REQUIRE(load().ok());
  const std::size_t kernel =
      bytes.find("kernel.");  // in one object a name that is called, in another the one that is defined
  REQUIRE(kernel != std::string::npos);
  bytes[kernel] = 'K';
  const Status refused = load();
  REQUIRE(!refused.ok());
  CHECK_THAT(refused.error().to_string(), Catch::Contains("cpu: cannot link: ") && Catch::Contains("ernel."));
}

}  // namespace bp::cpu::tests
