// What records where no recorder is named; the rest stands in COpTrace.h.
#ifndef OPTRACE_DEFAULT_H
#define OPTRACE_DEFAULT_H

#include "COpTrace.h"

// There is a recorder for what names none, or was.
void default_is_some(void);

#endif
