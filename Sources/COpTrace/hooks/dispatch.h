// Hooks of dispatch queues.
#ifndef OPTRACE_DISPATCH_H
#define OPTRACE_DISPATCH_H

#include "../layouts/tables.h"

#if OPTRACE_HAS_HOOKS
// Installed only if blocks are recorded.
extern hooked_import dispatch_imports[];
#endif

#endif
