// Says which digit a picture shows, on several threads, with weights that are mapped from a file.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>

#include "backplane_pool.h"
#include "weighted.h"

namespace {

constexpr unsigned char pixels[28 * 28] = {
#include "digit.inc"
};

struct alignas(WEIGHTED_ALIGNMENT) Memory {
  std::array<float, 28 * 28> image;
  alignas(WEIGHTED_ALIGNMENT) std::array<float, 10> probabilities;
  alignas(WEIGHTED_ALIGNMENT) std::array<unsigned char, WEIGHTED_ARENA_BYTES(2) + 1> arena;
};

}  // namespace

int main(int argument_count, char **arguments) {
  const int file = open(argument_count > 1 ? arguments[1] : "weighted.weights", O_RDONLY);
  struct stat about {};
  if (file < 0 || fstat(file, &about) != 0) {
    std::perror("the weights");
    return 1;
  }
  const auto size = static_cast<std::size_t>(about.st_size);
  const void *weights = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
  if (weights == MAP_FAILED) {
    std::perror("the weights");
    return 1;
  }
  const auto memory = std::make_unique<Memory>();
  std::transform(std::begin(pixels), std::end(pixels), memory->image.begin(),
                 [](unsigned char pixel) { return static_cast<float>(pixel) / 255.0f; });
  const std::unique_ptr<backplane_pool, decltype(&backplane_pool_destroy)> pool(backplane_pool_create(2),
                                                                                backplane_pool_destroy);
  if (pool == nullptr) {
    std::perror("threads");
    return 1;
  }
  const backplane_aot_threads threads{backplane_pool_run, pool.get(), backplane_pool_count(pool.get())};
  const weighted_arguments inputs{memory->image.data()};
  const weighted_results outputs{memory->probabilities.data()};
  const int status =
      weighted_run(&inputs, &outputs, weights, size, memory->arena.data(), memory->arena.size(), &threads);
  if (status != BACKPLANE_AOT_OK) {
    std::fprintf(stderr, "%s\n", backplane_aot_message(status));
    return 1;
  }
  const auto best = std::max_element(memory->probabilities.begin(), memory->probabilities.end());
  std::printf("the picture shows a %d, with probability %.4f\n", static_cast<int>(best - memory->probabilities.begin()),
              static_cast<double>(*best));
  return 0;
}
