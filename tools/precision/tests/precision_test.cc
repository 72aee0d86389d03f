// Tests the references against a hundred digits, and every function of the backends of this repository on samples and
// on the worst arguments found by sweeps. build/tools/precision tries all arguments.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <random>

#include "core/base/files.h"
#include "tools/precision/results.h"
#include "tools/precision/wide_functions.h"
#include "tools/precision/wide_sweep.h"
#include "tools/testing/skip.h"

namespace bp::precision {
namespace {

using ir::ElementType;

std::vector<Function> all_functions() {
  Result<std::vector<Function>> all = functions();
  REQUIRE((all.ok() ? "" : all.error().to_string()) == "");
  std::vector<Function> result = std::move(all).value();
  result.push_back(conversion());
  return result;
}

std::optional<Backend> load(std::string_view name) {
  Result<Backend> backend = Backend::load(name);
  if (!backend.ok()) {
    testing::skip(backend.error().to_string());
    return std::nullopt;
  }
  return std::move(backend).value();
}

void check(const Backend &backend, const Function &function, ElementType from, ElementType to,
           const Arguments &arguments) {
  const Result<Statistics> statistics = sweep(backend, function, from, to, arguments, {});
  INFO(function.name << " from " << ir::to_string(from) << " to " << ir::to_string(to));
  REQUIRE((statistics.ok() ? "" : statistics.error().to_string()) == "");
  const Measurement measurement{function.name, from, to, function.budget, arguments.stride, *statistics, 0};
  INFO(to_markdown({&measurement, 1}));
  CHECK(measurement.is_good());
}

const bool is_full = std::getenv("BACKPLANE_TEST_FULL") != nullptr;  // tools/test --full may take longer
// Distance between the bit patterns of f32 that are tried.
const std::uint64_t stride_of_f32 = is_full ? 101 : 1'000'003;

void check_samples(std::string_view name) {
  const std::optional<Backend> backend = load(name);
  if (!backend) {
    return;
  }
  for (const Function &function : all_functions()) {
    for (ElementType type : {ElementType::F32, ElementType::F16, ElementType::BF16}) {
      const std::uint64_t stride = type == ElementType::F32 ? stride_of_f32 : 13;
      check(*backend, function, type, type,
            function.operands == 1 ? Arguments::every(type, stride) : Arguments::random(5000));
    }
  }
}

// Checks f32 to all real types, also at the ends of integer ranges.
void check_conversions(std::string_view name) {
  const std::optional<Backend> backend = load(name);
  if (!backend) {
    return;
  }
  std::vector<Input> ends;
  for (const std::uint32_t number : {0x00000000u, 0x3f000000u, 0x3f800000u, 0x7f800000u, 0x7fc00000u}) {
    ends.insert(ends.end(), {{number, 0}, {number | 0x80000000u, 0}});
  }
  for (int exponent = 0; exponent <= 65; ++exponent) {
    const auto power = std::bit_cast<std::uint32_t>(std::ldexp(1.0f, exponent));
    for (const std::uint32_t number : {power - 1, power, power + 1}) {
      ends.insert(ends.end(), {{number, 0}, {number | 0x80000000u, 0}});
    }
  }
  for (const ir::ElementTypeInfo &to : ir::element_types()) {
    if (ir::is_floating(to.type) || ir::is_integer(to.type) || to.type == ElementType::Pred) {
      check(*backend, conversion(), ElementType::F32, to.type, Arguments::list(ends));
      check(*backend, conversion(), ElementType::F32, to.type, Arguments::every(ElementType::F32, stride_of_f32));
    }
  }
}

void check_worst_cases(std::string_view name) {
  const std::optional<Backend> backend = load(name);
  if (!backend) {
    return;
  }
  const std::string path = BP_SOURCE_ROOT "/tools/precision/worst_cases.txt";
  const Result<std::string> text = read_file(path);
  REQUIRE(text.ok());
  const Result<std::vector<WorstCases>> cases = read_worst_cases(path, *text);
  REQUIRE((cases.ok() ? "" : cases.error().to_string()) == "");
  CHECK(!cases->empty());
  const std::vector<Function> all = all_functions();
  for (const WorstCases &worst : *cases) {
    const auto function = std::ranges::find(all, worst.function, &Function::name);
    INFO(worst.function);
    REQUIRE(function != all.end());
    check(*backend, *function, worst.from, worst.to, Arguments::list(worst.inputs));
  }
}

TEST_CASE("references are as good as promised") {
  std::mt19937 random(5);
  double worst = 0;
  for (const Function &function : all_functions()) {
    if (function.is_exact()) {
      continue;
    }
    INFO(function.name);
    for (int i = 0; i < 40; ++i) {
      // Any f32, or one of ordinary magnitude.
      const auto number = [&] {
        const auto bits = static_cast<std::uint32_t>(random());
        return static_cast<double>(i % 2 == 0 ? std::bit_cast<float>(bits) : static_cast<float>(bits) * 0x1p-28f - 8);
      };
      const double x = number(), y = number();
      INFO(fmt::format("at {}, {}", x, y));
      const double distance = reference_distance(function, x, y).value_or(0);
      CHECK(distance < function.error);
      worst = std::max(worst, distance);
    }
  }
  CHECK(worst > 0);  // something was compared
}

TEST_CASE("references are as good as promised next to roots, where terms cancel") {
  const std::vector<Function> all = all_functions();
  for (const char *name : {"chlo.digamma", "chlo.lgamma"}) {
    const Function &function = *std::ranges::find(all, name, &Function::name);
    int roots = 0;
    for (float end = -8; end < -2; end += 0.5f) {  // between poles and extrema
      float left = end + 0x1p-16f, right = end + 0.5f - 0x1p-16f;
      const bool is_positive = function.unary(left) > 0;
      if (is_positive == (function.unary(right) > 0)) {
        continue;
      }
      ++roots;
      for (float middle = left; (middle = left + (right - left) / 2) != left && middle != right;) {
        ((function.unary(middle) > 0) == is_positive ? left : right) = middle;
      }
      for (const float x : {left, right}) {
        INFO(fmt::format("{} at {}", name, x));
        CHECK(reference_distance(function, x, x).value_or(1) < function.error);
      }
    }
    CHECK(roots >= 6);
  }
}

TEST_CASE("functions of the interpreter keep their budget at samples") {
  check_samples("interpreter");
}
TEST_CASE("functions of the cpu backend keep their budget at samples") {
  check_samples("cpu");
}

// Checks floats of up to 8 bits at all arguments and pairs of arguments. Where a result of f8e8m0fnu is less than all
// f32, it is NaN, because that type has no zero.
TEST_CASE("functions of narrow floats of the interpreter keep their budget everywhere") {
  const std::optional<Backend> backend = load("interpreter");
  REQUIRE(backend);
  int measured = 0;
  for (const Function &function : all_functions()) {
    for (const ir::ElementTypeInfo &row : ir::element_types()) {
      const bool is_narrow = ir::is_floating(row.type) && ir::bit_width(row.type) <= 8 &&
                             (row.type != ElementType::F8E8M0FNU || function.operands == 1);
      if (!is_narrow || !function.module(row.type, row.type, 1).ok()) {
        continue;
      }
      const std::uint64_t values = std::uint64_t{1} << ir::bit_width(row.type);
      std::vector<Input> pairs;
      for (std::uint64_t i = 0; function.operands == 2 && i < values * values; ++i) {
        pairs.push_back({i / values, i % values});
      }
      const Result<Statistics> statistics =
          sweep(*backend, function, row.type, row.type,
                function.operands == 1 ? Arguments::every(row.type, 1) : Arguments::list(pairs), {});
      INFO(function.name << " of " << ir::to_string(row.type));
      REQUIRE((statistics.ok() ? "" : statistics.error().to_string()) == "");
      CHECK(statistics->inputs == (function.operands == 1 ? values : values * values));
      const Measurement measurement{function.name, row.type, row.type, function.budget, 1, *statistics, 0};
      INFO(to_markdown({&measurement, 1}));
      CHECK(measurement.is_good());
      ++measured;
    }
  }
  CHECK(measured > 300);
}

// The processor and the C library round these once; a hundred digits say whether they do.
TEST_CASE("sums, products, quotients and square roots of f64 of the interpreter are correctly rounded") {
  const std::optional<Backend> backend = load("interpreter");
  REQUIRE(backend);
  for (const ir::Opcode opcode :
       {ir::Opcode::Add, ir::Opcode::Subtract, ir::Opcode::Multiply, ir::Opcode::Divide, ir::Opcode::Sqrt}) {
    const conformance::ExactFunction &exact = *conformance::find_exact_function(opcode);
    constexpr std::int64_t count = 20'000;
    const std::vector<Function> all = all_functions();
    const Function &function = *std::ranges::find(all, ir::to_string(opcode), &Function::name);
    const Result<Compiled> compiled =
        backend->compile(function.module(ElementType::F64, ElementType::F64, count).value());
    REQUIRE(compiled.ok());
    std::vector<Literal> operands;
    std::mt19937_64 random(3);
    for (int i = 0; i < function.operands; ++i) {
      operands.push_back(Literal::zeros(ir::Shape::array(ElementType::F64, {count})).value());
      for (double &x : operands.back().mutable_elements<double>()) {
        // Sums of numbers that are far apart would need more digits.
        x = std::ldexp(static_cast<double>(random() >> 11), static_cast<int>(random() % 100) - 50);
      }
    }
    const Result<Literal> result = compiled->executable.run(operands);
    REQUIRE(result.ok());
    int wrong = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const conformance::Number x(operands[0].elements<double>()[i]);
      const auto expected =
          exact.binary == nullptr ? exact.unary(x) : exact.binary(x, operands[1].elements<double>()[i]);
      wrong += result->elements<double>()[i] == expected.convert_to<double>() ? 0 : 1;
    }
    INFO(function.name);
    CHECK(wrong == 0);
  }
}

TEST_CASE("conversions of the interpreter are exact at samples") {
  check_conversions("interpreter");
}
TEST_CASE("conversions of the cpu backend are exact at samples") {
  check_conversions("cpu");
}
TEST_CASE("functions of the interpreter keep their budget at the worst arguments known") {
  check_worst_cases("interpreter");
}
TEST_CASE("functions of the cpu backend keep their budget at the worst arguments known") {
  check_worst_cases("cpu");
}

// --- f64 and complex numbers ---

WideCounts wide_counts(int few) {
  return is_full ? WideCounts{300, 300, 30, 600} : WideCounts{few, few, few / 12, 2 * few};
}

struct WideBudget {
  double real, parts, larger_part;  // limits in ulp
  bool is_magnified;                // see WideCounts
  // `parts` applies only to functions of one argument, except those with zeros of a part that are not on the axes: the
  // logistic function and e^z - 1.
  bool has_free_parts;
};

void check_wide(std::string_view name, const WideBudget &budget) {
  const std::optional<Backend> backend = load(name);
  if (!backend) {
    return;
  }
  const auto expect = [](const Result<WideStatistics> &measured, double parts, double norm) {
    REQUIRE((measured.ok() ? "" : measured.error().to_string()) == "");
    CHECK(measured->inputs > 0);
    CHECK(fmt::format("{}", fmt::join(measured->special, "; ")) == "");
    INFO(measured->worst_part << "; " << measured->worst_norm);
    CHECK(measured->part_ulps <= parts);
    CHECK(measured->norm_ulps <= norm);
  };
  for (const Function &function : all_functions()) {
    if (has_distance(function)) {
      INFO(function.name);
      expect(sweep_f64(*backend, function, wide_counts(60)), budget.real, budget.real);
    }
  }
  for (const WideFunction &function : complex_functions()) {
    for (const ElementType type : {ElementType::C64, ElementType::C128}) {
      INFO(function.name << " " << ir::to_string(type));
      WideCounts counts = wide_counts(12);
      counts.is_magnified = budget.is_magnified;
      const bool has_zeros_off_axes = function.name == "logistic" || function.name == "exponential-minus-one";
      const bool is_free = budget.has_free_parts && (function.operands > 1 || has_zeros_off_axes);
      const double parts = is_free ? HUGE_VAL : budget.parts;
      expect(sweep_complex(*backend, function.name, type, counts), parts, budget.larger_part);
    }
  }
}

TEST_CASE("the interpreter's functions of f64 and complex numbers are rounded from more digits") {
  check_wide("interpreter", {0.6, 0.6, 0.6, false, false});
}
TEST_CASE("functions of f64 and complex numbers of the cpu backend are within its bounds") {
  check_wide("cpu", {2, 5, 4, true, true});
}

// Simulates an incorrect backend: results are compared with the reference of another function.
TEST_CASE("differences are counted by kind") {
  const std::optional<Backend> backend = load("interpreter");
  REQUIRE(backend);
  const auto measured_as = [&](std::string_view name, double (*unary)(double)) {
    const std::vector<Function> all = all_functions();
    Function function = *std::ranges::find(all, name, &Function::name);
    function.unary = unary;
    function.exact_unary = nullptr;
    Result<Statistics> statistics =
        sweep(*backend, function, ElementType::F16, ElementType::F16, Arguments::every(ElementType::F16, 1), {});
    REQUIRE(statistics.ok());
    return std::move(statistics).value();
  };
  const Statistics same = measured_as("real", [](double x) { return x; });
  CHECK((same.inputs == 65536 && same.keeps(0) && same.rounded_wrongly == 0));
  // Results differ from the expected ones by two values where both are normal numbers.
  const Statistics off = measured_as("real", [](double x) { return x * (1 + 0x1p-10); });
  CHECK((off.max_ulps == 2 || off.max_ulps == 1));
  CHECK(off.rounded_wrongly > 60000);
  CHECK(off.worst.size() == 4);
  const Statistics zeros = measured_as("real", [](double x) { return x == 0 ? 0.0 : x; });
  CHECK((zeros.zero_sign == 1 && zeros.rounded_wrongly == 0 && !zeros.keeps(1)));
  CHECK((zeros.special.size() == 1 && zeros.special[0].input == Input{0x8000, 0}));
  const Statistics infinities = measured_as("real", [](double x) { return std::isinf(x) ? 65504.0 : x; });
  CHECK((infinities.infinity == 2 && infinities.nan == 0));
  const Statistics nans = measured_as("sqrt", [](double x) { return x < 0 ? 1 : std::sqrt(x); });
  CHECK(nans.nan == 0x7c00);  // from the negative number closest to zero to -inf
}

TEST_CASE("one conversion that is wrong is found among many that have the same result") {
  const std::optional<Backend> backend = load("interpreter");
  REQUIRE(backend);
  Function function = conversion();
  const auto found = [&](ElementType to) {
    const Result<Statistics> statistics =
        sweep(*backend, function, ElementType::F32, to, Arguments::every(ElementType::F32, 1 << 10), {});
    REQUIRE((statistics.ok() ? "" : statistics.error().to_string()) == "");
    return *statistics;
  };
  CHECK((found(ElementType::S8).keeps(0) && found(ElementType::U64).keeps(0) && found(ElementType::Pred).keeps(0)));
  function.program =
      "ENTRY e {{ x = {from}[{count}] parameter(0)  c = {from}[] constant(5.53173828125)  z = {from}[] constant(0) "
      "this = {from}[{count}] broadcast(c), dimensions={{}}  zero = {from}[{count}] broadcast(z), dimensions={{}} "
      "is_this = pred[{count}] compare(x, this), direction=EQ  y = {from}[{count}] select(is_this, zero, x) "
      "ROOT r = {to}[{count}] convert(y) }}";
  CHECK((found(ElementType::S8).rounded_wrongly == 1 && found(ElementType::S8).max_ulps == 5));
  CHECK((found(ElementType::U64).rounded_wrongly == 1 && found(ElementType::Pred).max_ulps == 1));
  CHECK(found(ElementType::F8E5M2).worst[0].input == Input{0x40b10400, 0});
}

TEST_CASE("worst cases are read as they are written, and other lines are refused") {
  Measurement measurement{"power", ElementType::F32, ElementType::F32, 1, 0, {}, 0};
  measurement.statistics.worst = {{{0x3f800001, 0x40000000}, 1, 2}};
  const auto cases = read_worst_cases("f", "# a comment\n\n" + to_text({&measurement, 1}));
  REQUIRE((cases.ok() && cases->size() == 1));
  CHECK(((*cases)[0].function == "power" && (*cases)[0].from == ElementType::F32));
  CHECK((*cases)[0].inputs == std::vector<Input>{{0x3f800001, 0x40000000}});
  const auto error = [](std::string_view text) { return read_worst_cases("f", text).error().to_string(); };
  CHECK(error("tan f32 f32") == "f:1:1: expected FUNCTION FROM TO BITS...\n  tan f32 f32\n  ^");
  CHECK(error("tan f33 f32 0").starts_with("f:1:1: 'f33' is not an element type"));
  CHECK(error("\ntan f32 f32 0 x").starts_with("f:2:1: 'x' is not a hexadecimal number"));
}

}  // namespace
}  // namespace bp::precision
