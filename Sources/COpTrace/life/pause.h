// Some system calls work only in a process with one thread, as `unshare(CLONE_NEWUSER)`. The recorder's own thread must not prevent them.
#ifndef OPTRACE_PAUSE_H
#define OPTRACE_PAUSE_H

#include <stdbool.h>

// If the calling thread is the only one of the program, ends the flushers of all recorders, and returns true. Then call `flushers_resume`
// after the system call. Nothing is lost meanwhile: a thread that needs room makes it itself.
bool flushers_pause(void);
void flushers_resume(void);

#endif
