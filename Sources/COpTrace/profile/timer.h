// Samples by signals, for systems that refuse perf events: a timer on each thread's processor time interrupts the thread, and the signal
// handler copies its registers and stack. A system call of the program may then fail with EINTR, unless the kernel holds the timers back
// until the thread returns from it, as Linux on x86-64 does since 5.10.
#ifndef OPTRACE_PROFILE_TIMER_H
#define OPTRACE_PROFILE_TIMER_H

#include "sample.h"

typedef struct cpu_timer cpu_timer;

// Returns 0, or the system's error number. EBUSY: the program has a handler for SIGPROF, or another recorder is sampling.
int timer_open(cpu_timer **out, uint64_t period, uint32_t stack_bytes);
// Gives a thread a timer.
void timer_add(cpu_timer *timer, uint32_t tid);
// Gives timers to all threads that have none yet, except to thread `but`. Takes some microseconds for each thread. If the program has
// changed the handler of SIGPROF meanwhile, all timers are deleted, so that they do not disturb it.
void timer_cover(cpu_timer *timer, uint32_t but);
bool timer_has_any(const cpu_timer *timer);
// Whether our handler is installed for this signal, and must stay: without it the next signal would end the program.
bool timer_keeps_signal(int number);
// Passes the available samples to `take`. Returns how many.
uint32_t timer_drain(cpu_timer *timer, cpu_sample_taker take, void *context);
// How many samples found no room, and how many threads have no timer.
uint64_t timer_lost(const cpu_timer *timer);
uint32_t timer_missing(const cpu_timer *timer);
// How many samples can be stored until they are taken out.
enum { timer_slots = 128 };
void timer_close(cpu_timer *timer);

#endif
