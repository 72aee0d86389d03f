/* Kernels by hand, to be compared with ours by bench_race --peer c:LIBRARY: plain loops, which compilers vectorize with
 *   -std=gnu11 -O3 -march=native -ffast-math -fopenmp-simd -shared -fPIC
 * Each computes rows of `columns` elements from first_row up to end_row. GCC takes expf and erff from glibc's libmvec.
 */
#include <math.h>
#include <stddef.h>
#ifdef __AVX512F__
#include <immintrin.h>
#endif

const char *const compiled_by = __VERSION__;

void softmax(const float *const *arguments, float *result, size_t first_row, size_t end_row, size_t columns) {
  for (size_t row = first_row; row < end_row; ++row) {
    const float *x = arguments[0] + row * columns;
    float *y = result + row * columns, largest = x[0], total = 0;
    for (size_t i = 0; i < columns; ++i) {
      largest = x[i] > largest ? x[i] : largest;
    }
    for (size_t i = 0; i < columns; ++i) {
      total += y[i] = expf(x[i] - largest);
    }
    const float factor = 1 / total;
    for (size_t i = 0; i < columns; ++i) {
      y[i] *= factor;
    }
  }
}

void layer_norm(const float *const *arguments, float *result, size_t first_row, size_t end_row, size_t columns) {
  const float *scale = arguments[1], *bias = arguments[2];
  for (size_t row = first_row; row < end_row; ++row) {
    const float *x = arguments[0] + row * columns;
    float *restrict y = result + row * columns, total = 0, squares = 0;
    for (size_t i = 0; i < columns; ++i) {
      total += x[i];
    }
    const float mean = total / (float)columns;
    for (size_t i = 0; i < columns; ++i) {
      squares += (x[i] - mean) * (x[i] - mean);
    }
    const float factor = 1 / sqrtf(squares / (float)columns + 1e-5f);
    for (size_t i = 0; i < columns; ++i) {
      y[i] = (x[i] - mean) * factor * scale[i] + bias[i];
    }
  }
}

void gelu(const float *const *arguments, float *result, size_t first_row, size_t end_row, size_t columns) {
  const float *x = arguments[0];
  for (size_t i = first_row * columns; i < end_row * columns; ++i) {
    result[i] = 0.5f * x[i] * (1 + erff(x[i] * 0.70710678f));
  }
}

/* The instruction of a chain of one, in three ways: the fastest is as fast as memory, for long arrays. */
void chain_stored(const float *const *arguments, float *result, size_t first_row, size_t end_row, size_t columns) {
  const float *x = arguments[0], *y = arguments[1];
  for (size_t i = first_row * columns; i < end_row * columns; ++i) {
    result[i] = x[i] + *y;
  }
}

/* Stores around the caches, which need not read the lines that are overwritten. */
void chain_streamed(const float *const *arguments, float *result, size_t first_row, size_t end_row, size_t columns) {
  const float *x = arguments[0], *y = arguments[1];
  size_t i = first_row * columns;
#ifdef __AVX512F__
  for (; i + 16 <= end_row * columns && (size_t)(result + i) % 64 == 0; i += 16) {
    _mm512_stream_ps(result + i, _mm512_add_ps(_mm512_loadu_ps(x + i), _mm512_set1_ps(*y)));
  }
#endif
  for (; i < end_row * columns; ++i) {
    result[i] = x[i] + *y;
  }
}

/* Overwrites what it reads: the result, which is the argument and one addition after the first call only. */
void chain_in_place(const float *const *arguments, float *result, size_t first_row, size_t end_row, size_t columns) {
  static int calls;
  const float *y = arguments[1], *x = calls++ == 0 ? arguments[0] : result, step = calls == 1 ? *y : 0;
  for (size_t i = first_row * columns; i < end_row * columns; ++i) {
    result[i] = x[i] + step;
  }
}
