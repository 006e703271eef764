// Whether the program has a filter of system calls (seccomp), which may kill it for a call that it does not expect. Programs allow what they
// use themselves: read, write, futex, mmap, openat and the like. Any other call of the recorder is optional, and left out then.
#ifndef OPTRACE_FILTER_H
#define OPTRACE_FILTER_H

#include <stdbool.h>

// True once the program has begun to install a filter. A filter that was there when the recorder began does not count: containers have one,
// and under it the recorder has begun. Costs one load. Between this answer and a system call a filter may come; see below.
bool system_is_filtered(void);

// Put these around a system call that a filter may forbid, and do without the call if `system_call_begins` is false. No filter comes in
// between. Each may be called in a signal handler. Do not nest them around anything that takes long, because the program waits.
bool system_call_begins(void);
void system_call_ends(void);

// For the hooks: the program is about to install a filter. Returns when no thread is between `begins` and `ends`, after ten seconds at the
// latest. `system_filter_failed`: it was not installed.
void system_filter_comes(void);
void system_filter_failed(void);

// Lets other threads run.
void system_yield(void);

// Looks in /proc whether there are more filters than when this was called first: hooks do not see each way to install one. Takes some
// 20 µs. Call it first before the program runs.
void system_filter_look(void);
// Whether there was a filter when `system_filter_look` was called first.
bool system_began_filtered(void);

#endif
