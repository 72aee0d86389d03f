// Plan of a discrete Fourier transform: which radices divide a length, roots of unity, and the convolution that takes
// the place of a length with a large prime factor. Numbers only; what becomes code of them is in fft/passes.h.
#pragma once

#include <complex>
#include <cstdint>
#include <utility>
#include <vector>

namespace bp::emit {

// e^(-2 pi i k / n) for 0 <= k, rounded once, from an angle of at most pi / 4.
std::complex<double> root_of_unity(std::int64_t k, std::int64_t n);

// What a pass divides by in registers: any number up to this. Larger primes take memory, and time by their square.
inline constexpr std::int64_t largest_radix = 16, largest_prime = 127;
// Whether radices divide n, which is at least 1, to the end: no prime factor is above the largest.
bool has_radices(std::int64_t n);
// The largest prime factor of a number that has radices; 1 of 1.
std::int64_t largest_prime_factor(std::int64_t n);

// How a radix is divided in registers: by the result, at least 2, then by what is left. The radix if it is prime.
std::int64_t first_factor(std::int64_t radix);

// What passes are planned for: vectors of so many lanes, and how many of them there are.
struct FftMachine {
  std::int64_t lanes;
  std::int64_t registers;
};

// The radices of n, in the order of the passes, that take the fewest instructions by an estimate. Vectors run over
// `columns` of independent transforms, or, of a single one, over its elements. n has radices; {1} for 1.
std::vector<std::int64_t> fft_radices(std::int64_t n, std::int64_t columns, const FftMachine &machine);
// Whether a pass over a single transform, of which `done` are done and `rest` follow, runs over both.
bool has_shuffles(std::int64_t radix, std::int64_t rest, std::int64_t done, const FftMachine &machine);
// Whether a transform of any length had better be a convolution, by the same estimate.
bool is_better_convolved(std::int64_t n, std::int64_t columns, const FftMachine &machine);

// Two factors of a number that has radices, near its square root; if it can be, the second is a multiple of `multiple`.
std::pair<std::int64_t, std::int64_t> near_square(std::int64_t n, std::int64_t multiple);

// Bluestein's algorithm: with 2jk = j^2 + k^2 - (k - j)^2, the transform of x is chirp(k) times the convolution, around
// a circle of a length that has radices, of chirp(j) x(j) with the conjugate of chirp.
class Convolution1d {
 public:
  // The length of the circle is a multiple of `multiple`, a power of two.
  Convolution1d(std::int64_t n, std::int64_t multiple);
  std::int64_t length() const { return length_; }
  // root_of_unity(j^2, 2n)
  std::complex<double> chirp(std::int64_t j) const;
  // The transform of what is convolved with, over its length, so that a transform forwards and one backwards suffice.
  std::vector<std::complex<double>> filter() const;

 private:
  std::int64_t n_, length_;
};

// The transform of x, whose size has radices, in doubles; O(n log n).
std::vector<std::complex<double>> transform_now(const std::vector<std::complex<double>> &x);

}  // namespace bp::emit
