#include "core/packing/strategy.h"

#include <algorithm>
#include <cmath>

#include "core/packing/random.h"

namespace bp::packing {
namespace {

constexpr std::uint64_t rising_each = 8, rising_each_if_loose = 2;
constexpr std::size_t max_nudges = 32;
constexpr std::uint64_t nudged_of_each = 20;  // one item in this number is moved by each nudge

}  // namespace

Strategy nth_strategy(std::uint64_t n, bool is_loose) {
  Strategy strategy;
  if (n % (is_loose ? rising_each_if_loose : rising_each) == (is_loose ? 0 : rising_each - 1)) {
    strategy.method = Strategy::Method::Rising;
    strategy.size = 1;
  }
  if (n == 0) {
    return strategy;
  }
  // Measured: of random values in wider ranges, these solved the most problems.
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

Strategy changed(Strategy strategy, std::uint64_t seed) {
  Random random(seed);
  // Multiplies a value by a factor between 1/2 and 2; `least` is added before and subtracted after, so that zero can
  // grow.
  auto change = [&](double &value, double least) {
    if (random.uniform() < 0.3) {
      value = std::max(0.0, (value + least) * std::exp2(2 * random.uniform() - 1) - least);
    }
  };
  change(strategy.tightness, 0);
  change(strategy.length, 0);
  change(strategy.size, 0.05);
  change(strategy.border, 0);
  change(strategy.level, 0);
  change(strategy.waste, 0);
  change(strategy.noise, 0.02);
  strategy.prefers_late ^= random.uniform() < 0.05;
  if (random.uniform() < 0.5) {
    strategy.nudges.resize(std::min(strategy.nudges.size() + 1, max_nudges));
    std::swap(strategy.nudges.back(), strategy.nudges[random() % strategy.nudges.size()]);
    strategy.nudges.back() = random();
  }
  if (random.uniform() < 0.5) {
    strategy.seed = random();
  }
  return strategy;
}

double nudge_of(const Strategy &strategy, std::uint32_t item) {
  double sum = 0;
  for (std::uint64_t nudge : strategy.nudges) {
    Random random(nudge + item * 0xd1342543de82ef95u);
    if (random() % nudged_of_each == 0) {
      sum += 2 * random.uniform() - 1;
    }
  }
  return sum;
}

}  // namespace bp::packing
