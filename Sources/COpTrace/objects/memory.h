// Writes to memory that the linker has laid out: class metadata and import tables.
#ifndef OPTRACE_MEMORY_H
#define OPTRACE_MEMORY_H

#include "../layouts/hooks.h"

#if OPTRACE_HAS_HOOKS
#include <link.h>

// Makes a range of words writable until `memory_close`. False: that is not possible.
typedef struct {
  void *protect;
  size_t bytes;
  bool in_object;  // It is part of a loaded object; else the runtime has allocated it.
} memory_window;
bool memory_open(const void *address, size_t bytes, memory_window *window);
void memory_close(const memory_window *window);

// Whether the loader has made the RELRO part of an object read-only, which it does when it has filled in all pointers.
typedef enum {
  sealing_none,  // The object has no such pages.
  sealing_due,   // The loader has not finished.
  sealing_done,
} memory_sealing;
memory_sealing memory_sealing_of(const struct dl_phdr_info *object);

// Whether the page of this aligned word is writable. The word keeps its value.
bool memory_is_writable(const void *word);
#endif

#endif
