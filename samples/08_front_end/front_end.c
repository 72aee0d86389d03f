// A front end in a library: reads programs of Lines, a toy language, and writes them as StableHLO.
//
//   LINES ?             all values are vectors of floats, of this size; '?': the user gives it
//   x = input
//   y = input
//   z = add x y         also: subtract, multiply, maximum
//   return z
#include <stdlib.h>
#include <string.h>

#include "backplane/c/front_end_frame.h"

enum { max_lines = 1000, max_words = 5, max_word = 31 };

typedef struct line {
  uint64_t offset;  // in the source
  int count;        // words
  char words[max_words][max_word + 1];
} line_t;

typedef struct reader {  // of one source
  const bp_source_diag_t *diag;
  const bp_ostream_t *program;
  line_t *lines;  // the first one has the size
  uint64_t count;
} reader_t;

static const char header[] = "LINES ";
static const char *const operations[] = {"input", "add", "subtract", "multiply", "maximum"};

static bp_status fail(const reader_t *reader, uint64_t offset, const char *message) {
  reader->diag->report(reader->diag, BP_INVALID, offset, message);
  return BP_INVALID;
}

// Splits the line that begins at `at` into words, and returns where the next one begins. A line that is too long gets
// more words than any line has.
static uint64_t split(const bp_source_t *source, uint64_t at, line_t *line) {
  const char *bytes = source->bytes;
  int length = 0;
  for (line->offset = at; at < source->size && bytes[at] != '\n'; ++at) {
    if (bytes[at] == ' ') {
      length = 0;
    } else if (bytes[at] == '\0' || line->count > max_words || (length == 0 && ++line->count > max_words) ||
               length == max_word) {
      line->count = max_words + 1;
    } else {
      line->words[line->count - 1][length++] = bytes[at];
    }
  }
  return at + 1;
}

// Whether a line above `end` defines the name.
static int is_defined(const reader_t *reader, uint64_t end, const char *name) {
  uint64_t i = 1;
  while (i < end && strcmp(reader->lines[i].words[0], name) != 0) {
    ++i;
  }
  return i < end;
}

// Returns what is wrong with the line at `index`; null if nothing is.
static const char *check(const reader_t *reader, uint64_t index) {
  const line_t *line = &reader->lines[index];
  const char *name = line->words[0], *operation = line->words[2];
  if (index == 0) {
    const size_t digits = strspn(line->words[1], "0123456789");
    const int is_size = (strcmp(line->words[1], "?") == 0) != (digits != 0 && digits < 10 && !line->words[1][digits]);
    return line->count == 2 && is_size ? 0 : "this is no size, expected `LINES 8` or `LINES ?`";
  }
  if (index + 1 == reader->count) {
    const int is_return = line->count == 2 && strcmp(name, "return") == 0;
    return is_return && is_defined(reader, index, line->words[1]) ? 0 : "this is not `return NAME`, of a line above";
  }
  if (line->count < 3 || line->count > max_words || strcmp(line->words[1], "=") != 0 ||
      strspn(name, "abcdefghijklmnopqrstuvwxyz_") != strlen(name)) {
    return "this is no line of Lines, expected `x = input` or `z = add x y`";
  }
  if (is_defined(reader, index, name)) {
    return "the name is taken, expected another";
  }
  int is_known = 0;
  for (size_t i = 0; i < sizeof operations / sizeof *operations; ++i) {
    is_known |= line->count == (i == 0 ? 3 : 5) && strcmp(operation, operations[i]) == 0;
  }
  if (!is_known) {
    return "there is no such operation, expected input, or add, subtract, multiply or maximum with two operands";
  }
  const int are_defined = is_defined(reader, index, line->words[3]) && is_defined(reader, index, line->words[4]);
  return line->count == 3 || are_defined ? 0 : "an operand is not defined, expected the name of a line above";
}

// Writes the program, whose lines were checked.
static bp_status write_function(const reader_t *reader) {
  const char *size = reader->lines[0].words[1], *separator = "";
  bp_status status = bp_write_text(reader->program, "func.func @main(");
  for (uint64_t i = 1; i + 1 < reader->count && status == BP_OK; ++i) {
    if (reader->lines[i].count == 3) {
      status = bp_write_text(reader->program, "%s%%%s: tensor<%sxf32>", separator, reader->lines[i].words[0], size);
      separator = ", ";
    }
  }
  status = status == BP_OK ? bp_write_text(reader->program, ") -> tensor<%sxf32> {\n", size) : status;
  for (uint64_t i = 1; i + 1 < reader->count && status == BP_OK; ++i) {
    const line_t *line = &reader->lines[i];
    status = line->count == 3 ? BP_OK
                              : bp_write_text(reader->program, "%%%s = stablehlo.%s %%%s, %%%s : tensor<%sxf32>\n",
                                              line->words[0], line->words[2], line->words[3], line->words[4], size);
  }
  const char *result = reader->lines[reader->count - 1].words[1];
  return status == BP_OK ? bp_write_text(reader->program, "return %%%s : tensor<%sxf32>\n}\n", result, size) : status;
}

static int32_t recognizes(const bp_front_end_t *front_end, const bp_source_t *source) {
  (void)front_end;
  return source->size >= sizeof header - 1 && memcmp(source->bytes, header, sizeof header - 1) == 0;
}

static bp_status read_program(const bp_front_end_t *front_end, const bp_source_t *source, const bp_ostream_t *program,
                              const bp_source_diag_t *diag) {
  reader_t reader = {diag, program, calloc(max_lines, sizeof(line_t)), 0};
  if (reader.lines == 0) {
    diag->report(diag, BP_NO_MEMORY, BP_NO_OFFSET, "there is no memory for the lines of the program");
    return BP_NO_MEMORY;
  }
  if (!recognizes(front_end, source)) {
    free(reader.lines);
    return fail(&reader, 0, "this does not begin with `LINES`");
  }
  uint64_t at = 0, index = 0;
  while (at < source->size && reader.count < max_lines) {
    at = split(source, at, &reader.lines[reader.count++]);
  }
  const char *problem = reader.count < 2    ? "the program has no line after this one"
                        : at < source->size ? "the program has more than 1000 lines"
                                            : 0;
  for (; index < reader.count && problem == 0; ++index) {
    problem = check(&reader, index);
  }
  const bp_status status =
      problem == 0 ? write_function(&reader) : fail(&reader, index == 0 ? 0 : reader.lines[index - 1].offset, problem);
  free(reader.lines);
  return status;
}

BP_FRONT_END_FRAME("lines", "a program of Lines", ".lines", "LINES ", "Backplane", "1.0.0",
                   "LINES 4\nx = input\ny = input\nz = add x y\nw = maximum z x\nreturn w\n", recognizes, read_program)
