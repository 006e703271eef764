// A snapshot of all threads at one moment. The moment lies between two passes over the threads; the owners of locks are read there.
#ifndef OPTRACE_MOMENT_H
#define OPTRACE_MOMENT_H

#include "locks.h"
#include "threads.h"

typedef struct {
  uint32_t id;
  char name[32];
  char state;
  bool is_running;
  bool is_still;            // It slept from before the moment until after it, so everything here was true at that moment.
  uint64_t cpu;
  int32_t call;             // The system call; -1: none, or the thread has moved.
  sleep_reason reason;      // Empty if the thread has moved.
  uint32_t stack;           // The result of `stack_id`; 0 if the thread has moved.
} moment_thread;

typedef struct {
  uint32_t (*stack_id)(void *context, const thread_seen *seen);   // Called in the first pass; returns the number of the stack.
  void (*report)(void *context, const moment_thread *thread);     // Called after the second pass.
  void (*between)(void *context);                                // Null, except in tests.
  void *context;
} moment_calls;

// Calls `report` for each thread. If the system does not count how often a thread was scheduled (`/proc/.../schedstat`), no thread
// counts as still, and all are reported as seen in the first pass. `count` must not be null; its `moved` covers both passes. Needs 150
// bytes of memory per thread.
threads_status moment_take(const threads_options *options, const moment_calls *calls, threads_count *count);

// `moment_of` converts a visited thread, without a reason. `moment_explain` adds the reason, from memory as it is now. A running thread
// has none.
moment_thread moment_of(const thread_seen *seen);
void moment_explain(moment_thread *thread, const uint64_t arguments[6]);

#endif
