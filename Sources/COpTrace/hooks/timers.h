// Hooks of the functions that create libdispatch's timers.
#ifndef OPTRACE_TIMERS_H
#define OPTRACE_TIMERS_H

#include "../layouts/tables.h"

#if OPTRACE_HAS_HOOKS
// Always installed: a snapshot has to know whether libdispatch's timer is set for the program or for itself (see stacks/events.h).
extern hooked_import timer_imports[];

// Finds what distinguishes timers from other sources. Call it once.
void timers_prepare(void);

// A source of `type` is about to be created by this caller.
void timers_see_source(const void *type, const void *caller);
#endif

#endif
