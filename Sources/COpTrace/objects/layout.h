// Checks whether the classes of the loaded Foundation have the layout that OpTrace was compiled for.
#ifndef OPTRACE_LAYOUT_H
#define OPTRACE_LAYOUT_H

#include "hooks.h"

#if OPTRACE_HAS_HOOKS
#include <stdbool.h>
#include <stdint.h>

// The part of a class's metadata before the methods, in a Swift runtime without Objective-C.
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

// `deinit` is this many bytes before the metadata's address.
enum { destroy_offset = 2 * sizeof(void *) };

// Whether this looks like the metadata of a class and, if `superclass` is given, of a subclass of it.
bool is_class(const void *metadata, const void *superclass);

// Null, or which part of the loaded Foundation has another layout. Also null if the recorder was not compiled against Foundation.
const char *layout_misfit(void);
#endif

#endif
