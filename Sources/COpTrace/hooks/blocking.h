// Hooks of the calls that block.
#ifndef OPTRACE_BLOCKING_H
#define OPTRACE_BLOCKING_H

#include "tables.h"

#if OPTRACE_HAS_HOOKS
extern hooked_import blocking_imports[];
// Finds what these hooks need besides the functions of the table.
void blocking_prepare(void);
#endif

#endif
