// A sample as its source hands it out: registers and a copy of the stack.
#ifndef OPTRACE_PROFILE_SAMPLE_H
#define OPTRACE_PROFILE_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
  uint32_t tid;
  uint64_t time;         // Of the monotonic clock.
  uint64_t pc, sp, bp;   // pc 0: not known.
  const uint8_t *stack;  // From sp upwards; as long as the call lasts.
  size_t bytes;
  bool is_in_kernel;     // In a system call, which was made at pc.
  uint32_t times;        // How many periods it stands for.
} cpu_sample;

typedef void (*cpu_sample_taker)(void *context, const cpu_sample *sample);

// The most of a stack that is copied, in bytes.
enum { cpu_sample_most_stack = 32 * 1024 };

#endif
