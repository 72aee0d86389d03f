// Runs a program inside an emulator: it is linked with the objects of the program. The memory of the program is file
// descriptor 3, with the layout described in shared_memory.h.
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "backplane/ext/draft/aot.h"

void bp_program(const bp_loc_t *allocations, void *scratch, const bp_aot_caller_t *caller);

// Runs a task in parts, as several threads would, but one after the other.
static void share(const bp_aot_caller_t *caller, bp_aot_task task, void *const *pointers, void *scratch, int64_t begin,
                  int64_t end) {
  (void)caller;
  const int64_t items = end - begin;
  const int64_t parts = items < 3 ? items : 3;
  for (int64_t part = 0; part < parts; ++part) {
    task(pointers, scratch, begin + items * part / parts, begin + items * (part + 1) / parts);
  }
}

int main(void) {
  struct stat status;
  if (fstat(3, &status) != 0) {
    perror("the memory of the program");
    return 1;
  }
  char *memory = mmap(0, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, 3, 0);
  if (memory == MAP_FAILED) {
    perror("the memory of the program");
    return 1;
  }
  const uint64_t *header = (const uint64_t *)memory;
  bp_loc_t *allocations = (bp_loc_t *)(header + 2);
  for (uint64_t i = 0; i < header[0]; ++i) {
    allocations[i].offset += (uint64_t)memory;
  }
  const bp_aot_caller_t caller = {share, 0, 0};
  bp_program(allocations, memory + header[1], &caller);
  return 0;
}
