// The functions that programs without the plugin get in place of libm's compute the same bits.
#include "plugins/llvm/routines.h"

#include <llvm/AsmParser/Parser.h>
#include <llvm/Support/MemoryBufferRef.h>
#include <llvm/Support/SourceMgr.h>

#include <array>
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "plugins/llvm/tests/jit.h"

namespace {

using bp::emit::test::Jit;

// Compiles routines for a CPU that has none of the instructions.
Jit compile(const std::set<std::string> &names) {
  const auto text = bp::emit::routines_text(names, true);
  REQUIRE(text.ok());
  return Jit(
      [&](llvm::Module &module) {
        llvm::SMDiagnostic problem;
        if (llvm::parseAssemblyInto(llvm::MemoryBufferRef(*text, "routines"), &module, nullptr, problem)) {
          llvm::report_fatal_error(problem.getMessage());
        }
      },
      "x86-64");
}

template <class T>
bool is_same(T a, T b) {
  return (a == b && std::signbit(a) == std::signbit(b)) || (std::isnan(a) && std::isnan(b));
}

// Draws numbers of all kinds: any bits, few bits, near 1, subnormal, large, halves, special ones.
template <class T, class Bits>
class Numbers {
 public:
  T operator()() {
    constexpr int mantissa = std::numeric_limits<T>::digits - 1;
    constexpr auto bias = static_cast<Bits>(std::numeric_limits<T>::max_exponent - 1);
    const auto exponent = [&](Bits low, Bits count) {
      const Bits bits = ((low + random() % count) << mantissa) | (random() & ((Bits{1} << mantissa) - 1));
      return std::bit_cast<T>(bits | (random() % 2) << (sizeof(T) * 8 - 1));
    };
    constexpr std::array<T, 12> special = {0,
                                           -T(0),
                                           1,
                                           T(0.5),
                                           T(-2.5),
                                           std::numeric_limits<T>::infinity(),
                                           -std::numeric_limits<T>::infinity(),
                                           std::numeric_limits<T>::quiet_NaN(),
                                           std::numeric_limits<T>::denorm_min(),
                                           std::numeric_limits<T>::min(),
                                           std::numeric_limits<T>::max(),
                                           T(std::uint64_t{1} << mantissa)};
    switch (random() % 7) {
      case 0: return std::bit_cast<T>(random());
      case 1: return exponent(bias - 30, 60);
      case 2: return exponent(0, 40);
      case 3: return exponent(2 * bias - 30, 30);
      case 4: return T(static_cast<std::int64_t>(random() % 2000) - 1000) / 2;
      case 5: return special[random() % special.size()];
      default: {
        const Bits few = ~((Bits{1} << random() % mantissa) - 1);
        return std::bit_cast<T>(static_cast<Bits>(std::bit_cast<Bits>(exponent(bias - 5, 10)) & few));
      }
    }
  }

 private:
  Bits random() { return static_cast<Bits>(engine_()); }
  std::mt19937_64 engine_{1};
};

template <class T, class Bits>
void check_fma(const char *name) {
  Jit jit = compile({name});
  auto *fma = jit.find<T(T, T, T)>(name);
  Numbers<T, Bits> any;
  for (int i = 0; i < 400000; ++i) {
    const T x = any(), y = any();
    const T z = i % 4 == 0 ? -(x * y) : any();  // what is left is the error of the product
    if (!is_same(fma(x, y, z), std::fma(x, y, z))) {
      FAIL(name << " of " << x << ", " << y << ", " << z << " is " << fma(x, y, z) << ", expected "
                << std::fma(x, y, z));
    }
  }
}

template <class T, class Bits>
void check_rounding(const std::string &suffix) {
  using Function = T (*)(T);
  const std::pair<std::string, Function> functions[] = {{"floor", [](T x) { return std::floor(x); }},
                                                        {"ceil", [](T x) { return std::ceil(x); }},
                                                        {"trunc", [](T x) { return std::trunc(x); }},
                                                        {"round", [](T x) { return std::round(x); }},
                                                        {"roundeven", [](T x) { return std::nearbyint(x); }}};
  for (const auto &[name, expected] : functions) {
    Jit jit = compile({name + suffix});
    auto *found = jit.find<T(T)>(name + suffix);
    Numbers<T, Bits> any;
    for (int i = 0; i < 200000; ++i) {
      const T x = any();
      if (!is_same(found(x), expected(x))) {
        FAIL(name << suffix << " of " << x << " is " << found(x) << ", expected " << expected(x));
      }
    }
  }
}

}  // namespace

TEST_CASE("products and sums are rounded once") {
  check_fma<double, std::uint64_t>("fma");
  check_fma<float, std::uint32_t>("fmaf");
}

TEST_CASE("numbers are rounded to whole ones as by the C library") {
  check_rounding<double, std::uint64_t>("");
  check_rounding<float, std::uint32_t>("f");
}

TEST_CASE("bytes are moved and set, whether or not they overlap") {
  Jit jit = compile({"memcpy", "memset"});
  auto *move = jit.find<void *(void *, const void *, std::size_t)>("memmove");
  auto *set = jit.find<void *(void *, int, std::size_t)>("memset");
  std::mt19937 random(1);
  std::vector<unsigned char> found(400), expected(400);
  for (int i = 0; i < 20000; ++i) {
    std::ranges::generate(found, [&] { return static_cast<unsigned char>(random()); });
    expected = found;
    const std::size_t to = random() % 200, from = random() % 200, size = random() % 200;
    move(&found[to], &found[from], size);
    std::memmove(&expected[to], &expected[from], size);
    set(&found[from], i, size / 2);
    std::memset(&expected[from], i, size / 2);
    if (found != expected) {
      FAIL("bytes differ after a move of " << size << " from " << from << " to " << to);
    }
  }
}

TEST_CASE("a function that is not known is refused by name") {
  const auto text = bp::emit::routines_text({"sinf"}, false);
  REQUIRE(!text.ok());
  CHECK(text.error().message().starts_with("the code calls sinf, which a program without this plugin does not have"));
}
