/* A pool of POSIX threads for programs that are compiled ahead of time. Compile backplane_pool.c with the application.
 *
 *   backplane_pool *pool = backplane_pool_create(4);
 *   backplane_aot_threads threads = {backplane_pool_run, pool, backplane_pool_count(pool)};
 *   model_run(&arguments, &results, arena, sizeof arena, &threads);
 *   backplane_pool_destroy(pool);
 */
#ifndef BACKPLANE_POOL_H
#define BACKPLANE_POOL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct backplane_pool backplane_pool;

/* Returns a pool of `count` threads, of which the one that calls run() is one; NULL if the system has no memory or
 * threads left. A count of 0 counts as 1. */
backplane_pool *backplane_pool_create(uint32_t count);
uint32_t backplane_pool_count(const backplane_pool *pool);
/* Ends the threads. Not during run(). */
void backplane_pool_destroy(backplane_pool *pool);
/* The function for backplane_aot_threads.run; `pool` is its context. Calls from several threads wait for each other. */
void backplane_pool_run(void *pool, void (*task)(void *data, uint32_t part, uint32_t thread), void *data,
                        uint32_t parts);

#ifdef __cplusplus
}
#endif

#endif /* BACKPLANE_POOL_H */
