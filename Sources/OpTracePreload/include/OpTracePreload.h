// The object that `optrace record` preloads into a program and into everything that the program runs (LD_PRELOAD). It starts the
// recorder right before `main` if there is Foundation to record, and does nothing otherwise.
#ifndef OPTRACE_PRELOAD_H
#define OPTRACE_PRELOAD_H

// Starts recording. `alone`: 0, since the program is linked with it; 1 if it was loaded for this, as other versions do.
typedef void (*optrace_begin)(int alone);

// Called by a constructor of the recorder that the program is linked with. The first one records, so that a process has one recorder;
// without any it is the one in this object.
void optrace_preload_register(optrace_begin begin);

#endif
