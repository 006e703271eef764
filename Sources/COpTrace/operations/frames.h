// What executes on this thread; the rest stands in COpTrace.h.
#ifndef OPTRACE_FRAMES_H
#define OPTRACE_FRAMES_H

#include "COpTrace.h"

// An operation, a block of a dispatch queue or a task, by its number in a trace. Without a recorder: none.
typedef struct {
  optrace_recorder *recorder;
  uint32_t number;
} work;

// A thread has little room for these when the recorder is loaded late, so they are small.
typedef struct {
  optrace_operation *operation;  // Null: a block of a dispatch queue, or a task.
  uint32_t phase;
  bool is_start_pending;  // Its start is told with the beginning of its code; see records/running.c.
  work block;
} frame;

enum { frame_slots = 32 };

typedef struct {
  uint32_t depth;
  uint32_t waits;
  frame frames[frame_slots];
} frames_of_thread;

// As `this_thread` of the buffers: no call to find it.
#if defined(__GLIBC__)
__attribute__((tls_model("initial-exec")))
#endif
__attribute__((visibility("hidden"))) extern _Thread_local frames_of_thread this_frames;

// The innermost one; null: there is none, or it is deeper than there are slots.
static inline frame *frame_innermost(void) {
  uint32_t depth = this_frames.depth;
  return depth && depth <= frame_slots ? &this_frames.frames[depth - 1] : NULL;
}

// The innermost one's operation.
static inline optrace_operation *frame_operation(void) {
  const frame *f = frame_innermost();
  return f ? f->operation : NULL;
}

// Null where the operation is not the innermost one here, or is deeper than frames go.
static inline frame *frame_of(const optrace_operation *operation) {
  frame *f = frame_innermost();
  return f && f->operation == operation ? f : NULL;
}

static inline void frame_push(optrace_operation *operation) {
  uint32_t depth = this_frames.depth++;
  if (depth >= frame_slots) return;
  this_frames.frames[depth].operation = operation;
  this_frames.frames[depth].phase = optrace_phase_starting;
  this_frames.frames[depth].is_start_pending = false;
}

static inline void frame_pop(void) {
  if (this_frames.depth) this_frames.depth -= 1;
}

// What this thread executes: the innermost one.
work frame_work(void);
// The same, as whose the thread's waits are recorded: nothing while a wait goes on that is recorded as one for an operation or
// a queue.
work frame_that_blocks(void);
// For `optrace_frame_pop`: this thread executes something that is no operation of its own.
void frame_push_work(work block);
// How many there are, and back to so many: what a task leaves on the thread when it goes.
uint32_t frame_depth(void);
void frame_cut(uint32_t depth);

#endif
