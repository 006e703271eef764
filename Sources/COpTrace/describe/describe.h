// The functions that hooks call to describe operations and queues, written in C for programs that are not linked with OpTrace. In programs
// that are linked with it, the Swift part does the same (Sources/OpTrace). Both write the same records.
//
// The code relies on Swift's ABI: names of functions, and the layout of objects, classes, strings and arrays. Everything that is used is
// verified first, with objects that this program's own libraries make.
#ifndef OPTRACE_DESCRIBE_H
#define OPTRACE_DESCRIBE_H

#include "COpTraceHooks.h"

// Verifies the parts of the ABI that the other functions rely on. Null, or why nothing can be described.
const char *describe_prepare(void);
// Fills in the functions. Call it after `describe_prepare`. Without Foundation, call it alone; then only strings can be read. Does nothing
// on systems without hooks.
void describe_fill_hook_calls(optrace_hook_calls *calls);
// Returns the reason why something is not described: it could not be verified. The list of reasons ends with null.
const char *describe_left_out(uint32_t index);

#endif
