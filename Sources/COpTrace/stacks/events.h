// What an epoll set waits for.
#ifndef OPTRACE_EVENTS_H
#define OPTRACE_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

// Whether only the process itself can wake a thread that waits in this call for descriptors: there is no timeout, and they are only
// counters (eventfd) and timers that are not set. False also if that is not known. Takes some system calls.
bool events_are_own(int32_t call, const uint64_t arguments[6]);

// What a thread waits for in a call that reads, writes, accepts or waits for descriptors: `optrace_event_source_…` bits of
// COpTraceFormat.h; 0: not known. Takes some system calls for each descriptor, and examines at most 64 of them.
uint64_t events_sources(int32_t call, const uint64_t arguments[6]);

// The only descriptor of a call that reads, writes, accepts or locks, of any process. False: it is another call.
bool events_file_of(int32_t call, const uint64_t arguments[6], uint32_t *file, bool *writes);

// Calls `visit` for each descriptor that may end the call, at most 64, with what the thread wants to do there. Of epoll sets, also of those
// that are polled in turn, the members count. Returns how many there are: more than 64 if some were left out or could not be read.
int events_visit(int32_t call, const uint64_t arguments[6], void (*visit)(void *context, uint32_t file, bool reads, bool writes), void *context);

// Whether only this process can cause an event of this descriptor: an eventfd that no program inherits, or a timer that is not set.
bool events_only_from_here(uint32_t file);

// Whether a call that waits for descriptors has no time limit. True for all other calls.
bool events_are_endless(int32_t call, const uint64_t arguments[6]);

// libdispatch has a timer of its own, with which it checks its threads once a second. After `events_watch_timers` each new timer is
// reported with `events_timer_made`. As long as none was reported, a timer that is set is libdispatch's own. If a timer exists already
// when watching begins, it counts as one of the program's.
void events_watch_timers(void);
void events_timer_made(void);
// The same for a timer that Foundation's run loop has made to end its own wait.
void events_loop_timer_made(void);

#endif
