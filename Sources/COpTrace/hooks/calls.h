// Hooks of system calls in which threads wait for others: for input and output, for a process, for a name.
#ifndef OPTRACE_HOOKS_CALLS_H
#define OPTRACE_HOOKS_CALLS_H

#include "../layouts/tables.h"

#if OPTRACE_HAS_HOOKS
extern hooked_import call_imports[];
#endif

#endif
