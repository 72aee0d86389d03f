// Compares every math function, compiled as a loop over vectors, with the C library in the next wider type.
#include "plugins/llvm/scalar/math.h"

#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "plugins/llvm/scalar/avx512.h"
#include "plugins/llvm/scalar/element_type.h"
#include "plugins/llvm/scalar/math_precision.h"
#include "plugins/llvm/scalar/narrow_float.h"
#include "plugins/llvm/tests/jit.h"

namespace {

using namespace bp::emit;

template <typename T>
struct Wider;
template <>
struct Wider<float> {
  using type = double;
};
template <>
struct Wider<double> {
  using type = long double;
};

template <typename W>
std::map<std::string, std::function<W(W)>> unary_references() {
  return {{"exp", [](W x) { return std::exp(x); }},
          {"expm1", [](W x) { return std::expm1(x); }},
          {"log", [](W x) { return std::log(x); }},
          {"log1p", [](W x) { return std::log1p(x); }},
          {"sin", [](W x) { return std::sin(x); }},
          {"cos", [](W x) { return std::cos(x); }},
          {"tan", [](W x) { return std::tan(x); }},
          {"asin", [](W x) { return std::asin(x); }},
          {"acos", [](W x) { return std::acos(x); }},
          {"atan", [](W x) { return std::atan(x); }},
          {"sinh", [](W x) { return std::sinh(x); }},
          {"cosh", [](W x) { return std::cosh(x); }},
          {"tanh", [](W x) { return std::tanh(x); }},
          {"asinh", [](W x) { return std::asinh(x); }},
          {"acosh", [](W x) { return std::acosh(x); }},
          {"atanh", [](W x) { return std::atanh(x); }},
          {"erf", [](W x) { return std::erf(x); }},
          {"cbrt", [](W x) { return std::cbrt(x); }},
          {"logistic", [](W x) { return 1 / (1 + std::exp(-x)); }},
          {"sqrt", [](W x) { return std::sqrt(x); }},
          {"rsqrt", [](W x) { return 1 / std::sqrt(x); }},
          {"floor", [](W x) { return std::floor(x); }},
          {"ceil", [](W x) { return std::ceil(x); }},
          {"round_away", [](W x) { return std::round(x); }},
          {"round_even", [](W x) { return std::nearbyint(x); }}};
}

template <typename W>
std::map<std::string, std::function<W(W, W)>> binary_references() {
  return {{"atan2", [](W y, W x) { return std::atan2(y, x); }},
          {"pow", [](W x, W y) { return std::pow(x, y); }},
          {"remainder", [](W x, W y) { return std::fmod(x, y); }}};
}

// Returns the distance of a result from the exact value, in units of the last place of the exact value in T.
template <typename T, typename W>
double ulps_between(T result, W exact) {
  T rounded = static_cast<T>(exact);
  if (std::isnan(rounded) || std::isnan(result)) {
    return std::isnan(rounded) == std::isnan(result) ? 0 : std::numeric_limits<double>::infinity();
  }
  if (std::isinf(rounded) || std::isinf(result)) {
    bool is_at_the_edge = std::nextafter(rounded, T{0}) == result || std::nextafter(result, T{0}) == rounded;
    return rounded == result ? 0 : is_at_the_edge ? 1 : std::numeric_limits<double>::infinity();
  }
  if (result == 0 && rounded == 0 && std::signbit(result) != std::signbit(rounded)) {
    return std::numeric_limits<double>::infinity();
  }
  int exponent = rounded == 0 ? std::numeric_limits<T>::min_exponent : std::ilogb(rounded) + 1;
  exponent = std::max(exponent, std::numeric_limits<T>::min_exponent) - std::numeric_limits<T>::digits;
  return static_cast<double>(std::abs(static_cast<W>(result) - exact) / std::ldexp(W{1}, exponent));
}

template <typename T>
std::vector<T> special_values() {
  using limits = std::numeric_limits<T>;
  std::vector<T> values;
  for (T x : {T{0},
              limits::denorm_min(),
              limits::min(),
              limits::min() / 2,
              limits::epsilon(),
              T{0.25},
              T{0.5},
              T{1},
              T{1.5},
              T{2},
              T{2.5},
              T{3},
              T{10},
              T{88.7228},
              T{88.73},
              T{103.98},
              T{104},
              T{709.782},
              T{709.79},
              T{745.2},
              T{1e6},
              T(16777217),
              T(9007199254740993.0),
              T{3.14159265358979},
              T{1.5707963267948966},
              T{1e22},
              T{1e30},
              limits::max(),
              limits::max() / 2,
              limits::infinity(),
              limits::quiet_NaN()}) {
    for (T y : {x, std::nextafter(x, T{0}), std::nextafter(x, limits::infinity())}) {
      values.push_back(y);
      values.push_back(-y);
    }
  }
  return values;
}

// Special values, bit patterns across the whole range, and numbers of ordinary size.
template <typename T>
std::vector<T> sample_inputs() {
  std::vector<T> inputs = special_values<T>();
  std::mt19937_64 random(7);
  if constexpr (sizeof(T) == 4) {
    for (uint64_t bits = 0; bits < uint64_t{1} << 32; bits += 4099) {  // build/tools/precision tests all of them
      inputs.push_back(std::bit_cast<float>(static_cast<uint32_t>(bits)));
    }
    for (float x = 1.2f; x < 1.21f; x = std::nextafter(x, 2.0f)) {  // where erf has its largest errors
      inputs.push_back(x);
    }
  } else {
    for (int i = 0; i < 100000; ++i) {
      inputs.push_back(std::bit_cast<double>(random()));
    }
  }
  for (T scale : {T{1}, T{3}, T{20}, T{800}, T{1e5}}) {
    std::uniform_real_distribution<T> distribution(-scale, scale);
    for (int i = 0; i < 40000; ++i) {
      inputs.push_back(distribution(random));
    }
  }
  inputs.resize((inputs.size() + 15) / 16 * 16, T{1});
  return inputs;
}

// Builds void name(ptr out, ptr x, ptr y, i64 count) for every function, 16 lanes at a time.
void build_loops(llvm::Module &module, bool is_f64) {
  llvm::IRBuilder<> b(module.getContext());
  auto *vector = llvm::FixedVectorType::get(is_f64 ? b.getDoubleTy() : b.getFloatTy(), 16);
  auto *type =
      llvm::FunctionType::get(b.getVoidTy(), {b.getPtrTy(), b.getPtrTy(), b.getPtrTy(), b.getInt64Ty()}, false);
  for (const MathFunction &math : math_functions()) {
    auto *function =
        llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, math.name + std::string("_loop"), module);
    auto *entry = llvm::BasicBlock::Create(module.getContext(), "entry", function);
    auto *loop = llvm::BasicBlock::Create(module.getContext(), "loop", function);
    auto *done = llvm::BasicBlock::Create(module.getContext(), "done", function);
    b.SetInsertPoint(entry);
    b.CreateBr(loop);
    b.SetInsertPoint(loop);
    llvm::PHINode *index = b.CreatePHI(b.getInt64Ty(), 2);
    auto at = [&](unsigned i) { return b.CreateGEP(vector->getElementType(), function->getArg(i), index); };
    llvm::Value *x = b.CreateAlignedLoad(vector, at(1), llvm::Align(4));
    llvm::Value *out = at(0);
    llvm::Value *y = math.binary ? b.CreateAlignedLoad(vector, at(2), llvm::Align(4)) : nullptr;
    llvm::Value *result = math.unary ? math.unary(b, x) : math.binary(b, x, y);
    b.CreateAlignedStore(result, out, llvm::Align(4));
    llvm::Value *next = b.CreateAdd(index, b.getInt64(16));
    index->addIncoming(b.getInt64(0), entry);
    index->addIncoming(next, b.GetInsertBlock());
    b.CreateCondBr(b.CreateICmpULT(next, function->getArg(3)), loop, done);
    b.SetInsertPoint(done);
    b.CreateRetVoid();
  }
}

template <typename T>
void check_all(const std::string &cpu, size_t max_inputs = SIZE_MAX, void (*set_up)(llvm::Module &) = nullptr) {
  using W = typename Wider<T>::type;
  bp::emit::test::Jit jit(
      [&](llvm::Module &module) {
        if (set_up != nullptr) {
          set_up(module);
        }
        build_loops(module, sizeof(T) == 8);
      },
      cpu);
  std::vector<T> inputs = sample_inputs<T>();
  if (inputs.size() > max_inputs) {
    inputs.resize(max_inputs);
  }
  std::vector<T> seconds = inputs;
  std::shuffle(seconds.begin(), seconds.end(), std::mt19937_64(3));
  // Combines every special value with every other one.
  std::vector<T> specials = special_values<T>();
  std::vector<T> firsts = inputs;
  for (size_t i = 0; i < std::min(firsts.size(), specials.size() * specials.size()); ++i) {
    firsts[i] = specials[i % specials.size()];
    seconds[i] = specials[i / specials.size()];
  }
  std::vector<T> outputs(inputs.size());
  auto unary = unary_references<W>();
  auto binary = binary_references<W>();
  for (const MathFunction &math : math_functions()) {
    auto *run = jit.find<void(T *, const T *, const T *, int64_t)>(math.name + std::string("_loop"));
    const std::vector<T> &x = math.unary ? inputs : firsts;
    run(outputs.data(), x.data(), seconds.data(), static_cast<int64_t>(outputs.size()));
    double worst = 0;
    size_t worst_at = 0;
    for (size_t i = 0; i < outputs.size(); ++i) {
      W exact = math.unary ? unary.at(math.name)(x[i]) : binary.at(math.name)(x[i], seconds[i]);
      double ulps = ulps_between<T, W>(outputs[i], exact);
      if (ulps > worst) {
        worst = ulps;
        worst_at = i;
      }
    }
    double promised = sizeof(T) == 4 ? math.ulps_f32 : math.ulps_f64;
    INFO(math.name << " at " << x[worst_at] << ", " << seconds[worst_at] << " gave " << outputs[worst_at]);
    CHECK(worst <= promised);
  }
}

constexpr uint16_t narrow_types[] = {BP_DTYPE_F4E2M1FN, BP_DTYPE_F6E2M3FN,      BP_DTYPE_F6E3M2FN, BP_DTYPE_F8E3M4,
                                     BP_DTYPE_F8E4M3,   BP_DTYPE_F8E4M3B11FNUZ, BP_DTYPE_F8E4M3FN, BP_DTYPE_F8E4M3FNUZ,
                                     BP_DTYPE_F8E5M2,   BP_DTYPE_F8E5M2FNUZ,    BP_DTYPE_F8E8M0FNU};

// Builds void round_TYPE(ptr floats, ptr codes), which rounds four f32 and stores their codes, and void
// decode_TYPE(ptr, ptr), the reverse.
void build_narrow_conversions(llvm::Module &module) {
  llvm::IRBuilder<> b(module.getContext());
  auto *type = llvm::FunctionType::get(b.getVoidTy(), {b.getPtrTy(), b.getPtrTy()}, false);
  auto *floats = llvm::FixedVectorType::get(b.getFloatTy(), 4), *codes = llvm::FixedVectorType::get(b.getInt8Ty(), 4);
  for (const uint16_t dtype : narrow_types) {
    for (const char *name : {"round_", "decode_"}) {
      auto *function =
          llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, name + std::to_string(dtype), module);
      b.SetInsertPoint(llvm::BasicBlock::Create(module.getContext(), "entry", function));
      llvm::Argument *const of_floats = function->getArg(0), *const of_codes = function->getArg(1);
      if (name[0] == 'r') {
        llvm::Value *value = b.CreateAlignedLoad(floats, of_floats, llvm::Align(4));
        llvm::Value *rounded = round_to_type(b, value, dtype);
        b.CreateAlignedStore(rounded, of_floats, llvm::Align(4));
        b.CreateAlignedStore(compute_to_storage(b, rounded, dtype), of_codes, llvm::Align(1));
      } else {
        llvm::Value *value = storage_to_compute(b, b.CreateAlignedLoad(codes, of_codes, llvm::Align(1)), dtype);
        b.CreateAlignedStore(value, of_floats, llvm::Align(4));
      }
      b.CreateRetVoid();
    }
  }
}

// Returns the bits that narrow conversions give for every code, for f32 across the whole range, and for f32 around all
// that have 16 bits, which include all midpoints between two numbers of a narrow type.
std::vector<uint32_t> converted(uint16_t dtype, NarrowConversion conversion) {
  bp::emit::test::Jit jit([&](llvm::Module &module) {
    set_narrow_conversion(module, conversion);
    build_narrow_conversions(module);
  });
  using Convert = void(uint32_t *, uint8_t *);
  auto *round = jit.find<Convert>("round_" + std::to_string(dtype));
  auto *decode = jit.find<Convert>("decode_" + std::to_string(dtype));
  std::vector<uint32_t> results;
  uint32_t floats[4];
  uint8_t codes[4];
  const auto add = [&] {
    results.insert(results.end(), std::begin(floats), std::end(floats));
    results.insert(results.end(), std::begin(codes), std::end(codes));
  };
  for (uint32_t code = 0; code < 256; code += 4) {
    std::iota(std::begin(codes), std::end(codes), static_cast<uint8_t>(code));
    decode(floats, codes);
    add();
  }
  for (uint32_t i = 0; i < 1u << 16; ++i) {
    const uint32_t bits = i << 16;
    const uint32_t around[] = {bits - 1, bits, bits + 1, bits + 40503 * (i % 3)};
    std::copy(std::begin(around), std::end(around), floats);
    round(floats, codes);
    add();
  }
  return results;
}

}  // namespace

TEST_CASE("math functions keep their promised accuracy") {
  check_all<float>("");
  check_all<double>("");
}

TEST_CASE("math functions are correct without AVX-512") {
  check_all<float>("x86-64-v3", 4096);
  check_all<double>("x86-64-v3", 4096);
}

TEST_CASE("math functions of f32 keep their promised accuracy without f64") {
  check_all<float>("", SIZE_MAX, avoid_f64);
}

TEST_CASE("math functions keep their promised accuracy with AVX-512") {
  if (!llvm::sys::getHostCPUFeatures().lookup("avx512dq")) {
    WARN("this machine has no AVX-512");
    return;
  }
  check_all<float>("", SIZE_MAX, use_avx512);
  check_all<double>("", SIZE_MAX, use_avx512);
}

TEST_CASE("floats of at most 8 bits are the same bits however they are converted") {
  for (const uint16_t dtype : narrow_types) {
    const std::vector<uint32_t> expected = converted(dtype, NarrowConversion::Integers);
    INFO(dtype);
    CHECK(converted(dtype, NarrowConversion::Floats) == expected);
    CHECK(converted(dtype, NarrowConversion::LikeInstructions) == expected);
  }
}
