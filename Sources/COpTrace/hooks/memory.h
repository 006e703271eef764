// Writing to what the linker has written.
#ifndef OPTRACE_MEMORY_H
#define OPTRACE_MEMORY_H

#include "hooks.h"

#if OPTRACE_HAS_HOOKS
// A range of words that can be written until `memory_close`. False: it cannot be written.
typedef struct {
  void *protect;
  size_t bytes;
  bool in_object;  // Part of a loaded object; else the runtime allocated it.
} memory_window;
bool memory_open(const void *address, size_t bytes, memory_window *window);
void memory_close(const memory_window *window);
#endif

#endif
