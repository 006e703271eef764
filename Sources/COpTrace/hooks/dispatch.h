// Blocks of dispatch queues.
#ifndef OPTRACE_DISPATCH_H
#define OPTRACE_DISPATCH_H

#include "tables.h"

#if OPTRACE_HAS_HOOKS
// Those that are put in place only where blocks are recorded.
extern hooked_import dispatch_imports[];
#endif

#endif
