#include "plugins/llvm/fft/plan.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>

namespace bp::emit {
namespace {

using Complex = std::complex<double>;

// Returns the number of instructions of a transform of length n in registers, for one vector of real parts and one of
// imaginary parts per element.
double operations(std::int64_t n) {
  if (n == 1) {
    return 0;
  }
  if (n == 2) {
    return 4;
  }
  const auto size = static_cast<double>(n);
  const std::int64_t first = first_factor(n), second = n / first;
  if (second == 1) {
    return 4 * (size - 1) + (size - 1) * (size - 1);
  }
  const double turned = static_cast<double>((first - 1) * (second - 1));
  const double turn = n == 4 ? 0 : n % 2 == 0 ? 3 : 4;
  return static_cast<double>(second) * operations(first) + static_cast<double>(first) * operations(second) +
         turned * turn;
}

// Finds the cheapest sequence of radices by trying all of them, once for each remaining length.
class Planner {
 public:
  Planner(std::int64_t n, std::int64_t columns, const FftMachine &machine)
      : n_(n), columns_(columns), machine_(machine) {}

  double cost() { return best(1).cost; }

  std::vector<std::int64_t> radices() {
    std::vector<std::int64_t> result;
    for (std::int64_t done = 1; done < n_; done *= result.back()) {
      result.push_back(best(done).radix);
    }
    return result;
  }

 private:
  struct Choice {
    double cost = 0;
    std::int64_t radix = 1;
  };

  const Choice &best(std::int64_t done) {
    const auto known = choices_.find(done);
    if (known != choices_.end()) {
      return known->second;
    }
    Choice choice{done == n_ ? 0 : std::numeric_limits<double>::infinity(), 1};
    for (std::int64_t radix = 2; radix <= largest_prime; ++radix) {
      if (n_ / done % radix == 0 && (radix <= largest_radix || largest_prime_factor(radix) == radix)) {
        const double cost = pass(radix, n_ / done / radix, done) + best(done * radix).cost;
        if (cost < choice.cost) {
          choice = {cost, radix};
        }
      }
    }
    return choices_.emplace(done, choice).first->second;
  }

  double pass(std::int64_t radix, std::int64_t rest, std::int64_t done) const {
    const auto size = static_cast<double>(radix);
    const std::int64_t wanted = 2 * radix + 2;
    const bool is_in_memory = radix > largest_radix;
    const double spilled = is_in_memory
                               ? size * size / 2
                               : 2 * static_cast<double>(std::max<std::int64_t>(wanted - machine_.registers, 0));
    double cost = operations(radix) + 6 * size + spilled + (rest > 1 ? 6 * (size - 1) : 0);
    const auto vectors = [&](std::int64_t count) {
      const auto lanes = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(count)));
      const std::int64_t used = std::min(lanes, machine_.lanes);
      return static_cast<double>((count + used - 1) / used);
    };
    if (columns_ > 1) {
      return cost * static_cast<double>(rest * done) * vectors(columns_);
    }
    if (has_shuffles(radix, rest, done, machine_)) {
      const bool is_power = std::has_single_bit(static_cast<std::uint64_t>(radix));
      cost += 2 * size * (is_power ? std::log2(size) : size - 1);
      return cost * vectors(rest * done);
    }
    return cost * static_cast<double>(rest) * vectors(done);
  }

  const std::int64_t n_, columns_;
  const FftMachine &machine_;
  std::map<std::int64_t, Choice> choices_;
};

// roots: the roots of unity of a multiple of n.
void transform_part(const Complex *in, std::int64_t stride, Complex *out, std::int64_t n,
                    const std::vector<Complex> &roots) {
  if (n == 1) {
    out[0] = in[0];
    return;
  }
  std::int64_t factor = 2;
  while (n % factor != 0) {
    ++factor;
  }
  const std::int64_t rest = n / factor, step = static_cast<std::int64_t>(roots.size()) / n;
  std::vector<Complex> parts(static_cast<std::size_t>(n));
  for (std::int64_t f = 0; f < factor; ++f) {
    transform_part(in + f * stride, stride * factor, parts.data() + f * rest, rest, roots);
  }
  for (std::int64_t k = 0; k < n; ++k) {
    Complex sum = 0;
    for (std::int64_t f = 0; f < factor; ++f) {
      sum += parts[static_cast<std::size_t>(f * rest + k % rest)] * roots[static_cast<std::size_t>(f * k % n * step)];
    }
    out[k] = sum;
  }
}

}  // namespace

Complex root_of_unity(std::int64_t k, std::int64_t n) {
  const std::int64_t place = 4 * (k % n), quadrant = place / n, rest = place % n;
  const auto angle = [&](std::int64_t part) {
    return std::numbers::pi_v<long double> / 2 * static_cast<long double>(part) / static_cast<long double>(n);
  };
  const bool is_low = 2 * rest <= n;
  const auto real = static_cast<double>(is_low ? std::cos(angle(rest)) : std::sin(angle(n - rest)));
  const auto imaginary = static_cast<double>(is_low ? std::sin(angle(rest)) : std::cos(angle(n - rest)));
  switch (quadrant) {
    case 0: return {real, -imaginary};
    case 1: return {-imaginary, -real};
    case 2: return {-real, imaginary};
    default: return {imaginary, real};
  }
}

bool has_radices(std::int64_t n) {
  for (std::int64_t factor = 2; factor <= largest_prime; ++factor) {
    while (n % factor == 0) {
      n /= factor;
    }
  }
  return n == 1;
}

std::int64_t largest_prime_factor(std::int64_t n) {
  std::int64_t largest = 1;
  for (std::int64_t factor = 2; n > 1; ++factor) {
    while (n % factor == 0) {
      n /= factor;
      largest = factor;
    }
  }
  return largest;
}

bool has_shuffles(std::int64_t radix, std::int64_t rest, std::int64_t done, const FftMachine &machine) {
  return radix <= largest_radix && rest > 1 && done < machine.lanes && machine.lanes % done == 0;
}

bool is_better_convolved(std::int64_t n, std::int64_t columns, const FftMachine &machine) {
  if (!has_radices(n)) {
    return true;
  }
  if (largest_prime_factor(n) <= largest_radix) {
    return false;
  }
  const std::int64_t length = Convolution1d(n, machine.lanes).length();
  constexpr double around = 16;  // per number: products with the chirp, twice, and with the filter
  const std::int64_t vectors = std::max(length * columns / machine.lanes, std::int64_t{1});
  const double convolved = 2 * Planner(length, columns, machine).cost() + around * static_cast<double>(vectors);
  return convolved < Planner(n, columns, machine).cost();
}

std::int64_t first_factor(std::int64_t radix) {
  if (radix > 4 && radix % 4 == 0) {
    return 4;
  }
  std::int64_t factor = 2;
  while (radix % factor != 0) {
    ++factor;
  }
  return factor;
}

std::vector<std::int64_t> fft_radices(std::int64_t n, std::int64_t columns, const FftMachine &machine) {
  return n == 1 ? std::vector<std::int64_t>{1} : Planner(n, columns, machine).radices();
}

std::pair<std::int64_t, std::int64_t> near_square(std::int64_t n, std::int64_t multiple) {
  const auto closest = [&](std::int64_t step) {
    std::int64_t best = 0;
    for (std::int64_t factor = 1; factor <= n / factor; ++factor) {  // later factors are closer to the square root
      for (const std::int64_t second : {n / factor, factor}) {
        best = n % factor == 0 && second % step == 0 ? second : best;
      }
    }
    return best;
  };
  const std::int64_t even = closest(multiple), second = even != 0 && even < n / even * 8 ? even : closest(1);
  return {n / second, second};
}

Convolution1d::Convolution1d(std::int64_t n, std::int64_t multiple) : n_(n), length_(multiple) {
  // The smallest product of small primes; 11 and 13 would save little, and cost more per element.
  std::int64_t best = std::numeric_limits<std::int64_t>::max();
  for (std::int64_t sevens = multiple; sevens < best; sevens *= 7) {
    for (std::int64_t fives = sevens; fives < best; fives *= 5) {
      for (std::int64_t threes = fives; threes < best; threes *= 3) {
        std::int64_t product = threes;
        while (product < 2 * n - 1) {
          product *= 2;
        }
        best = std::min(best, product);
      }
    }
  }
  length_ = best;
}

Complex Convolution1d::chirp(std::int64_t j) const {
  return root_of_unity(j * j % (2 * n_), 2 * n_);
}

std::vector<Complex> Convolution1d::filter() const {
  std::vector<Complex> values(static_cast<std::size_t>(length_));
  for (std::int64_t j = 0; j < n_; ++j) {
    const Complex value = std::conj(chirp(j)) / static_cast<double>(length_);
    values[static_cast<std::size_t>(j)] = value;
    values[static_cast<std::size_t>((length_ - j) % length_)] = value;
  }
  return transform_now(values);
}

std::vector<Complex> transform_now(const std::vector<Complex> &x) {
  const auto n = static_cast<std::int64_t>(x.size());
  std::vector<Complex> result(x.size()), roots(x.size());
  for (std::int64_t k = 0; k < n; ++k) {
    roots[static_cast<std::size_t>(k)] = root_of_unity(k, n);
  }
  transform_part(x.data(), 1, result.data(), n, roots);
  return result;
}

}  // namespace bp::emit
