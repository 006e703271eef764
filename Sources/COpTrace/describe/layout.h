// Tells what objects are in programs that are not linked with OpTrace: by Swift's ABI, that is names of functions, and the layout of
// objects, classes, strings and arrays. Everything that is used is verified first, with objects that this program's own libraries make.
#ifndef OPTRACE_LAYOUT_READERS_H
#define OPTRACE_LAYOUT_READERS_H

#include "COpTraceDescribe.h"

// Makes the describer read objects so. Texts and types can be read from here on, also without Foundation. Does nothing on systems
// without hooks.
void layout_begin(void);
// Verifies the parts of the ABI that operations and queues need, and leaves out what does not fit (layouts/left_out.h). Null, or why nothing
// can be described.
const char *layout_prepare(void);

#endif
