#include "plugins/llvm/scalar/avx512.h"

#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "plugins/llvm/tests/jit.h"

namespace bp::emit {
namespace {

bool machine_has_avx512() {
  const auto features = llvm::sys::getHostCPUFeatures();
  return features.lookup("avx512f") && features.lookup("avx512vl") && features.lookup("avx512dq");
}

using Emitter = llvm::Value *(*)(llvm::IRBuilderBase &, llvm::Value *, llvm::Value *);
template <class Number>
using Routine = void(Number *, const Number *, const Number *, std::int64_t);

// Builds void f(result, x, y, count), which does so many elements at a time; 0: scalars.
template <class Number>
void build_routine(llvm::Module &module, Emitter emit, unsigned lanes) {
  llvm::IRBuilder<> b(module.getContext());
  llvm::Type *const scalar = sizeof(Number) == 8 ? b.getDoubleTy() : b.getFloatTy();
  llvm::Type *const type = lanes == 0 ? scalar : llvm::FixedVectorType::get(scalar, lanes);
  auto *const function = llvm::Function::Create(
      llvm::FunctionType::get(b.getVoidTy(), {b.getPtrTy(), b.getPtrTy(), b.getPtrTy(), b.getInt64Ty()}, false),
      llvm::GlobalValue::ExternalLinkage, "f", module);
  auto *const entry = llvm::BasicBlock::Create(module.getContext(), "entry", function);
  auto *const body = llvm::BasicBlock::Create(module.getContext(), "body", function);
  auto *const end = llvm::BasicBlock::Create(module.getContext(), "end", function);
  b.SetInsertPoint(entry);
  b.CreateBr(body);
  b.SetInsertPoint(body);
  llvm::PHINode *const i = b.CreatePHI(b.getInt64Ty(), 2);
  const auto place = [&](unsigned argument) { return b.CreateGEP(scalar, function->getArg(argument), i); };
  const auto load = [&](unsigned argument) { return b.CreateAlignedLoad(type, place(argument), llvm::Align(4)); };
  b.CreateAlignedStore(emit(b, load(1), load(2)), place(0), llvm::Align(4));
  llvm::Value *const next = b.CreateAdd(i, b.getInt64(std::max(lanes, 1u)));
  i->addIncoming(b.getInt64(0), entry);
  i->addIncoming(next, body);
  b.CreateCondBr(b.CreateICmpSLT(next, function->getArg(3)), body, end);
  b.SetInsertPoint(end);
  b.CreateRetVoid();
}

// Compares bits, but for NaN.
template <class Number>
void check_bits(Emitter emit, Number (*expected)(Number, Number), std::vector<Number> x, std::vector<Number> y) {
  using Bits = std::conditional_t<sizeof(Number) == 8, std::uint64_t, std::uint32_t>;
  const unsigned lanes = GENERATE(0u, 1u, 2u, 4u, 8u, 16u, 32u);
  while (x.size() % 32 != 0) {
    x.push_back(1);
    y.push_back(1);
  }
  test::Jit jit([&](llvm::Module &module) {
    use_avx512(module);
    build_routine<Number>(module, emit, lanes);
  });
  std::vector<Number> result(x.size());
  jit.find<Routine<Number>>("f")(result.data(), x.data(), y.data(), static_cast<std::int64_t>(x.size()));
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Number right = expected(x[i], y[i]);
    INFO(lanes << " lanes, of " << x[i] << " and " << y[i] << ": " << result[i] << ", expected " << right);
    REQUIRE((std::isnan(right) ? std::isnan(result[i]) : std::bit_cast<Bits>(result[i]) == std::bit_cast<Bits>(right)));
  }
}

template <class Number>
Number ieee_maximum(Number x, Number y) {
  if (std::isnan(x) || std::isnan(y)) {
    return x + y;
  }
  return x == y ? (std::signbit(x) ? y : x) : std::max(x, y);
}
template <class Number>
Number ieee_minimum(Number x, Number y) {
  return -ieee_maximum(-x, -y);
}

TEMPLATE_TEST_CASE("AVX-512 scales by powers of two and rounds once", "", float, double) {
  if (!machine_has_avx512()) {
    WARN("this machine has no AVX-512");
    return;
  }
  using Limits = std::numeric_limits<TestType>;
  std::vector<TestType> x, y;
  for (const TestType value : {TestType(1), TestType(-1.4142135), TestType(0.70710677), TestType(0), -TestType(0),
                               Limits::infinity(), Limits::quiet_NaN(), Limits::max()}) {
    for (int exponent = -1100; exponent <= 1100; ++exponent) {
      x.push_back(value);
      y.push_back(static_cast<TestType>(exponent));
    }
  }
  check_bits<TestType>(avx512_scale, [](TestType a, TestType b) { return std::ldexp(a, static_cast<int>(b)); }, x, y);
}

TEMPLATE_TEST_CASE("AVX-512 has the maximum and the minimum of IEEE 754", "", float, double) {
  if (!machine_has_avx512()) {
    WARN("this machine has no AVX-512");
    return;
  }
  using Limits = std::numeric_limits<TestType>;
  std::vector<TestType> x, y;
  const TestType values[] = {0,
                             -TestType(0),
                             1,
                             -1,
                             Limits::infinity(),
                             -Limits::infinity(),
                             2,
                             Limits::max(),
                             Limits::denorm_min(),
                             -2,
                             Limits::lowest(),
                             -Limits::denorm_min(),
                             Limits::quiet_NaN(),
                             -Limits::quiet_NaN(),
                             Limits::signaling_NaN()};
  for (const TestType a : values) {
    for (const TestType b : values) {
      x.push_back(a);
      y.push_back(b);
    }
  }
  if (GENERATE(true, false)) {
    check_bits<TestType>(
        [](llvm::IRBuilderBase &b, llvm::Value *a, llvm::Value *c) { return avx512_extremum(b, true, a, c); },
        ieee_maximum<TestType>, x, y);
  } else {
    check_bits<TestType>(
        [](llvm::IRBuilderBase &b, llvm::Value *a, llvm::Value *c) { return avx512_extremum(b, false, a, c); },
        ieee_minimum<TestType>, x, y);
  }
}

TEST_CASE("modules for other machines do not use AVX-512") {
  llvm::LLVMContext context;
  llvm::Module module("other", context);
  llvm::IRBuilder<> b(context);
  auto *const function = llvm::Function::Create(llvm::FunctionType::get(b.getVoidTy(), {b.getFloatTy()}, false),
                                                llvm::GlobalValue::ExternalLinkage, "f", module);
  b.SetInsertPoint(llvm::BasicBlock::Create(context, "entry", function));
  CHECK(avx512_scale(b, function->getArg(0), function->getArg(0)) == nullptr);
  CHECK(avx512_extremum(b, true, function->getArg(0), function->getArg(0)) == nullptr);
}

}  // namespace
}  // namespace bp::emit
