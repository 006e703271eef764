// Functions of Swift's runtime that are heard at their entries in all programs, because the runtime calls them itself: who waits for
// an actor, who resumes a continuation, and the end of a task.
#ifndef OPTRACE_RUNTIME_ENTRIES_H
#define OPTRACE_RUNTIME_ENTRIES_H

#include "hooks.h"

#if OPTRACE_HAS_HOOKS
// Takes each one that can be taken, once. After tasks were prepared. Without them these things are guessed, or not told.
void runtime_entries_take(void);
#endif

#endif
