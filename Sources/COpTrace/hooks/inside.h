// Waits inside work (an operation, a block, a task), and in the turn of an event loop. Others have to wait meanwhile.
#ifndef OPTRACE_INSIDE_H
#define OPTRACE_INSIDE_H

#include "../layouts/hooks.h"

#if OPTRACE_HAS_HOOKS
#include "../base/likely.h"
#include "../loops/loops.h"
#include "../operations/frames.h"
#include "../waits/waits.h"

// Whether this thread may run work or a turn. Most calls come from threads that do not, so hooks ask this first.
static inline bool inside_is_likely(void) { return unlikely(this_frames.depth || loop_of_thread); }

// Whether waits in system calls and for locks are recorded. False until they are asked for.
bool inside_are_holdups_wanted(void);
void inside_want_holdups(void);

// The work that runs on this thread, else the turn of an event loop, which has no number; else no recorder.
work inside_work(void);
// The same, without operations, and without code that runs on behalf of work elsewhere.
work inside_own_work(void);

// Whether this is the code of a signal handler. It may have interrupted the recorder, which cannot write another record then. Walks the
// stack.
bool inside_handler(const stack_start *start);

// Ends a wait that the thread has left by `longjmp`. This is the case if the frame of the present call is not nested in the frame of that
// wait.
void inside_end_left(thread_buffer *buffer, const stack_start *start);

// Begins a wait in a call that a program makes often: nothing but the note is written. Null: the wait is not recorded. `errno` stays.
thread_buffer *inside_begin(uint64_t object, stack_start start);
// Ends it. Nothing is recorded in a signal handler.
void inside_end(thread_buffer *wait);
#endif

#endif
