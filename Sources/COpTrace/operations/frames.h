// The stack of operations, blocks and tasks that execute on this thread. The public part is in COpTrace.h.
#ifndef OPTRACE_FRAMES_H
#define OPTRACE_FRAMES_H

#include "COpTrace.h"

// An operation, a block of a dispatch queue or a task, by its number in a trace. Null recorder: no work.
typedef struct {
  optrace_recorder *recorder;
  uint32_t number;
} work;

// Kept small, because there is little static TLS left when the recorder is loaded with dlopen.
typedef struct {
  union {
    optrace_operation *operation;
    optrace_recorder *recorder;  // Of a block of a dispatch queue, or a task; null: no work.
  };
  uint32_t number;  // Of a block or a task.
  uint8_t phase;
  bool is_block;  // It is a block or a task.
  bool is_start_pending;  // Its start will be recorded together with the beginning of its code; see records/running.c.
} frame;
_Static_assert(sizeof(frame) == 16, "small");

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

// The innermost frame; null: there is none, or more frames are nested than there are slots.
static inline frame *frame_innermost(void) {
  uint32_t depth = this_frames.depth;
  return depth && depth <= frame_slots ? &this_frames.frames[depth - 1] : NULL;
}

// The innermost frame's operation.
static inline optrace_operation *frame_operation(void) {
  const frame *f = frame_innermost();
  return f && !f->is_block ? f->operation : NULL;
}

// The operation's frame if it is the innermost one; else null.
static inline frame *frame_of(const optrace_operation *operation) {
  frame *f = frame_innermost();
  return f && !f->is_block && f->operation == operation ? f : NULL;
}

static inline void frame_push(optrace_operation *operation) {
  uint32_t depth = this_frames.depth++;
  if (depth >= frame_slots) return;
  this_frames.frames[depth] = (frame){.operation = operation, .phase = optrace_phase_starting};
}

static inline void frame_pop(void) {
  if (this_frames.depth) this_frames.depth -= 1;
}

// The innermost work that this thread executes.
work frame_work(void);
// The work that this thread's waits are recorded for. None during a wait for an operation or a queue, because that has its own records.
work frame_that_blocks(void);
// Pushes a block or a task; `optrace_frame_pop` removes it.
void frame_push_work(work block);
// The same for code that runs on behalf of work whose own code runs elsewhere, such as an iteration of `dispatch_apply`.
void frame_push_lent(work inside);
// Whether the innermost frame is a block or a task whose own code runs here (not an operation, and not pushed by `frame_push_lent`).
bool frame_is_of_own_work(void);
// The depth of the stack, and cutting it back to a depth: for frames that a task leaves on the thread when it moves to another one.
uint32_t frame_depth(void);
void frame_cut(uint32_t depth);

#endif
