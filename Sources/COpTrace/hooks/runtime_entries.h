// Functions of Swift's runtime that are hooked at their entries in all programs, because the runtime itself calls them. They show which
// tasks are given to an executor of the program's own, who waits for an actor, who resumes a continuation, and when a task ends.
#ifndef OPTRACE_RUNTIME_ENTRIES_H
#define OPTRACE_RUNTIME_ENTRIES_H

#include "../layouts/hooks.h"

#if OPTRACE_HAS_HOOKS
// Hooks each of them that can be hooked. Call it once, after tasks were prepared. Without these hooks such events are guessed, or not
// recorded.
void runtime_entries_take(void);
#endif

#endif
