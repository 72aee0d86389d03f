/* Says which digit a picture shows. The network is in the program; no other library is needed. */
#include <stdio.h>

#include "digits.h"

static const unsigned char pixels[28 * 28] = {
#include "digit.inc"
};

/* All memory of a run has its size at compile time. */
static float image[28 * 28] __attribute__((aligned(DIGITS_ALIGNMENT)));
static float probabilities[10] __attribute__((aligned(DIGITS_ALIGNMENT)));
static unsigned char arena[DIGITS_ARENA_BYTES(1)] __attribute__((aligned(DIGITS_ALIGNMENT)));

int main(void) {
  digits_arguments arguments;
  digits_results outputs;
  int status, i, best = 0;
  arguments.image = image;
  outputs.result = probabilities;
  for (i = 0; i < 28 * 28; ++i) {
    image[i] = (float)pixels[i] / 255.0f;
  }
  status = digits_check();
  if (status == BACKPLANE_AOT_OK) {
    status = digits_run(&arguments, &outputs, arena, sizeof arena, NULL);
  }
  if (status != BACKPLANE_AOT_OK) {
    fprintf(stderr, "%s\n", backplane_aot_message(status));
    return 1;
  }
  for (i = 1; i < 10; ++i) {
    best = probabilities[i] > probabilities[best] ? i : best;
  }
  printf("the picture shows a %d, with probability %.4f\n", best, (double)probabilities[best]);
  return 0;
}
