// Whether a class of the loaded Foundation has the layout that the compiler saw.
#ifndef OPTRACE_LAYOUT_H
#define OPTRACE_LAYOUT_H

#include "hooks.h"

#if OPTRACE_HAS_HOOKS
#include <stdbool.h>
#include <stdint.h>

// What precedes the methods in the metadata of a class, as the Swift runtime lays it out without Objective-C.
typedef struct {
  const void *kind;
  const void *superclass;
  uint32_t flags, instance_address;
  uint32_t instance_size;
  uint16_t alignment, reserved;
  uint32_t class_size, class_address;
  const void *description;
  void *ivar_destroyer;
} class_metadata;

// How far `deinit` is before the metadata's address.
enum { destroy_offset = 2 * sizeof(void *) };

// Whether this looks like a class's metadata, and if `superclass` is given, like a subclass's of it.
bool is_class(const void *metadata, const void *superclass);

// Null, or which part of the loaded Foundation has another layout. Also null if nothing was compiled against one.
const char *layout_misfit(const optrace_hook_calls *calls);
#endif

#endif
