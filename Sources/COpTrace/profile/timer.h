// Samples by signals: a timer on each thread's clock of processor time interrupts it, and its handler copies registers and stack. For
// systems that refuse the kernel's events. A call of the program's that a signal may end can end with EINTR, where the kernel does not
// hold timers back until the thread returns from it (Linux on x86-64 since 5.10 does).
#ifndef OPTRACE_PROFILE_TIMER_H
#define OPTRACE_PROFILE_TIMER_H

#include "sample.h"

typedef struct cpu_timer cpu_timer;

// 0, or the system's error number; EBUSY: the program has a handler for SIGPROF, or another recorder samples.
int timer_open(cpu_timer **out, uint64_t period, uint32_t stack_bytes);
// Gives this thread a timer.
void timer_add(cpu_timer *timer, uint32_t tid);
// Gives all threads timers that have none yet, but for this one. Some microseconds for each thread. If the program has set a handler
// of its own for SIGPROF since, all timers end: its signals are its own.
void timer_cover(cpu_timer *timer, uint32_t but);
bool timer_has_any(const cpu_timer *timer);
// Hands out what is there. Returns how many samples.
uint32_t timer_drain(cpu_timer *timer, cpu_sample_taker take, void *context);
// Samples that found no room, and threads that have no timer.
uint64_t timer_lost(const cpu_timer *timer);
uint32_t timer_missing(const cpu_timer *timer);
// Room for so many samples.
enum { timer_slots = 128 };
void timer_close(cpu_timer *timer);

#endif
