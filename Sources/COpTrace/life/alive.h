// All recorders that this process has made. None is ever freed.
#ifndef OPTRACE_ALIVE_H
#define OPTRACE_ALIVE_H

#include "../storage/recorder.h"

void alive_add(optrace_recorder *recorder);
// The newest; each has the one before it in `made_before`. In a forked child they are wiped, and the list ends with the first.
optrace_recorder *alive_newest(void);

#endif
