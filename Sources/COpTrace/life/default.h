// The recorder that is used where none is named. The rest is in COpTrace.h.
#ifndef OPTRACE_DEFAULT_H
#define OPTRACE_DEFAULT_H

#include "COpTrace.h"

// Notes that there is, or was, a default recorder or one that watches the process.
void default_is_some(void);

#endif
