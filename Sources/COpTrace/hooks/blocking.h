// Hooks of the calls that block.
#ifndef OPTRACE_BLOCKING_H
#define OPTRACE_BLOCKING_H

#include "../objects/tables.h"

#if OPTRACE_HAS_HOOKS
extern hooked_import blocking_imports[];
// Finds the functions that these hooks need in addition to those of the table.
void blocking_prepare(void);
#endif

#endif
