// What executes on this thread. The rest is in COpTrace.h.
#ifndef OPTRACE_FRAMES_H
#define OPTRACE_FRAMES_H

#include "COpTrace.h"

// An operation, a block of a dispatch queue or a task, by its number in a trace. Without a recorder: none.
typedef struct {
  optrace_recorder *recorder;
  uint32_t number;
} work;

// Small, because a thread has little room for them when the recorder is loaded late.
typedef struct {
  optrace_operation *operation;  // Null: a block of a dispatch queue, or a task.
  uint32_t phase;
  bool is_start_pending;  // Its start will be recorded with the beginning of its code; see records/running.c.
  work block;
} frame;

enum { frame_slots = 32 };

typedef struct {
  uint32_t depth;
  uint32_t waits;
  frame frames[frame_slots];
} frames_of_thread;

// In the static TLS block, like `this_thread` in records/buffers.h.
#if defined(__GLIBC__)
__attribute__((tls_model("initial-exec")))
#endif
__attribute__((visibility("hidden"))) extern _Thread_local frames_of_thread this_frames;

// The innermost frame; null: there is none, or it is deeper than there are slots.
static inline frame *frame_innermost(void) {
  uint32_t depth = this_frames.depth;
  return depth && depth <= frame_slots ? &this_frames.frames[depth - 1] : NULL;
}

// The innermost frame's operation.
static inline optrace_operation *frame_operation(void) {
  const frame *f = frame_innermost();
  return f ? f->operation : NULL;
}

// The operation's frame if it is the innermost one; else null.
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

// The innermost work that this thread executes.
work frame_work(void);
// The work that this thread's waits belong to. None during a wait for an operation or a queue, which has records of its own.
work frame_that_blocks(void);
// Pushes work that is no operation of this thread's own; `optrace_frame_pop` removes it.
void frame_push_work(work block);
// The same for code that runs for work whose own code runs elsewhere, such as an iteration of `dispatch_apply`.
void frame_push_lent(work inside);
// Whether the innermost frame is that of work whose own code runs here, and no operation's.
bool frame_is_of_own_work(void);
// The depth, and cutting back to it: for what a task leaves on the thread when it moves on.
uint32_t frame_depth(void);
void frame_cut(uint32_t depth);

#endif
