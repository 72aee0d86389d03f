#include "core/packing/strategy.h"

#include <array>

namespace bp::packing {
namespace {

constexpr std::uint64_t rising_each = 8, rising_each_with_room = 2;

// Splitmix: the same everywhere, unlike the distributions of the standard library.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t operator()() {
    std::uint64_t x = state_ += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
  }
  template <std::size_t count>
  double pick(const std::array<double, count> &values) {
    return values[(*this)() % count];
  }

 private:
  std::uint64_t state_;
};

}  // namespace

Strategy nth_strategy(std::uint64_t n, bool has_room) {
  Strategy strategy;
  if (n % (has_room ? rising_each_with_room : rising_each) == (has_room ? 0 : rising_each - 1)) {
    strategy.place = Strategy::Place::Rising;
    strategy.size = 1;
  }
  if (n == 0) {
    return strategy;
  }
  // Measured: of random values in wider ranges, these solved the most.
  Random random(n);
  strategy.tightness = random.pick(std::array{0.3, 1.0, 2.0, 10.0, 30.0});
  strategy.prefers_late = random() % 2 == 1;
  strategy.length = random.pick(std::array{0.5, 1.0, 1.0, 1.0, 2.0});
  strategy.size = random.pick(std::array{0.0, 0.1, 0.5, 1.0});
  strategy.border = random.pick(std::array{0.2, 0.5, 1.0, 2.0});
  strategy.level = random.pick(std::array{0.5, 1.0, 2.0, 4.0});
  strategy.waste = random.pick(std::array{1.0, 2.0, 4.0, 8.0});
  strategy.noise = random.pick(std::array{0.0, 0.05, 0.3, 1.0});
  strategy.seed = random();
  return strategy;
}

}  // namespace bp::packing
