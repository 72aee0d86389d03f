#include "backplane_pool.h"

#include <pthread.h>
#include <stdlib.h>

typedef struct backplane_pool_worker {
  backplane_pool *pool;
  uint32_t number;
  pthread_t thread;
} backplane_pool_worker;

struct backplane_pool {
  pthread_mutex_t call;  /* held during a call of run() */
  pthread_mutex_t mutex; /* of all members below */
  pthread_cond_t begun, done;
  void (*task)(void *data, uint32_t part, uint32_t thread);
  void *data;
  uint32_t parts, next, unfinished; /* of the call: number, first that nobody does, those not done */
  int is_ending;
  uint32_t count, started; /* threads with the caller; those that were started */
  backplane_pool_worker workers[];
};

/* Does parts until none is left. The mutex is held before and after. */
static void work(backplane_pool *pool, uint32_t thread) {
  while (pool->next < pool->parts) {
    const uint32_t part = pool->next++;
    pthread_mutex_unlock(&pool->mutex);
    pool->task(pool->data, part, thread);
    pthread_mutex_lock(&pool->mutex);
    if (--pool->unfinished == 0) {
      pthread_cond_signal(&pool->done);
    }
  }
}

static void *worker_main(void *argument) {
  backplane_pool_worker *worker = argument;
  backplane_pool *pool = worker->pool;
  pthread_mutex_lock(&pool->mutex);
  while (!pool->is_ending) {
    work(pool, worker->number);
    if (!pool->is_ending) {
      pthread_cond_wait(&pool->begun, &pool->mutex);
    }
  }
  pthread_mutex_unlock(&pool->mutex);
  return NULL;
}

backplane_pool *backplane_pool_create(uint32_t count) {
  backplane_pool *pool;
  uint32_t i;
  count = count == 0 ? 1 : count;
  pool = calloc(1, sizeof *pool + (size_t)(count - 1) * sizeof pool->workers[0]);
  if (pool == NULL) {
    return NULL;
  }
  pool->count = count;
  pthread_mutex_init(&pool->call, NULL);
  pthread_mutex_init(&pool->mutex, NULL);
  pthread_cond_init(&pool->begun, NULL);
  pthread_cond_init(&pool->done, NULL);
  for (i = 0; i + 1 < count; ++i) {
    backplane_pool_worker *worker = &pool->workers[i];
    worker->pool = pool;
    worker->number = i + 1;
    if (pthread_create(&worker->thread, NULL, worker_main, worker) != 0) {
      backplane_pool_destroy(pool);
      return NULL;
    }
    ++pool->started;
  }
  return pool;
}

uint32_t backplane_pool_count(const backplane_pool *pool) {
  return pool->count;
}

void backplane_pool_destroy(backplane_pool *pool) {
  uint32_t i;
  if (pool == NULL) {
    return;
  }
  pthread_mutex_lock(&pool->mutex);
  pool->is_ending = 1;
  pthread_cond_broadcast(&pool->begun);
  pthread_mutex_unlock(&pool->mutex);
  for (i = 0; i < pool->started; ++i) {
    pthread_join(pool->workers[i].thread, NULL);
  }
  pthread_cond_destroy(&pool->done);
  pthread_cond_destroy(&pool->begun);
  pthread_mutex_destroy(&pool->mutex);
  pthread_mutex_destroy(&pool->call);
  free(pool);
}

void backplane_pool_run(void *context, void (*task)(void *data, uint32_t part, uint32_t thread), void *data,
                        uint32_t parts) {
  backplane_pool *pool = context;
  pthread_mutex_lock(&pool->call);
  pthread_mutex_lock(&pool->mutex);
  pool->task = task;
  pool->data = data;
  pool->next = 0;
  pool->parts = pool->unfinished = parts;
  pthread_cond_broadcast(&pool->begun);
  work(pool, 0);
  while (pool->unfinished != 0) {
    pthread_cond_wait(&pool->done, &pool->mutex);
  }
  pthread_mutex_unlock(&pool->mutex);
  pthread_mutex_unlock(&pool->call);
}
