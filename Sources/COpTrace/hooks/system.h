// Hooks of system calls that the recorder's own thread would disturb, or that forbid it something.
#ifndef OPTRACE_SYSTEM_HOOKS_H
#define OPTRACE_SYSTEM_HOOKS_H

#include "../layouts/tables.h"

#if OPTRACE_HAS_HOOKS
// Always installed.
extern hooked_import system_imports[];
#endif

#endif
