// The functions of chlo in f64, against values computed by mpmath with 60 digits. Narrower types are computed in f64.
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "core/import/stablehlo/stablehlo.h"
#include "core/interpreter/interpreter.h"

namespace bp::import::stablehlo {
namespace {

struct Sample {
  double x, y, expected;
};
struct Function {
  std::string_view name;
  int operands;
  std::int64_t max_ulps;
  std::vector<Sample> samples;
};

std::int64_t ordered(double value) {
  auto bits = std::bit_cast<std::int64_t>(value);
  return bits < 0 ? std::numeric_limits<std::int64_t>::min() - bits : bits;
}

// Evaluates the function on each sample with the interpreter.
std::vector<double> evaluate(std::string_view name, int operands, std::span<const Sample> samples) {
  std::string type = fmt::format("tensor<{}xf64>", samples.size());
  std::string text =
      operands == 1
          ? fmt::format("func.func @main(%x: {0}) -> {0} {{ %0 = {1} %x : {0} -> {0}\n return %0 : {0} }}", type, name)
          : fmt::format(
                "func.func @main(%x: {0}, %y: {0}) -> {0} {{ %0 = {1} %x, %y : {0}, {0} -> {0}\n"
                " return %0 : {0} }}",
                type, name);
  auto module = read(text);
  REQUIRE((module.ok() ? "" : module.error().to_string()) == "");
  std::vector<ir::Literal> arguments;
  for (int i = 0; i < operands; ++i) {
    auto count = static_cast<std::int64_t>(samples.size());
    ir::Literal literal = ir::Literal::zeros(ir::Shape::array(ir::ElementType::F64, {count})).value();
    for (std::size_t k = 0; k < samples.size(); ++k) {
      literal.mutable_elements<double>()[k] = i == 0 ? samples[k].x : samples[k].y;
    }
    arguments.push_back(std::move(literal));
  }
  auto result = interpreter::interpret(*module, arguments);
  REQUIRE((result.ok() ? "" : result.error().to_string()) == "");
  auto values = result->elements<double>();
  return {values.begin(), values.end()};
}

const std::vector<Function> functions = {
    {"chlo.lgamma", 1, 4, {{1e-300, 0, 690.7755278982137},      {1e-05, 0, 11.512919692895826},
                           {0.1, 0, 2.252712651734206},         {0.4999, 0, 0.5725613186041184},
                           {0.5, 0, 0.5723649429247001},        {0.75, 0, 0.20328095143129538},
                           {0.99999, 0, 5.772238896093089e-06}, {1.00001, 0, -5.7720744027504825e-06},
                           {1.25, 0, -0.09827183642181316},     {1.5, 0, -0.12078223763524522},
                           {1.99, 0, -0.004195529088791668},    {2.0001, 0, 4.2281658112919945e-05},
                           {2.5, 0, 0.2846828704729192},        {3.0, 0, 0.6931471805599453},
                           {3.7, 0, 1.428072326665388},         {7.99, 0, 8.50501160608848},
                           {8.0, 0, 8.525161361065415},         {12.5, 0, 18.734347511936445},
                           {171.3, 0, 708.1149470389969},       {10000000000.0, 0, 220258509288.81058},
                           {1e+300, 0, 6.897755278982137e+302}, {-0.1, 0, 2.3689613327287886},
                           {-1e-08, 0, 18.42068074972452},      {-0.5, 0, 1.2655121234846454},
                           {-1.5, 0, 0.860047015376481},        {-2.3, 0, 0.36956666345500805},
                           {-3.7, 0, -1.3797399049658245},      {-10.2, 0, -13.90053096369515},
                           {-100.7, 0, -365.61225576180533}}},
    {"chlo.digamma", 1, 8, {{1e-05, 0, -100000.57719921567},       {0.1, 0, -10.423754940411076},
                            {0.5, 0, -1.9635100260214235},         {0.99, 0, -0.5937863040555952},
                            {1.0, 0, -0.5772156649015329},         {1.4, 0, -0.06138454458511624},
                            {1.46163, 0, -2.0756283887224574e-06}, {1.4616321449683622, 0, -9.241265521729427e-17},
                            {1.5, 0, 0.03648997397857652},         {2.0, 0, 0.42278433509846713},
                            {2.5, 0, 0.7031566406452432},          {5.5, 0, 1.6110931485817512},
                            {9.99, 0, 2.250700372831201},          {10.0, 0, 2.251752589066721},
                            {100.3, 0, 4.603172366627386},         {10000000000.0, 0, 23.025850929890456},
                            {-0.1, 0, 9.245073050052948},          {-0.5, 0, 0.03648997397857652},
                            {-1.3, 0, 2.8825405488661673},         {-5.7, 0, -0.4568723049323828},
                            {-100.3, 0, 6.895643124860435}}},
    {"chlo.erf_inv",
     1,
     4,
     {{1e-300, 0, 8.86226925452758e-301},
      {1e-08, 0, 8.86226925452758e-09},
      {0.1, 0, 0.08885599049425769},
      {-0.3, 0, -0.2724627147267543},
      {0.5, 0, 0.4769362762044699},
      {0.7999, 0, 0.9059923823647031},
      {0.8, 0, 0.9061938024368233},
      {0.85, 0, 1.0179024648320276},
      {0.9, 0, 1.1630871536766743},
      {-0.95, 0, -1.3859038243496777},
      {0.99, 0, 1.8213863677184494},
      {0.995, 0, 1.984872612615532},
      {0.998, 0, 2.1851242191330043},
      {0.999, 0, 2.3267537655135246},
      {-0.99999, 0, -3.123413274341571},
      {0.999999999, 0, 4.320005388105362},
      {0.9999999999999, 0, 5.261483331372676},
      {0.9999999999999999, 0, 5.8635847487551676}}},
    {"chlo.erfc",
     1,
     4,
     {{-10.0, 0, 2.0},
      {-3.0, 0, 1.9999779095030015},
      {-1.0, 0, 1.8427007929497148},
      {-0.3, 0, 1.3286267594591274},
      {0.0, 0, 1.0},
      {1e-10, 0, 0.999999999887162},
      {0.2, 0, 0.7772974107895215},
      {0.4999, 0, 0.4795880048386134},
      {0.5, 0, 0.4795001221869535},
      {0.7, 0, 0.32219880616258156},
      {1.0, 0, 0.15729920705028513},
      {1.5, 0, 0.033894853524689274},
      {2.9, 0, 4.109787809945886e-05},
      {3.0, 0, 2.209049699858544e-05},
      {4.5, 0, 1.9661604415428876e-10},
      {6.1, 0, 6.3146021501937184e-18},
      {10.3, 0, 4.5947618530992265e-48},
      {15.7, 0, 3.2018577446765816e-109},
      {20.9, 0, 5.328567006980869e-192},
      {25.6, 0, 5.29203523911721e-287},
      {26.2, 0, 1.643250792438946e-300}}},
    {"chlo.bessel_i1e",
     1,
     4,
     {{1e-300, 0, 5e-301},
      {1e-05, 0, 4.999950000312499e-06},
      {0.1, 0, 0.045298446808809324},
      {0.5, 0, 0.1564208031848717},
      {1.0, 0, 0.20791041534970844},
      {-2.5, 0, -0.20658464953126657},
      {5.0, 0, 0.16397226694454237},
      {7.9, 0, 0.13489649943989376},
      {8.0, 0, 0.13414249329269817},
      {8.1, 0, 0.13340068832583662},
      {12.0, 0, 0.11146429929018098},
      {-30.0, 0, -0.07191633059864755},
      {100.0, 0, 0.03974415302513025},
      {100000.0, 0, 0.0012615615301218171},
      {10000000000.0, 0, 3.989422803864723e-06}}},
    {"chlo.zeta",
     2,
     16,
     {{1.1, 0.5, 12.103813495683747},
      {1.5, 1.0, 2.612375348685488},
      {2.0, 0.1, 101.43329915079275},
      {2.0, 1.0, 1.6449340668482264},
      {2.0, 10.5, 0.09991695605912673},
      {3.0, 0.3, 37.63626829436302},
      {4.5, 2.2, 0.036913112287398034},
      {10.0, 1.7, 0.005011206657463314},
      {20.0, 3.1, 1.4941822565884394e-10},
      {2.0, -0.5, 8.934802200544679},
      {3.0, -2.3, -34.356896264635154},
      {50.0, 1.01, 0.6080388246889501}}},
    {"chlo.polygamma",
     2,
     32,
     {{0.0, 1.5, 0.03648997397857652},
      {1.0, 0.1, 101.43329915079275},
      {1.0, 1.0, 1.6449340668482264},
      {1.0, 20.5, 0.04998959242996099},
      {2.0, 0.7, -6.4349928741909235},
      {3.0, 2.2, 0.35147634620726154},
      {5.0, 1.3, 25.792601280613045},
      {10.0, 3.3, -7.616805535818377},
      {1.0, -0.5, 8.934802200544679},
      {2.0, -1.3, 68.54941347116214}}},
};

}  // namespace

TEST_CASE("functions of chlo are within a few units in the last place") {
  for (const Function &function : functions) {
    std::vector<double> found = evaluate(function.name, function.operands, function.samples);
    for (std::size_t i = 0; i < found.size(); ++i) {
      const Sample &sample = function.samples[i];
      INFO(fmt::format("{}({}, {}) is {}, expected {}", function.name, sample.x, sample.y, found[i], sample.expected));
      CHECK(std::llabs(ordered(found[i]) - ordered(sample.expected)) <= function.max_ulps);
    }
  }
}

TEST_CASE("functions of chlo at their edges") {
  const double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<Function> edges = {
      {"chlo.lgamma",
       1,
       0,
       {{0, 0, infinity},
        {-1, 0, infinity},
        {-7, 0, infinity},
        {1, 0, 0},
        {2, 0, 0},
        {infinity, 0, infinity},
        {-infinity, 0, infinity},
        {nan, 0, nan}}},
      {"chlo.digamma", 1, 0, {{0, 0, nan}, {-1, 0, nan}, {-8, 0, nan}, {infinity, 0, infinity}, {nan, 0, nan}}},
      {"chlo.erf_inv",
       1,
       0,
       {{0, 0, 0}, {1, 0, infinity}, {-1, 0, -infinity}, {1.5, 0, nan}, {-2, 0, nan}, {nan, 0, nan}}},
      {"chlo.erfc", 1, 0, {{infinity, 0, 0}, {-infinity, 0, 2}, {nan, 0, nan}}},
      {"chlo.bessel_i1e", 1, 0, {{0, 0, 0}, {infinity, 0, 0}, {nan, 0, nan}}},
      {"chlo.zeta",
       2,
       0,
       {{1, 2, infinity}, {0.5, 2, nan}, {2, 0, infinity}, {3, -4, infinity}, {2.5, -1.5, nan}, {nan, 1, nan}}},
      {"chlo.polygamma", 2, 0, {{-1, 2, nan}, {0.5, 2, nan}, {1, 0, infinity}, {1, nan, nan}}},
      {"chlo.next_after",
       2,
       0,
       {{0, 1, 5e-324},
        {0, -1, -5e-324},
        {1, 2, 1 + 0x1p-52},
        {1, 0, 1 - 0x1p-53},
        {-1, 0, -1 + 0x1p-53},
        {-1, -2, -1 - 0x1p-52},
        {3, 3, 3},
        {0x1.fffffffffffffp1023, infinity, infinity},
        {nan, 1, nan},
        {1, nan, nan}}},
  };
  for (const Function &function : edges) {
    std::vector<double> found = evaluate(function.name, function.operands, function.samples);
    for (std::size_t i = 0; i < found.size(); ++i) {
      const Sample &sample = function.samples[i];
      INFO(fmt::format("{}({}, {}) is {}, expected {}", function.name, sample.x, sample.y, found[i], sample.expected));
      CHECK((found[i] == sample.expected || (std::isnan(found[i]) && std::isnan(sample.expected))));
    }
  }
}

}  // namespace bp::import::stablehlo
