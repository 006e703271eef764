// What all threads did at one moment: that between two passes over them, in which the owners of locks are read.
#ifndef OPTRACE_MOMENT_H
#define OPTRACE_MOMENT_H

#include "locks.h"
#include "threads.h"

typedef struct {
  uint32_t id;
  char name[32];
  char state;
  bool is_running;
  bool is_still;            // Asleep, and did not run from before the moment until after it: what is thread was so at the moment.
  uint64_t cpu;
  int32_t call;             // -1: none, or it has moved.
  sleep_reason reason;      // Nothing of one that has moved.
  uint32_t stack;           // As `place` said; 0 of one that has moved.
} moment_thread;

typedef struct {
  uint32_t (*stack_id)(void *context, const thread_seen *seen);    // In the first pass: what its stack is called later.
  void (*report)(void *context, const moment_thread *thread);     // Behind the second.
  void (*between)(void *context);                               // Null, but in tests.
  void *context;
} moment_calls;

// Calls `tell` for each thread. Where the system does not tell how often a thread ran (`/proc/.../schedstat`), none is still, and
// all are thread as they were seen. `count` must not be null; its `moved` has those of both passes. Takes memory: 150 bytes a thread.
threads_status moment_take(const threads_options *options, const moment_calls *calls, threads_count *count);

// What was seen of one thread, without a reason; and the reason, as memory has it now. That of one that runs is not known.
moment_thread moment_of(const thread_seen *seen);
void moment_explain(moment_thread *thread, const uint64_t arguments[6]);

#endif
