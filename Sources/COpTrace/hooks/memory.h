// Writing to what the linker has written.
#ifndef OPTRACE_MEMORY_H
#define OPTRACE_MEMORY_H

#include "hooks.h"

#if OPTRACE_HAS_HOOKS
#include <link.h>

// A range of words that can be written until `memory_close`. False: it cannot be written.
typedef struct {
  void *protect;
  size_t bytes;
  bool in_object;  // Part of a loaded object; else the runtime allocated it.
} memory_window;
bool memory_open(const void *address, size_t bytes, memory_window *window);
void memory_close(const memory_window *window);

// The loader makes a part of an object read-only (RELRO) when it has filled in all pointers.
typedef enum {
  sealing_none,  // It has no such pages.
  sealing_due,   // The loader is not done.
  sealing_done,
} memory_sealing;
memory_sealing memory_sealing_of(const struct dl_phdr_info *object);

// Whether the page of this aligned word may be written. The word keeps its value.
bool memory_is_writable(const void *word);
#endif

#endif
