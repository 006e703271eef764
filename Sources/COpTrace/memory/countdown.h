// Which allocations are sampled: each byte that is allocated is chosen with the same chance, and an allocation is sampled if one of its
// bytes is. A thread counts down to its next chosen byte, so an allocation that is not sampled costs a subtraction.
#ifndef OPTRACE_COUNTDOWN_H
#define OPTRACE_COUNTDOWN_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
  uint64_t left;     // Bytes until the next chosen one.
  uint64_t random;   // 0: the thread has not begun.
  uint32_t tid;      // The system's id; 0: not asked yet.
  bool is_inside;    // The thread takes a sample, so what it allocates meanwhile is the recorder's.
  bool is_quiet;     // It is the recorder's own thread.
} countdown;

// In the static TLS block, like `this_thread` in records/buffers.h.
#if defined(__GLIBC__)
__attribute__((tls_model("initial-exec")))
#endif
__attribute__((visibility("hidden"))) extern _Thread_local countdown countdown_here;

// Draws the distance to the next chosen byte. `interval`: one byte in so many is chosen; 1: every one, so the distance is 0.
uint64_t countdown_draw(countdown *own, uint64_t interval);
// The chance that an allocation of this size is sampled.
double countdown_chance(uint64_t size, uint64_t interval);
// True with this chance.
bool countdown_toss(countdown *own, double chance);
// Natural logarithm of a number of at least 1, and e^-x for x of at least 0. The C library has them in a library of its own, which programs
// need not have.
double countdown_log(double number);
double countdown_exp_minus(double x);

#endif
