// A sample of a thread: its registers and a copy of its stack.
#ifndef OPTRACE_PROFILE_SAMPLE_H
#define OPTRACE_PROFILE_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
  uint32_t tid;
  uint64_t time;         // On the monotonic clock.
  uint64_t pc, sp, bp;   // pc 0: not known.
  const uint8_t *stack;  // A copy of the stack from sp upwards, valid during the call.
  size_t bytes;
  bool is_in_kernel;     // The thread was in a system call, made at pc.
  uint32_t times;        // How many sampling periods it stands for.
} cpu_sample;

typedef void (*cpu_sample_taker)(void *context, const cpu_sample *sample);

// At most this much of a stack is copied, in bytes.
enum { cpu_sample_most_stack = 32 * 1024 };

#endif
