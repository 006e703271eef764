// What an epoll set waits for.
#ifndef OPTRACE_EVENTS_H
#define OPTRACE_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

// Whether only the process itself can wake a thread that waits for this set, without a timeout: all members are counters
// (eventfd) and timers that are not set. False also if that is not known. Takes some system calls.
bool events_are_own(int32_t call, const uint64_t arguments[6]);

// What a thread waits for in a call that reads, writes, accepts or waits for descriptors: `optrace_event_source_…` bits of
// COpTraceFormat.h; 0: not known. Takes some system calls for each descriptor, and looks at 64 of them at most.
uint64_t events_sources(int32_t call, const uint64_t arguments[6]);

// libdispatch has a timer of its own, with which it checks its threads once a second. From the first of these calls on, whoever
// makes another timer reports it with the second; until then a timer that is set is that one. A timer that exists already counts
// as one of the program's.
void events_watch_timers(void);
void events_timer_made(void);

#endif
