// What an epoll set waits for.
#ifndef OPTRACE_EVENTS_H
#define OPTRACE_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

// Whether only the process itself can wake a thread that waits in this call: there is no timeout, and the epoll set contains only
// counters (eventfd) and timers that are not set. False also if that is not known. Takes some system calls.
bool events_are_own(int32_t call, const uint64_t arguments[6]);

// What a thread waits for in a call that reads, writes, accepts or waits for descriptors: `optrace_event_source_…` bits of
// COpTraceFormat.h; 0: not known. Takes some system calls for each descriptor, and examines at most 64 of them.
uint64_t events_sources(int32_t call, const uint64_t arguments[6]);

// libdispatch has a timer of its own, with which it checks its threads once a second. After `events_watch_timers` each new timer is
// reported with `events_timer_made`. As long as none was reported, a timer that is set is libdispatch's own. If a timer exists already
// when watching begins, it counts as one of the program's.
void events_watch_timers(void);
void events_timer_made(void);

#endif
