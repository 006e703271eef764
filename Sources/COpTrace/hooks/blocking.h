// Hooks of the calls that block.
#ifndef OPTRACE_BLOCKING_H
#define OPTRACE_BLOCKING_H

#include "../layouts/tables.h"

#if OPTRACE_HAS_HOOKS
extern hooked_import blocking_imports[];
// Finds the functions that these hooks need in addition to those of the table.
void blocking_prepare(void);

// What the hooks of these calls do, for those who hook them besides.
struct timespec;
int blocking_cond_wait(void *condition, void *mutex);
int blocking_cond_timedwait(void *condition, void *mutex, const struct timespec *until);
int blocking_cond_clockwait(void *condition, void *mutex, int clock, const struct timespec *until);
#endif

#endif
