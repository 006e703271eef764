// Hooks of what event loops wait in.
#ifndef OPTRACE_LOOP_HOOKS_H
#define OPTRACE_LOOP_HOOKS_H

#include "tables.h"

#if OPTRACE_HAS_HOOKS
// Installed when blocks or tasks are recorded. They are imports in programs with Swift's libraries linked into them, too.
extern hooked_import loop_imports[];
#endif

#endif
