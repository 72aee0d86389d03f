/* Runs the net of digits once, prints its results, and the most memory that the process had (VmHWM, in KiB).
 * Usage: digits WEIGHTS IMAGE. Without NET, a program that does nothing else, to be compared with. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static int print_memory(void) {
  static char text[8192];
  const int file = open("/proc/self/status", O_RDONLY);
  const ssize_t size = file < 0 ? 0 : read(file, text, sizeof text - 1);
  const char *line = size <= 0 ? NULL : strstr(text, "VmHWM:");
  long kib = 0;
  if (line == NULL || sscanf(line, "VmHWM: %ld", &kib) != 1) {
    return 1;
  }
  printf("%ld\n", kib);
  return 0;
}

#ifdef NET
#include "digits.h"

static float image[28 * 28] __attribute__((aligned(DIGITS_ALIGNMENT)));
static float probabilities[10] __attribute__((aligned(DIGITS_ALIGNMENT)));
static char arena[DIGITS_ARENA_BYTES(1)] __attribute__((aligned(DIGITS_ALIGNMENT)));

static int run(const char *weights_file, const char *image_file) {
  const int weights = open(weights_file, O_RDONLY), pixels = open(image_file, O_RDONLY);
  struct stat about;
  if (weights < 0 || pixels < 0 || fstat(weights, &about) != 0 ||
      read(pixels, image, sizeof image) != (ssize_t)sizeof image) {
    return 2;
  }
  const size_t size = (size_t)about.st_size;
  const void *mapped = mmap(NULL, size, PROT_READ, MAP_PRIVATE, weights, 0);
  const digits_arguments arguments = {.image = image};
  const digits_results results = {.result = probabilities};
  if (mapped == MAP_FAILED || digits_check() != BACKPLANE_AOT_OK ||
      digits_run(&arguments, &results, mapped, size, arena, sizeof arena, NULL) != BACKPLANE_AOT_OK) {
    return 3;
  }
  for (int i = 0; i < 10; ++i) {
    printf("%.9g ", (double)probabilities[i]);
  }
  return 0;
}
#endif

int main(int count, char **words) {
#ifdef NET
  const int code = count == 3 ? run(words[1], words[2]) : 2;
  return code != 0 ? code : print_memory();
#else
  (void)count, (void)words;
  return print_memory();
#endif
}
