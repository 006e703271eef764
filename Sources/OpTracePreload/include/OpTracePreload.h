// The object that `optrace record` preloads into a program and into everything that the program runs (LD_PRELOAD). It starts the
// recorder right before `main` if there is Foundation to record, and does nothing otherwise.
#ifndef OPTRACE_PRELOAD_H
#define OPTRACE_PRELOAD_H

// Starts recording.
typedef void (*optrace_begin)(void);

// Called by a constructor of the recorder that the program is linked with. The first one records, so that a process has one recorder;
// without any it is the one in this object.
void optrace_preload_register(optrace_begin begin);

#endif
