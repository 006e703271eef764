// Records what threads block on.
#ifndef OPTRACE_WAITS_H
#define OPTRACE_WAITS_H

#include "../operations/frames.h"
#include "../stacks/unwind.h"
#include "../storage/recorder.h"
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
// The same, but a long wait is recorded only if `is_unsafe` is false. That is not called for a short one.
void wait_end_unless(thread_buffer *buffer, bool (*is_unsafe)(const thread_buffer *buffer));
// Where the stack of a noted wait begins.
stack_start wait_start(const wait_note *wait);
// Notes what is known besides the object: see `detail` of `wait_note`. Call it right after `wait_begin`.
void wait_note_detail(thread_buffer *buffer, uint64_t detail);
// A source of the flusher: records waits that have lasted for long and are not over. See life/sources.h.
bool waits_report(optrace_recorder *recorder, flusher_beat beat);
uint64_t waits_due(optrace_recorder *recorder, uint64_t now);
void waits_set_queue_name(const char *(*name)(const void *queue));

#endif
