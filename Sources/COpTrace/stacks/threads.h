// A look at every thread of the process: what each one does, and where. No signal, no tracing: the threads notice nothing.
#ifndef OPTRACE_THREADS_H
#define OPTRACE_THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { threads_deepest = 64, threads_most_stack = 64 * 1024 };

// How often a thread has been let run, and how long in nanoseconds: who has neither changed did not run meanwhile.
typedef struct {
  uint64_t times, time;     // `times` 0: not known.
} thread_run;

typedef struct {
  uint32_t id;              // The system's.
  char name[32];
  char state;               // As in /proc: R, S sleeping, D blocked in the kernel, T stopped, t traced, Z ended.
  bool is_running;          // It ran when it was looked at: busy, and not stuck. Then there is no call and no stack.
  bool has_moved;           // While it was looked at: there is no stack.
  thread_run run;           // Before anything else of it was read.
  uint64_t cpu;             // What it has used of the processor, in nanoseconds (some kernels count in steps of 10 ms); 0: not known.
  int32_t call;             // The system call that it sleeps in; -1: none.
  uint64_t arguments[6];
  uint64_t sp, pc;
  uint32_t depth;           // Addresses in `pcs`, as `stack_walk` gives them; 0: it moved meanwhile, or could not be read.
  uint32_t guessed;
  uint64_t pcs[threads_deepest];
} thread_seen;

typedef struct {
  uint32_t seen;            // Threads told of.
  uint32_t running;         // Of these.
  uint32_t moved;           // Went on while they were looked at: without a stack.
  uint32_t ended;           // Meanwhile.
  uint32_t refused;         // By the system: told with name and state alone, or not at all.
} threads_count;

typedef enum {
  threads_visited,
  threads_busy,             // Somebody looks already.
  threads_no_list,          // No /proc, or nothing of threads there.
} threads_status;

typedef struct {
  size_t stack_bytes;       // To copy of each; 0: 16 KB.
  size_t most_frames;       // 0: all that fit.
  uint32_t process;         // 0: this one. Else another, whose memory and modules count while `see` is called (see `peek_into`).
  uint32_t but;             // A thread to leave out, as the one that looks; 0: none.
} threads_options;

// Calls `see` for each thread, with what is valid until it returns. One at a time; buffers are static (for its own stack it needs
// some KB). About 20 us a thread. `count` may be null.
threads_status threads_visit(const threads_options *options, void (*see)(void *context, const thread_seen *thread),
                            void *context, threads_count *count);
// Whether a thread that was asleep has not run since. One that has ended, or of which nothing is told, is not still.
bool threads_is_still(uint32_t id, const thread_run *before);

#endif
