// Records what threads block on.
#ifndef OPTRACE_WAITS_H
#define OPTRACE_WAITS_H

#include "../operations/frames.h"
#include "../stacks/unwind.h"
#include "../storage/thread_buffer.h"
#include "COpTraceFields.h"

// An object that threads wait on, packed as in records: its address and its kind (`optrace_object_…`).
static inline uint64_t waited_object(const void *address, uint8_t kind) {
  return optrace_unblocked_word1((optrace_unblocked_fields){.object = (uintptr_t)address, .kind = kind});
}
// Notes that the thread begins to wait. Null: the wait is not recorded. `object`: a `waited_object`. `start`: where to walk the stack
// from; that function must not return before `wait_end`.
thread_buffer *wait_begin(work inside, uint64_t object, stack_start start);
// The wait is over. Call it on the same thread.
void wait_end(thread_buffer *buffer);
// Records waits that have lasted for long and are not over. Only the flusher calls this, without its lock.
void waits_report(optrace_recorder *recorder);
void waits_set_queue_name(const char *(*name)(const void *queue));

#endif
