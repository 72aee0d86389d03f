// Which addresses of a device's memory are taken, for alloc() and release() of a device whose driver only gives it the
// memory as a whole. Only numbers are kept here: the memory itself is never touched. Link with -pthread.
//
//   bp_address_space_t dram;
//   bp_address_space_init(&dram, 4096, 1 << 26);            // 64 MiB, whose first byte has the address 4096
//   uint64_t address = bp_address_space_take(&dram, size, alignment);
//   bp_address_space_give_back(&dram, address);
//   bp_address_space_destroy(&dram);
#pragma once
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct bp_address_piece {
  struct bp_address_piece *next;  // the one with the next higher address
  uint64_t begin, end;
} bp_address_piece_t;

typedef struct bp_address_space {
  pthread_mutex_t mutex;
  uint64_t begin, end;
  bp_address_piece_t *pieces;  // those that are taken
} bp_address_space_t;

// `first` is the address of the first byte: not 0, because 0 stands for no address.
static inline void bp_address_space_init(bp_address_space_t *space, uint64_t first, uint64_t size) {
  pthread_mutex_init(&space->mutex, 0);
  space->begin = first;
  space->end = first + size;
  space->pieces = 0;
}

// Returns the lowest address, a multiple of `alignment` (a power of two), at which `size` bytes (> 0) are free, and
// takes them. Returns 0 if there is none, or if the host has no memory to note the piece. Threads: any.
static inline uint64_t bp_address_space_take(bp_address_space_t *space, uint64_t size, uint64_t alignment) {
  bp_address_piece_t *made = (bp_address_piece_t *)malloc(sizeof *made);
  if (made == 0) {
    return 0;
  }
  pthread_mutex_lock(&space->mutex);
  bp_address_piece_t **at = &space->pieces;
  uint64_t free_begin = space->begin, taken = 0;
  while (taken == 0) {
    const uint64_t begin = (free_begin + alignment - 1) & ~(alignment - 1);
    const uint64_t free_end = *at != 0 ? (*at)->begin : space->end;
    if (begin >= free_begin && begin <= free_end && size <= free_end - begin) {
      made->next = *at;
      made->begin = taken = begin;
      made->end = begin + size;
      *at = made;
    } else if (*at == 0) {
      break;
    } else {
      free_begin = (*at)->end;
      at = &(*at)->next;
    }
  }
  pthread_mutex_unlock(&space->mutex);
  if (taken == 0) {
    free(made);
  }
  return taken;
}

// Frees the piece that begins at an address that was taken; does nothing if there is no such piece. Threads: any.
static inline void bp_address_space_give_back(bp_address_space_t *space, uint64_t address) {
  pthread_mutex_lock(&space->mutex);
  for (bp_address_piece_t **at = &space->pieces; *at != 0; at = &(*at)->next) {
    if ((*at)->begin == address) {
      bp_address_piece_t *found = *at;
      *at = found->next;
      free(found);
      break;
    }
  }
  pthread_mutex_unlock(&space->mutex);
}

// Whether a piece begins at an address and has the bytes from `offset` to `offset` + `size`. Threads: any.
static inline int bp_address_space_has(bp_address_space_t *space, uint64_t address, uint64_t offset, uint64_t size) {
  int is_inside = 0;
  pthread_mutex_lock(&space->mutex);
  for (const bp_address_piece_t *at = space->pieces; at != 0; at = at->next) {
    if (at->begin == address) {
      is_inside = offset <= at->end - at->begin && size <= at->end - at->begin - offset;
    }
  }
  pthread_mutex_unlock(&space->mutex);
  return is_inside;
}

// Forgets all pieces.
static inline void bp_address_space_destroy(bp_address_space_t *space) {
  while (space->pieces != 0) {
    bp_address_piece_t *next = space->pieces->next;
    free(space->pieces);
    space->pieces = next;
  }
  pthread_mutex_destroy(&space->mutex);
}
