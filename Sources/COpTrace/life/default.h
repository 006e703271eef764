// The default recorder, which is used where none is named. The public part is in COpTrace.h.
#ifndef OPTRACE_DEFAULT_H
#define OPTRACE_DEFAULT_H

#include "COpTrace.h"

// Notes that the process has, or once had, a default recorder or one that watches everything.
void default_is_some(void);

#endif
