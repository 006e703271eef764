// Visits every thread of a process, to see what it is doing and where. It sends no signals and does not trace, so the threads notice
// nothing.
#ifndef OPTRACE_THREADS_H
#define OPTRACE_THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { threads_deepest = 64, threads_most_stack = 64 * 1024 };

// How often a thread was scheduled, and for how many nanoseconds. If neither has changed, the thread has not run meanwhile.
typedef struct {
  uint64_t times, time;     // `times` 0: not known.
  uint64_t delay;           // How many nanoseconds it waited for a processor when it could have run.
} thread_run;

typedef struct {
  uint32_t id;              // The system's id.
  char name[32];
  char state;               // As in /proc: R, S sleeping, D blocked in the kernel, T stopped, t traced, Z ended.
  bool is_running;          // It was running when it was visited, so it is not stuck. It has no call and no stack.
  bool has_moved;           // It moved while it was visited: it has no stack.
  thread_run run;           // Read before all other fields.
  uint64_t cpu;             // Processor time in nanoseconds (some kernels count in steps of 10 ms); 0: not known.
  int32_t call;             // The system call that it sleeps in; -1: none.
  uint64_t arguments[6];
  uint64_t sp, pc;
  uint32_t depth;           // How many addresses are in `pcs`, as from `stack_walk`; 0: it has moved, or could not be read.
  uint32_t guessed;
  uint64_t pcs[threads_deepest];
} thread_seen;

typedef struct {
  uint32_t seen;            // Threads that were reported.
  uint32_t running;         // How many of these were running.
  uint32_t moved;           // How many moved while they were visited, and have no stack.
  uint32_t ended;           // Threads that ended meanwhile.
  uint32_t refused;         // Threads that the system does not let us read: reported with name and state only, or not at all.
} threads_count;

typedef enum {
  threads_visited,
  threads_busy,             // Another visit is going on.
  threads_no_list,          // No /proc, or no threads in it.
} threads_status;

typedef struct {
  size_t stack_bytes;       // How much of each stack to copy; 0: 16 KB.
  size_t most_frames;       // 0: all that fit.
  uint32_t process;         // 0: this process. Else while `see` runs, memory and modules are those of that process (see `peek_into`).
  uint32_t but;             // A thread to leave out, such as the caller; 0: none.
} threads_options;

// Calls `see` for each thread; the argument is valid until it returns. Only one visit at a time, because the buffers are static. The
// caller needs some KB of stack. Takes about 20 us per thread. `count` may be null.
//
// `threads_leave_out`: a thread of ours that no visit reports; 0: none.
void threads_leave_out(uint32_t id);
threads_status threads_visit(const threads_options *options, void (*see)(void *context, const thread_seen *thread),
                             void *context, threads_count *count);
// Calls `see` for each thread of this process, as they began, until it returns false. Takes about 5 us per thread.
threads_status threads_runs(bool (*see)(void *context, uint32_t id, const thread_run *run), void *context);
// Whether a thread that was asleep has not run since then. False if it has ended, or cannot be read.
bool threads_is_still(uint32_t id, const thread_run *before);

#endif
