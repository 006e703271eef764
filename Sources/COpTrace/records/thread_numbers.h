// Numbers of threads that others write about: a thread that never records anything has no buffer.
#ifndef OPTRACE_THREAD_NUMBERS_H
#define OPTRACE_THREAD_NUMBERS_H

#include "../storage/recorder.h"

// The number of the thread with this id of the system's, which it will also use if it records something itself. Of a thread that has
// just ended, too, as long as nobody has taken over its buffer. A new thread gets one, which is recorded with its name. Null `name`:
// not known yet. `snapshot`: the one that sees it; 0: none. 0: there is no memory.
uint32_t thread_number_make(optrace_recorder *recorder, uint32_t tid, const char *name, uint32_t snapshot);
// The same, with the name that the system has. `again`: the name of a thread that records nothing itself is recorded once more.
uint32_t thread_number_named(optrace_recorder *recorder, uint32_t tid, bool again);
// Forgets threads without a buffer that this snapshot has not seen: the system may give their ids to others.
void thread_numbers_forget(optrace_recorder *recorder, uint32_t snapshot);
void thread_numbers_discard(optrace_recorder *recorder);

#endif
