// Numbers for threads that other threads write about. Such a thread may have no buffer, because it never records anything itself.
#ifndef OPTRACE_THREAD_NUMBERS_H
#define OPTRACE_THREAD_NUMBERS_H

#include "../storage/recorder.h"

// The number of the thread with this system id. The thread keeps it if it records something itself later. Works also for a thread
// that has just ended, as long as no other thread has taken over its buffer. An unknown thread gets a number, which is recorded with
// its name. `name`: null if it is not known yet. `snapshot`: the snapshot that sees the thread; 0: none. Returns 0 if memory is out.
uint32_t thread_number_make(optrace_recorder *recorder, uint32_t tid, const char *name, uint32_t snapshot);
// The same, with the name from the system. `again`: if the thread records nothing itself, record its name once more.
uint32_t thread_number_named(optrace_recorder *recorder, uint32_t tid, bool again);
// Forgets the threads without a buffer that this snapshot has not seen, because the system may reuse their ids.
void thread_numbers_forget(optrace_recorder *recorder, uint32_t snapshot);
void thread_numbers_discard(optrace_recorder *recorder);

#endif
