// Lesson 3: an application in C. It needs the library libbackplane.so and one header, and finds a backend by name.
#include <stdio.h>
#include <stdlib.h>

#include "backplane/runtime.h"

enum { MOST_ARRAYS = 16 };

// Prints an error. Its text says what was found, what was expected, and where.
static void report(const bp_diag_t *diag, bp_status status, uint32_t instr, const char *message) {
  (void)diag, (void)status, (void)instr;
  fprintf(stderr, "%s\n", message);
}

static void describe(const char *what, const backplane_array_t *array) {
  printf("%s %s: type %d, sizes", what, array->name, array->dtype);
  for (uint32_t d = 0; d < array->rank; ++d) {
    printf(" %lld", (long long)array->dims[d]);
  }
  printf("\n");
}

// Fills the inputs with 0, 1, 2, ..., runs, and prints the outputs. All are f32 here.
static bp_status run(const backplane_executable_t *executable, const bp_diag_t *errors) {
  const uint32_t input_count = backplane_input_count(executable), output_count = backplane_output_count(executable);
  float *inputs[MOST_ARRAYS] = {0}, *outputs[MOST_ARRAYS] = {0};
  if (input_count > MOST_ARRAYS || output_count > MOST_ARRAYS) {
    errors->report(errors, BP_INVALID, BP_NONE, "this lesson is for few inputs and outputs");
    return BP_INVALID;
  }
  for (uint32_t i = 0; i < input_count; ++i) {
    const backplane_array_t *input = backplane_input(executable, i);
    describe("input", input);
    inputs[i] = malloc(input->size);
    for (uint64_t n = 0; n < input->size / sizeof(float); ++n) {
      inputs[i][n] = (float)n;
    }
  }
  for (uint32_t i = 0; i < output_count; ++i) {
    outputs[i] = malloc(backplane_output(executable, i)->size);
  }

  const bp_status status = backplane_run(executable, (const void *const *)inputs, (void *const *)outputs, errors);

  for (uint32_t i = 0; i < output_count; ++i) {
    const backplane_array_t *output = backplane_output(executable, i);
    describe("output", output);
    for (uint64_t n = 0; status == BP_OK && n < output->size / sizeof(float); ++n) {
      printf("%g ", outputs[i][n]);
    }
    printf("\n");
    free(outputs[i]);
  }
  for (uint32_t i = 0; i < input_count; ++i) {
    free(inputs[i]);
  }
  return status;
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "Usage: application BACKEND PROGRAM.hlo\n");
    return 2;
  }
  const bp_diag_t errors = {NULL, report};
  backplane_backend_t *backend = NULL;
  backplane_executable_t *executable = NULL;
  bp_status status = backplane_load(argv[1], NULL, 0, &errors, &backend);
  if (status == BP_OK) {
    status = backplane_compile_file(backend, argv[2], NULL, 0, &errors, &executable);
  }
  if (status == BP_OK) {
    status = run(executable, &errors);
  }
  backplane_release_executable(executable);
  backplane_release_backend(backend);
  return status == BP_OK ? 0 : 1;
}
