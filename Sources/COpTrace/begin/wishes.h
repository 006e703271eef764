// What the environment asks of a recorder.
#ifndef OPTRACE_WISHES_H
#define OPTRACE_WISHES_H

#include <stdbool.h>
#include <stdint.h>

#include "COpTrace.h"

typedef struct {
  char *path;         // Of the file, absolute; the caller frees it.
  bool is_ring;
  uint64_t capacity;  // Of a ring; raised to the smallest that is of use.
  uint32_t stacks;    // `optrace_stacks_…`
  bool dispatch, tasks, cpu;
  optrace_profile_options profile;  // The rate is 0: none.
} wishes;

// False: no recording is asked for, or what is asked for makes no sense, which has been said.
bool wishes_read(wishes *out);
// `4096`, `512K`, `16M`, `1G`; 0: it is no size.
uint64_t wishes_bytes(const char *text);

#endif
