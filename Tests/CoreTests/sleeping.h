// A thread that sleeps, seen as /proc/PID/syscall shows it: its pc and sp, and a copy of its stack. A signal takes them here, so that
// it works where there is no such file of the program's own, as under an emulator.
#ifndef CORETESTS_SLEEPING_H
#define CORETESTS_SLEEPING_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
  uint64_t pcs[64];
  size_t count, guessed;
  uint64_t taken[200];        // What the sleeping thread's own unwinder says of where it went to sleep.
  size_t taken_count;
  uint32_t id;                // The thread's.
} sleeping_stack;

// Behind functions that the seed chooses a thread calls `sleep`; `wake` lets that end, and may be in need of a signal to be heard.
sleeping_stack sleeping_look(uint64_t seed, void (*sleep)(void *context), void (*wake)(void *context), void *context);
// Null when the stack ends as the thread's own does; else what is not right. `lost`: so many functions that called are missing,
// and the rest is right though it is guessed; 0: only what is not guessed has to be.
const char *sleeping_compare(const sleeping_stack *stack, size_t lost);

// Registers of what a signal has interrupted.
uint64_t machine_pc(const void *context);
uint64_t machine_sp(const void *context);
void machine_skip(void *context, size_t bytes);

#endif
