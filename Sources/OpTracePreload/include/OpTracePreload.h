// The object that `optrace record` preloads into a program and into everything that the program runs (LD_PRELOAD). It starts the
// recorder right before `main` if there is Foundation to record, and does nothing otherwise.
#ifndef OPTRACE_PRELOAD_H
#define OPTRACE_PRELOAD_H

// Starts recording. `alone`: 1 if the recorder was loaded for this and nothing else uses it, 0 if the program is linked with it.
typedef void (*optrace_begin)(int alone);

// Called by a constructor of the recorder: of the copy that the program is linked with, or of the one that is loaded. The first
// one records, so that a process has one recorder.
void optrace_preload_register(optrace_begin begin);

#endif
