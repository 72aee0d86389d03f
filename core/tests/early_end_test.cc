// Runs and compilations that are ended early, on every backend that was built.
#include <catch2/catch.hpp>
#include <filesystem>
#include <thread>

#include "core/backplane.h"
#include "core/interpreter/random_inputs.h"

namespace bp {
namespace {

constexpr std::string_view endless_text = R"(HloModule endless
  flip { i = s32[] parameter(0)  one = s32[] constant(1)  ROOT n = s32[] xor(i, one) }
  goes_on { i = s32[] parameter(0)  five = s32[] constant(5)  ROOT r = pred[] compare(i, five), direction=LT }
  ENTRY main { i = s32[] parameter(0)  ROOT w = s32[] while(i), condition=goes_on, body=flip })";
constexpr std::string_view sum_text =
    "HloModule sum\nENTRY main { x = s32[] parameter(0)  ROOT r = s32[] add(x, x) }\n";

// The interpreter, and the plugins of this build.
std::vector<Backend> all_backends() {
  const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  std::vector<Backend> backends = {Backend::load("interpreter").value()};
  for (const std::string name : {"kernels", "npu", "cpu"}) {
    if (const auto file = folder / "plugins" / name / ("libbackplane_" + name + ".so"); exists(file)) {
      backends.push_back(Backend::load(file.string()).value());
    }
  }
  REQUIRE(backends.size() >= 3);
  return backends;
}

std::vector<Literal> zero() {
  return {Literal::zeros(Shape::array(ir::ElementType::S32, {})).value()};
}

interpreter::Options with_terms(std::shared_ptr<const Cancellation> cancellation) {
  interpreter::Options options;
  options.terms.cancellation = std::move(cancellation);
  return options;
}

}  // namespace

TEST_CASE("an endless loop ends at its deadline or when it is cancelled, and the backend goes on") {
  for (const Backend &backend : all_backends()) {
    INFO(backend.name());
    const Compiled endless = backend.compile(parse_module(endless_text, "endless.hlo").value()).value();
    const auto late = endless.executable.run(zero(), with_terms(Cancellation::after(0.05)));
    REQUIRE(!late.ok());
    CHECK(late.error().code() == ErrorCode::DeadlineExceeded);
    CHECK_THAT(late.error().to_string(), Catch::Contains("not done by its deadline"));

    const auto cancellation = std::make_shared<Cancellation>();
    std::thread other([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
      cancellation->cancel();
    });
    const auto cancelled = endless.executable.run(zero(), with_terms(cancellation));
    other.join();
    REQUIRE(!cancelled.ok());
    CHECK(cancelled.error().code() == ErrorCode::Cancelled);
    CHECK_THAT(cancelled.error().to_string(), Catch::Contains("cancelled by the caller"));

    const Compiled sum = backend.compile(parse_module(sum_text, "sum.hlo").value()).value();
    CHECK(sum.executable.run(zero(), with_terms(Cancellation::after(1000))).value().identical(zero()[0]));
    const auto unwanted = sum.executable.run(zero(), with_terms(cancellation));
    REQUIRE(!unwanted.ok());
    CHECK(unwanted.error().code() == ErrorCode::Cancelled);
  }
}

TEST_CASE("a run whose steps are on the host and on a device ends between them") {
  const auto backends = all_backends();
  const Compiled mixed = backends[1]
                             .compile(parse_module("ENTRY main { x = s32[] parameter(0)  p = s32[] popcnt(x)\n"
                                                   "  ROOT r = s32[] add(p, p) }",
                                                   "mixed.hlo")
                                          .value())
                             .value();
  CHECK(mixed.executable.run(zero(), with_terms(Cancellation::after(0))).error().code() == ErrorCode::DeadlineExceeded);
}

TEST_CASE("a compilation that is not wanted ends, and says before how far it is") {
  for (const Backend &backend : all_backends()) {
    INFO(backend.name());
    CompileOptions options;
    const auto cancellation = std::make_shared<Cancellation>();
    options.cancellation = cancellation;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> reports;
    options.progress = [&](std::uint64_t done, std::uint64_t total) { reports.emplace_back(done, total); };
    const Module module = parse_module(sum_text, "sum.hlo").value();
    CHECK(backend.compile(module, options).ok());
    CHECK(std::ranges::is_sorted(reports));
    CHECK(std::ranges::all_of(reports, [](const auto &report) { return report.first <= report.second; }));
    const bool is_npu = backend.name().find("npu") != std::string::npos;
    CHECK(reports.empty() == !is_npu);
    cancellation->cancel();
    const auto unwanted = backend.compile(module, options);
    if (!backend.is_interpreter()) {  // it compiles nothing
      REQUIRE(!unwanted.ok());
      CHECK(unwanted.error().code() == ErrorCode::Cancelled);
    }
    if (is_npu) {  // ended by the device itself
      const auto later = std::make_shared<Cancellation>();
      options.cancellation = later;
      options.progress = [&](std::uint64_t, std::uint64_t) { later->cancel(); };
      CHECK(backend.compile(module, options).error().code() == ErrorCode::Cancelled);
    }
  }
}

}  // namespace bp
