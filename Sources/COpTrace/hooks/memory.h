// Writing where the linker wrote.
#ifndef OPTRACE_MEMORY_H
#define OPTRACE_MEMORY_H

#include "hooks.h"

#if OPTRACE_HAS_HOOKS
// A range of words that can be written until `memory_close`. False: it cannot.
typedef struct {
  void *protect;
  size_t bytes;
  bool in_object;  // Of a loaded object; else the runtime made it.
} memory_window;
bool memory_open(const void *address, size_t bytes, memory_window *window);
void memory_close(const memory_window *window);
#endif

#endif
