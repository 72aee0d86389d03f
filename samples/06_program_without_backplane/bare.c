/* Says which digit a picture shows by its exit code: 10 more than the digit. Without a C library, and without a heap:
 * all memory is in the program. */
#include "small.h"

static const unsigned char pixels[28 * 28] = {
#include "digit.inc"
};

static float image[28 * 28] __attribute__((aligned(SMALL_ALIGNMENT)));
static float probabilities[10] __attribute__((aligned(SMALL_ALIGNMENT)));

static void leave(long code) {
#if defined(__x86_64__)
  __asm__ volatile("syscall" : : "a"(231L), "D"(code) : "rcx", "r11", "memory");
#elif defined(__aarch64__)
  register long x8 __asm__("x8") = 94;
  register long x0 __asm__("x0") = code;
  __asm__ volatile("svc 0" : : "r"(x8), "r"(x0) : "memory");
#else
#error "this sample knows how to end a program on x86-64 and aarch64 alone"
#endif
}

static int classify(void) {
  small_arguments arguments;
  small_results results;
  int i, best = 0;
  for (i = 0; i < 28 * 28; ++i) {
    image[i] = (float)pixels[i] / 255.0f;
  }
  arguments.image = image;
  results.result = probabilities;
  if (small_run(&arguments, &results, NULL) != BACKPLANE_AOT_OK) {
    return 1;
  }
  for (i = 1; i < 10; ++i) {
    best = probabilities[i] > probabilities[best] ? i : best;
  }
  return 10 + best;
}

/* The first function of a program: the system calls it with an aligned stack, without a return address. */
#if defined(__x86_64__)
__attribute__((force_align_arg_pointer))
#endif
void _start(void);
void _start(void) {
  leave(classify());
  for (;;) {
  }
}
