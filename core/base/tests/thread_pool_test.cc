#include "core/base/thread_pool.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <new>
#include <numeric>

namespace bp {
namespace {

TEST_CASE("a parallel loop visits each index once, with workers that do not collide") {
  for (const std::uint32_t size : {1u, 2u, 3u, 8u}) {
    ThreadPool pool(size);
    REQUIRE(pool.size() == size);
    for (const std::uint32_t count : {0u, 1u, 2u, 7u, 1000u}) {
      std::vector<int> visits(count);
      std::vector<std::atomic<int>> active(size);
      std::atomic<bool> collided = false;
      pool.parallel(count, [&](std::uint32_t index, std::uint32_t worker) {
        if (worker >= size || active[worker].fetch_add(1) != 0) {
          collided = true;
        }
        ++visits[index];
        active[worker].fetch_sub(1);
      });
      CHECK_FALSE(collided);
      CHECK(std::count(visits.begin(), visits.end(), 1) == count);
    }
  }
}

TEST_CASE("loops follow each other without losing or mixing work") {
  ThreadPool pool(4);
  std::vector<std::uint64_t> sums(4);
  for (std::uint32_t round = 1; round <= 20000; ++round) {
    const std::uint32_t count = round % 9;
    pool.parallel(count, [&](std::uint32_t index, std::uint32_t worker) { sums[worker] += round + index; });
  }
  std::uint64_t expected = 0;
  for (std::uint32_t round = 1; round <= 20000; ++round) {
    for (std::uint32_t index = 0; index < round % 9; ++index) {
      expected += round + index;
    }
  }
  CHECK(std::accumulate(sums.begin(), sums.end(), std::uint64_t{0}) == expected);
}

TEST_CASE("a loop does not wait for a slow thread to do what others can do") {
  ThreadPool pool(2);
  constexpr std::uint32_t count = 8;
  for (int round = 0; round < 20; ++round) {
    std::atomic<std::uint32_t> done = 0;
    std::atomic<bool> is_held_up = false;
    pool.parallel(count, [&](std::uint32_t, std::uint32_t worker) {
      // The other thread is as slow as it can be: its first index takes until all others are done.
      const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
      while (worker == 1 && done + 1 < count && !is_held_up) {
        is_held_up = std::chrono::steady_clock::now() > deadline;
        std::this_thread::yield();
      }
      ++done;
    });
    CHECK(done == count);
    REQUIRE_FALSE(is_held_up);
  }
}

TEST_CASE("loops may nest and may come from several threads") {
  ThreadPool pool(3);
  std::atomic<int> total = 0;
  const auto nested = [&] {
    pool.parallel(
        5, [&](std::uint32_t, std::uint32_t) { pool.parallel(7, [&](std::uint32_t, std::uint32_t) { ++total; }); });
  };
  std::thread other([&] {
    for (int i = 0; i < 200; ++i) {
      nested();
    }
  });
  for (int i = 0; i < 200; ++i) {
    nested();
  }
  other.join();
  CHECK(total == 2 * 200 * 5 * 7);
}

TEST_CASE("an exception of a body leaves the loop, and the pool goes on working") {
  for (const std::uint32_t size : {1u, 4u}) {
    ThreadPool pool(size);
    for (const std::uint32_t bad : {0u, 3u, 99u}) {
      std::atomic<int> done = 0;
      CHECK_THROWS_AS(pool.parallel(100,
                                    [&](std::uint32_t index, std::uint32_t) {
                                      if (index == bad) {
                                        throw std::bad_alloc();
                                      }
                                      ++done;
                                    }),
                      std::bad_alloc);
      CHECK(done < 100);
      done = 0;
      pool.parallel(100, [&](std::uint32_t, std::uint32_t) { ++done; });
      CHECK(done == 100);
    }
  }
}

TEST_CASE("a pool may be destroyed without having run anything") {
  ThreadPool unused(4);
  ThreadPool once(4);
  once.parallel(2, [](std::uint32_t, std::uint32_t) {});
}

}  // namespace
}  // namespace bp
