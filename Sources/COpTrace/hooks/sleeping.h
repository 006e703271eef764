// Hooks of the calls that sleep, or wait for a disk.
#ifndef OPTRACE_SLEEPING_H
#define OPTRACE_SLEEPING_H

#include "../layouts/tables.h"

#if OPTRACE_HAS_HOOKS
extern hooked_import sleeping_imports[];
#endif

#endif
