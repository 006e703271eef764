// Hooks of the calls in which event loops wait.
#ifndef OPTRACE_LOOP_HOOKS_H
#define OPTRACE_LOOP_HOOKS_H

#include "../layouts/tables.h"

#if OPTRACE_HAS_HOOKS
// Installed when blocks or tasks are recorded. These functions are imports even if Swift's libraries are linked into the program.
extern hooked_import loop_imports[];
#endif

#endif
