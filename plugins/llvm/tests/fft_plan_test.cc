// Compares plans of Fourier transforms with their definition, summed up in wider numbers.
#include "plugins/llvm/fft/plan.h"

#include <catch2/catch.hpp>
#include <numbers>
#include <numeric>

namespace bp::emit {
namespace {

using Numbers = std::vector<std::complex<double>>;

std::complex<long double> exact_root(std::int64_t k, std::int64_t n) {
  return std::polar(
      1.0L, -2 * std::numbers::pi_v<long double> * static_cast<long double>(k % n) / static_cast<long double>(n));
}

Numbers summed_up(const Numbers &x) {
  const auto n = static_cast<std::int64_t>(x.size());
  Numbers result;
  for (std::int64_t k = 0; k < n; ++k) {
    std::complex<long double> sum = 0;
    for (std::int64_t j = 0; j < n; ++j) {
      sum += std::complex<long double>(x[static_cast<std::size_t>(j)]) * exact_root(j * k, n);
    }
    result.emplace_back(sum);
  }
  return result;
}

Numbers some_numbers(std::int64_t n) {
  Numbers x;
  for (std::int64_t j = 0; j < n; ++j) {
    x.emplace_back(static_cast<double>(j * j % 7) - 3, static_cast<double>(j * 5 % 11) - 5);
  }
  return x;
}

void check_close(const Numbers &x, const Numbers &y) {
  REQUIRE(x.size() == y.size());
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    difference += std::norm(x[i] - y[i]);
    size += std::norm(y[i]);
  }
  CHECK(difference <= 1e-30 * size);
}

}  // namespace

TEST_CASE("roots of unity are rounded once") {
  for (const std::int64_t n : {1, 2, 3, 4, 5, 8, 12, 100, 1000, 65537}) {
    for (std::int64_t k = 0; k < 2 * n; k += 1 + n / 100) {
      const std::complex<long double> exact = exact_root(k, n), root = root_of_unity(k, n);
      CHECK(std::abs(exact.real() - root.real()) <= 5.7e-17L);
      CHECK(std::abs(exact.imag() - root.imag()) <= 5.7e-17L);
    }
  }
  CHECK(root_of_unity(1, 4) == std::complex(0.0, -1.0));
  CHECK(root_of_unity(6, 12) == std::complex(-1.0, 0.0));
}

TEST_CASE("radices divide a length to the end") {
  for (const FftMachine machine : {FftMachine{16, 32}, FftMachine{8, 16}, FftMachine{4, 16}, FftMachine{2, 32}}) {
    for (std::int64_t n = 1; n <= 3000; ++n) {
      if (!has_radices(n)) {
        continue;
      }
      for (const std::int64_t columns : {1, 16}) {
        const std::vector<std::int64_t> radices = fft_radices(n, columns, machine);
        CHECK(std::accumulate(radices.begin(), radices.end(), std::int64_t{1}, std::multiplies<>()) == n);
        CHECK(std::ranges::all_of(radices, [](std::int64_t radix) {
          return radix <= largest_radix || (radix <= largest_prime && largest_prime_factor(radix) == radix);
        }));
      }
    }
  }
  CHECK_FALSE(has_radices(131));
  CHECK_FALSE(has_radices(2 * 131));
  CHECK(has_radices(127 * 17 * 8));
  CHECK(largest_prime_factor(127 * 17 * 8) == 127);
  CHECK(largest_prime_factor(1) == 1);
}

TEST_CASE("as few passes as vectors gain from") {
  CHECK(fft_radices(256, 1, {16, 32}) == std::vector<std::int64_t>{16, 16});
  CHECK(fft_radices(1024, 16, {16, 32}).size() <= 3);
  CHECK(fft_radices(13, 1, {16, 32}) == std::vector<std::int64_t>{13});
}

TEST_CASE("a convolution where it is less work") {
  const FftMachine machine{16, 32};
  CHECK(is_better_convolved(131, 1, machine));
  CHECK(is_better_convolved(8191, 16, machine));
  CHECK_FALSE(is_better_convolved(999, 1, machine));
  CHECK_FALSE(is_better_convolved(37, 16, machine));
  CHECK_FALSE(is_better_convolved(8192, 1, machine));
}

TEST_CASE("factors near the square root") {
  CHECK(near_square(65536, 16) == std::pair<std::int64_t, std::int64_t>(256, 256));
  CHECK(near_square(10000, 16) == std::pair<std::int64_t, std::int64_t>(125, 80));
  CHECK(near_square(59049, 16) == std::pair<std::int64_t, std::int64_t>(243, 243));
  CHECK(near_square(13, 16) == std::pair<std::int64_t, std::int64_t>(13, 1));
  CHECK(near_square(387420489, 16) == std::pair<std::int64_t, std::int64_t>(19683, 19683));
}

TEST_CASE("a transform agrees with its definition") {
  for (const std::int64_t n : {1, 2, 3, 8, 30, 121, 360}) {
    check_close(transform_now(some_numbers(n)), summed_up(some_numbers(n)));
  }
}

TEST_CASE("a convolution with a chirp is a transform") {
  for (const std::int64_t n : {1, 2, 17, 19, 53, 101, 202}) {
    const Convolution1d convolution(n, 16);
    const std::int64_t length = convolution.length();
    CHECK(length % 16 == 0);
    CHECK(length >= 2 * n - 1);
    CHECK(has_radices(length));
    const Numbers x = some_numbers(n), filter = convolution.filter();
    Numbers circle(static_cast<std::size_t>(length));
    for (std::int64_t j = 0; j < n; ++j) {
      circle[static_cast<std::size_t>(j)] = x[static_cast<std::size_t>(j)] * convolution.chirp(j);
    }
    circle = transform_now(circle);
    for (std::size_t k = 0; k < circle.size(); ++k) {
      circle[k] = std::conj(circle[k] * filter[k]);  // a backward transform is a forward one of conjugates
    }
    circle = transform_now(circle);
    Numbers result;
    for (std::int64_t k = 0; k < n; ++k) {
      result.push_back(std::conj(circle[static_cast<std::size_t>(k)]) * convolution.chirp(k));
    }
    check_close(result, summed_up(x));
  }
}

}  // namespace bp::emit
