// What the hooks call, in C: the description of operations and queues. For recordings of programs that know nothing of it; in a
// program that is linked with OpTrace its Swift part does the same (Sources/OpTrace). Both write the same records.
//
// All of it goes by what Swift's compilers and libraries have agreed on: names of functions, and the layout of objects, classes,
// texts and arrays. What is used is proven before with objects that this program's own libraries make.
#ifndef OPTRACE_DESCRIBE_H
#define OPTRACE_DESCRIBE_H

#include "COpTraceHooks.h"

// Proves what is relied on. Null, or why nothing can be described.
const char *describe_prepare(void);
// After that; or without it, where there is no Foundation and only texts are read. Does nothing on systems without hooks.
void describe_fill_hook_calls(optrace_hook_calls *calls);
// What was left out because it could not be proven; null from some index on.
const char *describe_left_out(uint32_t index);

#endif
