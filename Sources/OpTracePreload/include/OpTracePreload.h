// The object that `optrace record` has loaded into a program and into all that the program runs (LD_PRELOAD). It starts
// the recorder right before `main` where there is Foundation to record, and does nothing anywhere else.
#ifndef OPTRACE_PRELOAD_H
#define OPTRACE_PRELOAD_H

// Starts recording. `alone` is 1 where the recorder was loaded for this and nothing else uses it, 0 where the program is
// linked with it.
typedef void (*optrace_begin)(int alone);

// Called by a constructor of the recorder: of the copy that the program is linked with, or of the one that is loaded. The
// first one records, so that a process has one recorder.
void optrace_preload_register(optrace_begin begin);

#endif
