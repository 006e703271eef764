// What an epoll set waits for.
#ifndef OPTRACE_EVENTS_H
#define OPTRACE_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

// Whether only the process itself can wake who waits for this set, without a limit of time: all that is in it are counters
// (eventfd) and timers that are not set. False also where that is not known. Some system calls.
bool events_are_own(int32_t call, const uint64_t arguments[6]);

// libdispatch has a timer of its own, by which it looks after its threads once a second. From the first of these calls on, whoever
// makes another one tells so by the second; until then a timer that is set is that one. Where there is a timer already, it counts
// as one of the program's.
void events_watch_timers(void);
void events_timer_made(void);

#endif
