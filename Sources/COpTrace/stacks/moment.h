// A snapshot of all threads at one moment: between two passes over them, in which the owners of locks are read.
#ifndef OPTRACE_MOMENT_H
#define OPTRACE_MOMENT_H

#include "locks.h"
#include "threads.h"

typedef struct {
  uint32_t id;
  char name[32];
  char state;
  bool is_running;
  bool is_still;            // Asleep from before the moment until after it, so that everything here was true at that moment.
  uint64_t cpu;
  int32_t call;             // -1: none, or it has moved.
  sleep_reason reason;      // Empty for a thread that has moved.
  uint32_t stack;           // From `stack_id`; 0 for a thread that has moved.
} moment_thread;

typedef struct {
  uint32_t (*stack_id)(void *context, const thread_seen *seen);   // In the first pass: the number of its stack.
  void (*report)(void *context, const moment_thread *thread);     // After the second pass.
  void (*between)(void *context);                                // Null, except in tests.
  void *context;
} moment_calls;

// Calls `report` for each thread. If the system does not count how often a thread ran (`/proc/.../schedstat`), no thread is
// still, and all are reported as in the first pass. `count` must not be null; its `moved` counts both passes. Takes 150 bytes of
// memory per thread.
threads_status moment_take(const threads_options *options, const moment_calls *calls, threads_count *count);

// A thread as visited, without a reason; and adds the reason, from memory as it is now. A running thread has none.
moment_thread moment_of(const thread_seen *seen);
void moment_explain(moment_thread *thread, const uint64_t arguments[6]);

#endif
