// Hooks of what makes timers of libdispatch.
#ifndef OPTRACE_TIMERS_H
#define OPTRACE_TIMERS_H

#include "tables.h"

#if OPTRACE_HAS_HOOKS
// Installed always: a look at a thread has to know whether libdispatch's timer is set for the program (`events.h`).
extern hooked_import timer_imports[];

// Finds what tells timers from other sources. Once.
void timers_prepare(void);

// A source of `type` is about to be created.
void timers_see_source(const void *type);
#endif

#endif
