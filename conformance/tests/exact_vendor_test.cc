// A vendor whose results are more exact than the interpreter's passes: one that rounds the true values of functions
// once, and one that computes sums, transforms and solvers in f64.
#include <boost/algorithm/string.hpp>
#include <catch2/catch.hpp>
#include <cmath>
#include <complex>
#include <cstdlib>
#include <numbers>

#include "conformance/check/exact_functions.h"
#include "conformance/check/number.h"
#include "conformance/suite/instruction_trial.h"
#include "conformance/suite/stage.h"
#include "core/interpreter/interpreter.h"
#include "core/text/parser.h"
#include "core/text/printer.h"

namespace bp::conformance {
namespace {

using ir::ElementType;
using ir::Literal;

const bool is_full = std::getenv("BACKPLANE_TEST_FULL") != nullptr;

Subject interpreter_as_subject() {
  auto subject = Subject::find({.name = "interpreter", .tier = "", .settings = {}});
  REQUIRE(subject.ok());
  return std::move(*subject);
}

// --- Functions ---

// Rounds to double such that rounding again to a narrower type gives the same as one rounding: of the two neighbouring
// doubles, returns the odd one. A result of f64 is rounded to the nearest.
template <class T>
double rounded(const Number &value) {
  const auto near = value.convert_to<double>();
  if (std::is_same_v<T, double> || !std::isfinite(near) || Number(near) == value ||
      (std::bit_cast<std::uint64_t>(near) & 1) != 0) {
    return near;
  }
  return std::nextafter(near, value > near ? HUGE_VAL : -HUGE_VAL);
}

// Returns the expected result with the correctly rounded true values in place of its own, and counts them. Elements
// whose arguments or values are special keep what is expected.
Literal with_true_values(const ExactFunction &function, const std::vector<Literal> &arguments, Literal expected,
                         std::size_t &count) {
  ir::visit_element_type(expected.shape().element_type(), [&]<class T>() {
    if constexpr (is_float<T>) {
      const std::span<T> results = expected.mutable_elements<T>();
      for (std::size_t i = 0; i < results.size(); ++i) {
        const auto argument = [&](std::size_t operand) {
          return static_cast<double>(arguments[operand].template elements<T>()[i]);
        };
        const double x = argument(0), y = function.binary == nullptr ? 0 : argument(1);
        // A hundred digits are too few to reduce larger angles.
        if (!(std::fabs(x) < 1e60) || !std::isfinite(y) || !std::isfinite(static_cast<double>(results[i])) ||
            static_cast<double>(results[i]) == 0) {
          continue;
        }
        try {
          const Number value = function.binary == nullptr ? function.unary(x) : function.binary(x, y);
          if (isfinite(value)) {
            results[i] = T(rounded<T>(value));
            ++count;
          }
        } catch (const std::exception &) {  // Boost.Math, outside of a function's domain
        }
      }
    }
  });
  return expected;
}

TEST_CASE("a vendor that rounds the true values of functions once passes") {
  Subject subject = interpreter_as_subject();
  std::size_t count = 0;
  for (const ir::OpInfo &op : ir::ops()) {
    const ExactFunction *function = find_exact_function(op.opcode);
    for (const ir::ElementTypeInfo &row : ir::element_types()) {
      for (const std::string_view values : {"random", "edge"}) {
        if (function == nullptr || !ir::is_floating(row.type)) {
          continue;
        }
        const auto trial =
            ops_stage.trial(subject, fmt::format("ops/{}/{}/prime/{}", op.text, ir::to_string(row.type), values));
        if (!trial.ok()) {
          continue;  // the op has no such type
        }
        const auto expected = interpreter::interpret(trial->module, trial->arguments);
        REQUIRE(expected.ok());
        const Literal found = with_true_values(*function, trial->arguments, *expected, count);
        const Verdict verdict = judge_outcome(subject, *trial, found, *expected);
        INFO(op.text << " " << ir::to_string(row.type) << ": " << verdict.message);
        CHECK((verdict.status == CaseStatus::Pass || verdict.status == CaseStatus::Weak));
      }
    }
  }
  CHECK(count > 20'000);
}

// --- Sums, transforms and solvers ---

constexpr std::pair<ElementType, ElementType> wider_types[] = {{ElementType::F16, ElementType::F64},
                                                               {ElementType::BF16, ElementType::F64},
                                                               {ElementType::F32, ElementType::F64},
                                                               {ElementType::C64, ElementType::C128}};

ElementType wider(ElementType type) {
  for (const auto &[narrow, wide] : wider_types) {
    if (type == narrow) {
      return wide;
    }
  }
  return type;
}

// Converts numbers from the type of one array to that of another of the same sizes; integers are copied.
void convert_elements(const Literal &from, Literal &to) {
  ir::visit_element_type(from.shape().element_type(), [&]<class From>() {
    ir::visit_element_type(to.shape().element_type(), [&]<class To>() {
      const std::span<const From> x = from.elements<From>();
      const std::span<To> y = to.mutable_elements<To>();
      for (std::size_t i = 0; i < x.size(); ++i) {
        if constexpr (std::is_same_v<From, To>) {
          y[i] = x[i];
        } else if constexpr (is_complex<From>) {
          if constexpr (is_complex<To>) {
            y[i] = static_cast<To>(x[i]);
          }
        } else if constexpr (is_float<From>) {
          if constexpr (is_float<To>) {
            y[i] = To(static_cast<double>(x[i]));
          }
        }
      }
    });
  });
}

Literal converted_to(const ir::Shape &shape, const Literal &value) {
  if (shape.is_tuple()) {
    std::vector<Literal> elements;
    for (std::size_t i = 0; i < shape.elements().size(); ++i) {
      elements.push_back(converted_to(shape.elements()[i], value.tuple_elements()[i]));
    }
    return Literal::tuple(std::move(elements));
  }
  Literal result = Literal::zeros(shape).value();
  convert_elements(value, result);
  return result;
}

// Returns the result of the program with all numbers in f64, rounded once; nothing if there is no such program.
std::optional<Literal> computed_in_f64(const InstructionTrial &trial) {
  std::string text = text::print(trial.module);
  for (const auto &[narrow, wide] : wider_types) {
    // The character before tells f16 from bf16.
    for (const std::string_view before : {" ", "(", "{", ",", "="}) {
      boost::replace_all(text, fmt::format("{}{}[", before, ir::to_string(narrow)),
                         fmt::format("{}{}[", before, ir::to_string(wide)));
    }
  }
  const auto module = text::parse_module(text);
  if (!module.ok()) {
    return std::nullopt;
  }
  std::vector<Literal> arguments;
  for (std::size_t i = 0; i < trial.arguments.size(); ++i) {
    arguments.push_back(converted_to(module->entry().parameter(i).shape(), trial.arguments[i]));
  }
  const auto result = interpreter::interpret(*module, arguments);
  return result.ok() ? std::optional(converted_to(trial.module.entry().root().shape(), *result)) : std::nullopt;
}

TEST_CASE("a vendor that computes sums, transforms and solvers in f64 passes") {
  Subject subject = interpreter_as_subject();
  const std::size_t step = is_full ? 1 : 5;
  std::size_t compared = 0, different = 0, number = 0;
  for (const Stage *stage : {&ops_stage, &attributes_stage}) {
    for (const std::string &id : stage->list(subject)) {
      Verdict about;
      stage->describe(id, about);
      const auto type = ir::element_type_from_string(about.type);
      const bool is_inexact = about.allowed == "sum" || about.allowed.ends_with("norm");
      if (!is_inexact || !type || wider(*type) == *type || ++number % step != 0) {
        continue;
      }
      const auto trial = stage->trial(subject, id);
      const auto expected = trial.ok() ? interpreter::interpret(trial->module, trial->arguments) : trial.error();
      const auto found = expected.ok() ? computed_in_f64(*trial) : std::nullopt;
      if (!found) {
        continue;
      }
      ++compared;
      different += found->identical(*expected) ? 0 : 1;
      const Verdict verdict = judge_outcome(subject, *trial, *found, *expected);
      INFO(id << ": " << verdict.message);
      CHECK((verdict.status == CaseStatus::Pass || verdict.status == CaseStatus::Weak));
    }
  }
  CHECK(compared > 100);
  CHECK(different > 10);  // otherwise the vendor is the interpreter
}

// The interpreter adds to the result of a scatter as a device with atomic additions does, and soon no longer notices
// small updates. A device that adds in f32 does.
TEST_CASE("a vendor that adds more exactly than a scatter has to passes") {
  Subject subject = interpreter_as_subject();
  const char *text =
      "add { x = bf16[] parameter(0)  y = bf16[] parameter(1)  ROOT s = bf16[] add(x, y) }\n"
      "ENTRY e { a = bf16[20] parameter(0)  i = s32[20000] parameter(1)  u = bf16[20000] parameter(2)\n"
      "ROOT r = bf16[20] scatter(a, i, u), update_window_dims={}, inserted_window_dims={0},\n"
      "  scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add }";
  InstructionTrial trial{
      .key = "", .module = text::parse_module(text).value(), .arguments = {}, .type = ElementType::BF16};
  for (const ir::InstructionId parameter : trial.module.entry().parameter_ids()) {
    trial.arguments.push_back(Literal::zeros(trial.module.instruction(parameter).shape()).value());
  }
  for (std::size_t i = 0; i < 20'000; ++i) {
    trial.arguments[1].mutable_elements<std::int32_t>()[i] = static_cast<std::int32_t>(i % 20);
    trial.arguments[2].mutable_elements<ir::BF16>()[i] =
        ir::BF16((1 + static_cast<double>(i / 20 % 7) / 8) * (1 + static_cast<double>(i % 20) / 16));
  }
  const auto expected = interpreter::interpret(trial.module, trial.arguments);
  REQUIRE(expected.ok());
  const auto found = computed_in_f64(trial);
  REQUIRE(found);
  CHECK(static_cast<double>(found->elements<ir::BF16>()[0]) >
        2 * static_cast<double>(expected->elements<ir::BF16>()[0]));
  CHECK(judge_outcome(subject, trial, *found, *expected).message == "");
}

// --- What an op became ---

TEST_CASE("an op that was expanded is judged by the bounds of what it became") {
  Subject subject = interpreter_as_subject();
  const auto trial = ops_stage.trial(subject, "ops/logistic/f32/prime/random");
  REQUIRE(trial.ok());
  const auto parts = text::parse_module(
      "ENTRY e { x = f32[67] parameter(0)  n = f32[67] negate(x)  e = f32[67] exponential(n)  c = f32[] constant(1)\n"
      "o = f32[67] broadcast(c), dimensions={}  s = f32[67] add(o, e)  ROOT r = f32[67] divide(o, s) }");
  REQUIRE(parts.ok());
  const auto expected = interpreter::interpret(*parts, trial->arguments);
  REQUIRE(expected.ok());
  const auto moved = [&](std::size_t at, double change) {
    Literal found = *expected;
    found.mutable_elements<float>()[at] *= static_cast<float>(1 + change);
    return found;
  };
  const std::span<const float> x = trial->arguments[0].elements<float>();
  // A unit in the last place is most of the value of an exponential function right after a power of two.
  const auto is_meant = [](float e) {
    const double binades = -static_cast<double>(e) * std::numbers::log2e;
    return e < -1 && e > -9 && binades - std::floor(binades) < 0.25;
  };
  const auto negative = static_cast<std::size_t>(std::ranges::find_if(x, is_meant) - x.begin());
  REQUIRE(negative < x.size());
  const double error = 7 * 0x1p-23;  // more than is allowed for the logistic function
  CHECK(judge_outcome(subject, *trial, moved(negative, error), *expected).status == CaseStatus::Fail);
  CHECK(is_right_by_parts(*parts, *trial, moved(negative, error)));
  CHECK_FALSE(is_right_by_parts(*parts, *trial, moved(negative, 100 * error)));
}

}  // namespace
}  // namespace bp::conformance
