// Plan of a discrete Fourier transform: the radices of a length, roots of unity, and the convolution that replaces a
// length with a large prime factor. Numbers only; fft/passes.h emits the code.
#pragma once

#include <complex>
#include <cstdint>
#include <utility>
#include <vector>

namespace bp::emit {

// Returns e^(-2 pi i k / n) for k >= 0, rounded once, from an angle of at most pi / 4.
std::complex<double> root_of_unity(std::int64_t k, std::int64_t n);

// A pass can divide in registers by any number up to largest_radix. Larger primes, up to largest_prime, need memory,
// and time proportional to their square.
inline constexpr std::int64_t largest_radix = 16, largest_prime = 127;
// Whether n, at least 1, is a product of radices: no prime factor is above largest_prime.
bool has_radices(std::int64_t n);
// Returns the largest prime factor of a number that has radices; 1 for 1.
std::int64_t largest_prime_factor(std::int64_t n);

// Returns the factor by which a radix is divided first in registers, at least 2; the rest is divided next. Returns the
// radix if it is prime.
std::int64_t first_factor(std::int64_t radix);

// Machine for which passes are planned: lanes per vector, and number of vector registers.
struct FftMachine {
  std::int64_t lanes;
  std::int64_t registers;
};

// Returns the radices of n, in the order of the passes, that need the fewest instructions by an estimate. Vectors run
// over `columns` independent transforms or, for a single one, over its elements. n must have radices; returns {1} for
// 1.
std::vector<std::int64_t> fft_radices(std::int64_t n, std::int64_t columns, const FftMachine &machine);
// Whether a pass over a single transform, of which the factor `done` is done and `rest` remains, has vectors that run
// over both.
bool has_shuffles(std::int64_t radix, std::int64_t rest, std::int64_t done, const FftMachine &machine);
// Whether a convolution is faster for a transform of any length, by the same estimate.
bool is_better_convolved(std::int64_t n, std::int64_t columns, const FftMachine &machine);

// Returns two factors, near the square root, of a number that has radices; if possible, the second is a multiple of
// `multiple`.
std::pair<std::int64_t, std::int64_t> near_square(std::int64_t n, std::int64_t multiple);

// Bluestein's algorithm: with 2jk = j^2 + k^2 - (k - j)^2, the transform of x is chirp(k) times the circular
// convolution, of a length that has radices, of chirp(j) x(j) with the conjugate of chirp.
class Convolution1d {
 public:
  // The length of the circular convolution is a multiple of `multiple`, a power of two.
  Convolution1d(std::int64_t n, std::int64_t multiple);
  std::int64_t length() const { return length_; }
  // Returns root_of_unity(j^2, 2n).
  std::complex<double> chirp(std::int64_t j) const;
  // Returns the transform of the second factor of the convolution, divided by its length, so that one forward and one
  // backward transform are sufficient.
  std::vector<std::complex<double>> filter() const;

 private:
  std::int64_t n_, length_;
};

// Returns the transform of x, whose size has radices, in doubles; O(n log n).
std::vector<std::complex<double>> transform_now(const std::vector<std::complex<double>> &x);

}  // namespace bp::emit
