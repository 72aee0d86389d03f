// Random numbers that are the same on all platforms, unlike the distributions of the standard library: splitmix.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace bp::packing {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t operator()() {
    std::uint64_t x = state_ += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
  }
  double uniform() { return static_cast<double>((*this)() >> 11) * 0x1p-53; }  // in [0, 1)
  template <std::size_t count>
  double pick(const std::array<double, count> &values) {
    return values[(*this)() % count];
  }

 private:
  std::uint64_t state_;
};

}  // namespace bp::packing
