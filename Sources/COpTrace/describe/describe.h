// The functions that hooks call to describe operations and queues, in C. For programs that are not linked with OpTrace; in those that
// are, the Swift part does the same (Sources/OpTrace). Both write the same records.
//
// All of this relies on Swift's ABI: names of functions, and the layout of objects, classes, strings and arrays. Everything that is used
// is verified before, with objects that this program's own libraries make.
#ifndef OPTRACE_DESCRIBE_H
#define OPTRACE_DESCRIBE_H

#include "COpTraceHooks.h"

// Verifies what the other functions rely on. Null, or why nothing can be described.
const char *describe_prepare(void);
// Call it after `describe_prepare`; or without that, if there is no Foundation and only strings are read. Does nothing on systems without
// hooks.
void describe_fill_hook_calls(optrace_hook_calls *calls);
// What is not described because it could not be verified: a list that ends with null.
const char *describe_left_out(uint32_t index);

#endif
