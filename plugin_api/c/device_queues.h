// The queues of a device (bp.queue/1 and bp.native-sync/1), for devices whose commands are done when the function that
// starts them returns. Each queue has a thread, made when it is first used, which starts its submissions in order; a
// submission first waits for its points. Link with -pthread. For C++ there is plugin_api/cpp/queue.h.
//
//   static const uint32_t kinds[] = {1u << BP_COMMAND_COPY | 1u << BP_COMMAND_FILL, 1u << BP_COMMAND_RUN};
//   static bp_status start(const bp_device_t *device, const bp_command_t *command, const bp_diag_t *diag);
//
//   bp_queues_t *queues = bp_queues_create(host, device, kinds, 2, start);  // in create() of the device
//   bp_queues_submit(queues, queue, commands, count, done, diag);           // in submit()
//   bp_queues_wait(queues, queue, point);                                   // in wait()
//   bp_queues_destroy(queues);                                              // in destroy() of the device
#pragma once
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "backplane/ext/queue.h"

// Runs a command, and returns when it is done. A failure is reported to `diag`; the first report is the message that
// the points of the submission are signalled with.
typedef bp_status (*bp_start_command)(const bp_device_t *device, const bp_command_t *command, const bp_diag_t *diag);

enum { BP_QUEUE_MAX_FAILURES = 256, BP_QUEUE_MAX_MESSAGE = 192 };

// How a submission ended.
typedef struct bp_queue_outcome {
  bp_point_t point;  // the one that it signals
  bp_status status;
  uint32_t instr;
  char message[BP_QUEUE_MAX_MESSAGE];
} bp_queue_outcome_t;

typedef struct bp_submission {
  struct bp_submission *next;
  bp_point_t done;
  bp_point_t *waits_for;
  uint32_t wait_count, command_count;
  bp_command_t commands[];
} bp_submission_t;

struct bp_queues;

typedef struct bp_one_queue {
  struct bp_queues *queues;
  pthread_t thread;
  int has_thread;
  uint32_t kinds;                  // bit k is set if it takes commands of kind k
  bp_submission_t *first, **last;  // the first one is running or waits; *last: where the next one is added
  bp_point_t *next_waits_for;      // of the next submission
  uint32_t next_wait_count;
} bp_one_queue_t;

typedef struct bp_queues {
  const bp_host_t *host;
  const bp_device_t *device;
  bp_start_command start;
  pthread_mutex_t mutex;   // of everything below
  pthread_cond_t changed;  // a submission came or ended, or the queues are closing
  int is_closing;
  uint32_t failure_count;  // failures so far; the last BP_QUEUE_MAX_FAILURES are kept
  bp_queue_outcome_t failures[BP_QUEUE_MAX_FAILURES];
  uint32_t queue_count;
  bp_one_queue_t queues[];
} bp_queues_t;

static inline int bp_queues_is_same_point(bp_point_t a, bp_point_t b) {
  return a.timeline == b.timeline && a.value == b.value;
}

// Whether a submission that signals the point has not ended. Call it with the mutex locked.
static inline int bp_queues_is_in_flight(const bp_queues_t *queues, bp_point_t point) {
  for (uint32_t q = 0; q < queues->queue_count; ++q) {
    for (const bp_submission_t *at = queues->queues[q].first; at != 0; at = at->next) {
      if (bp_queues_is_same_point(at->done, point)) {
        return 1;
      }
    }
  }
  return 0;
}

// Blocks until the point is reached, and notes its failure if there was one (BP-WAIT-01). Call it with the mutex
// locked.
static inline void bp_queues_wait_for_end(bp_queues_t *queues, bp_point_t point, bp_queue_outcome_t *outcome) {
  while (bp_queues_is_in_flight(queues, point)) {
    pthread_cond_wait(&queues->changed, &queues->mutex);
  }
  for (uint32_t i = 0; i < queues->failure_count && i < BP_QUEUE_MAX_FAILURES; ++i) {
    if (outcome->status == BP_OK && bp_queues_is_same_point(queues->failures[i].point, point)) {
      const bp_point_t own_point = outcome->point;
      *outcome = queues->failures[i];
      outcome->point = own_point;
    }
  }
}

// bp_diag.report() of the commands: keeps the first report.
static inline void bp_queues_report(const bp_diag_t *diag, bp_status status, uint32_t instr, const char *message) {
  bp_queue_outcome_t *outcome = diag->ctx;
  (void)status;
  if (outcome->message[0] == '\0') {
    size_t size = strlen(message);
    if (size >= BP_QUEUE_MAX_MESSAGE) {
      for (size = BP_QUEUE_MAX_MESSAGE - 1; ((unsigned char)message[size] & 0xc0) == 0x80; --size) {
      }  // ends before a whole character of UTF-8
    }
    outcome->instr = instr;
    memcpy(outcome->message, message, size);
    outcome->message[size] = '\0';
  }
}

static inline void bp_queues_start_commands(const bp_queues_t *queues, const bp_submission_t *submission,
                                            bp_queue_outcome_t *outcome) {
  const bp_diag_t diag = {outcome, bp_queues_report};
  for (uint32_t i = 0; i < submission->command_count && outcome->status == BP_OK; ++i) {
    outcome->message[0] = '\0';
    outcome->instr = BP_NONE;
    const bp_status status = queues->start(queues->device, &submission->commands[i], &diag);
    // After the first command, memory was written: BP_NO_MEMORY would say that none was (BP-STATUS-02).
    outcome->status = status == BP_NO_MEMORY && i > 0 ? BP_INTERNAL : status;
  }
}

// The thread of a queue.
static inline void *bp_queues_run(void *context) {
  bp_one_queue_t *self = context;
  bp_queues_t *queues = self->queues;
  pthread_mutex_lock(&queues->mutex);
  for (;;) {
    while (self->first == 0 && !queues->is_closing) {
      pthread_cond_wait(&queues->changed, &queues->mutex);
    }
    bp_submission_t *submission = self->first;
    if (submission == 0) {
      break;
    }
    bp_queue_outcome_t outcome = {submission->done, BP_OK, BP_NONE, ""};
    for (uint32_t i = 0; i < submission->wait_count; ++i) {
      bp_queues_wait_for_end(queues, submission->waits_for[i], &outcome);
    }
    pthread_mutex_unlock(&queues->mutex);
    bp_queues_start_commands(queues, submission, &outcome);
    pthread_mutex_lock(&queues->mutex);
    if (outcome.status != BP_OK) {
      queues->failures[queues->failure_count++ % BP_QUEUE_MAX_FAILURES] = outcome;
    }
    self->first = submission->next;
    if (self->first == 0) {
      self->last = &self->first;
    }
    queues->host->signal(queues->host, submission->done, outcome.status, outcome.instr,
                         outcome.message[0] != '\0' ? outcome.message : 0);
    pthread_cond_broadcast(&queues->changed);
    free(submission->waits_for);
    free(submission);
  }
  pthread_mutex_unlock(&queues->mutex);
  return 0;
}

// Returns null if the host has no memory. `kinds` has a number for each queue: bit k is set if it takes commands of
// kind k. The device need not be initialized yet.
static inline bp_queues_t *bp_queues_create(const bp_host_t *host, const bp_device_t *device, const uint32_t *kinds,
                                            uint32_t queue_count, bp_start_command start) {
  bp_queues_t *queues = calloc(1, sizeof *queues + queue_count * sizeof queues->queues[0]);
  if (queues == 0) {
    return 0;
  }
  queues->host = host;
  queues->device = device;
  queues->start = start;
  queues->queue_count = queue_count;
  pthread_mutex_init(&queues->mutex, 0);
  pthread_cond_init(&queues->changed, 0);
  for (uint32_t q = 0; q < queue_count; ++q) {
    queues->queues[q].queues = queues;
    queues->queues[q].kinds = kinds[q];
    queues->queues[q].last = &queues->queues[q].first;
  }
  return queues;
}

// Ends the threads and frees everything; null does nothing. Nothing is in flight (BP-DEVICE-02).
static inline void bp_queues_destroy(bp_queues_t *queues) {
  if (queues == 0) {
    return;
  }
  pthread_mutex_lock(&queues->mutex);
  queues->is_closing = 1;
  pthread_cond_broadcast(&queues->changed);
  pthread_mutex_unlock(&queues->mutex);
  for (uint32_t q = 0; q < queues->queue_count; ++q) {
    if (queues->queues[q].has_thread) {
      pthread_join(queues->queues[q].thread, 0);
    }
    free(queues->queues[q].next_waits_for);
  }
  pthread_cond_destroy(&queues->changed);
  pthread_mutex_destroy(&queues->mutex);
  free(queues);
}

static inline bp_status bp_queues_refuse(const bp_diag_t *diag, bp_status status, const char *why) {
  diag->report(diag, status, BP_NONE, why);
  return status;
}

// Returns the queue with that number, or null after a report.
static inline bp_one_queue_t *bp_queues_find(bp_queues_t *queues, uint32_t queue, const bp_diag_t *diag) {
  if (queue >= queues->queue_count) {
    bp_queues_refuse(diag, BP_INVALID, "there is no queue with this number, see bp_device_queue.queue_count");
    return 0;
  }
  return &queues->queues[queue];
}

// bp_device_queue.submit(). Threads: one at a time for each queue.
static inline bp_status bp_queues_submit(bp_queues_t *queues, uint32_t queue, const bp_command_t *commands,
                                         uint32_t count, bp_point_t done, const bp_diag_t *diag) {
  bp_one_queue_t *self = bp_queues_find(queues, queue, diag);
  if (self == 0) {
    return BP_INVALID;
  }
  for (uint32_t i = 0; i < count; ++i) {
    if (commands[i].kind >= 32 || (self->kinds >> commands[i].kind & 1) == 0) {
      return bp_queues_refuse(diag, BP_INVALID,
                              "this queue does not take commands of this kind, see "
                              "bp_device_queue.queues");
    }
  }
  bp_submission_t *made = malloc(sizeof *made + count * sizeof commands[0]);
  if (made == 0) {
    return bp_queues_refuse(diag, BP_NO_MEMORY, "out of host memory");
  }
  made->next = 0;
  made->done = done;
  made->command_count = count;
  if (count > 0) {
    memcpy(made->commands, commands, count * sizeof commands[0]);
  }
  pthread_mutex_lock(&queues->mutex);
  if (!self->has_thread) {
    self->has_thread = pthread_create(&self->thread, 0, bp_queues_run, self) == 0;
  }
  if (!self->has_thread) {
    pthread_mutex_unlock(&queues->mutex);
    free(made);
    return bp_queues_refuse(diag, BP_NO_MEMORY, "the system does not give the queue a thread");
  }
  made->waits_for = self->next_waits_for;
  made->wait_count = self->next_wait_count;
  self->next_waits_for = 0;
  self->next_wait_count = 0;
  *self->last = made;
  self->last = &made->next;
  pthread_cond_broadcast(&queues->changed);
  pthread_mutex_unlock(&queues->mutex);
  return BP_OK;
}

// bp_device_native_sync.wait(). Threads: one at a time for each queue.
static inline bp_status bp_queues_wait(bp_queues_t *queues, uint32_t queue, bp_point_t point, const bp_diag_t *diag) {
  bp_one_queue_t *self = bp_queues_find(queues, queue, diag);
  if (self == 0) {
    return BP_INVALID;
  }
  bp_point_t *points = realloc(self->next_waits_for, (self->next_wait_count + 1) * sizeof(bp_point_t));
  if (points == 0) {
    return bp_queues_refuse(diag, BP_NO_MEMORY, "out of host memory");
  }
  points[self->next_wait_count++] = point;
  self->next_waits_for = points;
  return BP_OK;
}
