// Checks whether the classes of the loaded Foundation have the layout that OpTrace was compiled for.
#ifndef OPTRACE_LAYOUT_H
#define OPTRACE_LAYOUT_H

#include "../layouts/swift_abi.h"
#include "../layouts/hooks.h"

#if OPTRACE_HAS_HOOKS
#include <stdbool.h>
#include <stdint.h>

// Whether this looks like the metadata of a class and, if `superclass` is given, of a subclass of it.
bool is_class(const void *metadata, const void *superclass);

// Null, or which part of the loaded Foundation has another layout. Also null if the recorder was not compiled against Foundation.
const char *layout_misfit(void);
#endif

#endif
