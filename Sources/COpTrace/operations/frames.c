// What executes on this thread: the operations, blocks of dispatch queues and tasks whose code is on its stack, innermost last. If
// more are nested than there are slots, the rest are only counted.
#include "frames.h"

#include "operation.h"

_Thread_local frames_of_thread this_frames;

void optrace_frame_push(optrace_operation *operation) { frame_push(operation); }

void frame_push_work(work block) {
  uint32_t depth = this_frames.depth++;
  if (depth >= frame_slots) return;
  this_frames.frames[depth] = (frame){.recorder = block.recorder, .number = block.number, .is_block = true};
}

// Stored in `phase`, which a block does not need otherwise.
enum { lent_phase = 1 };

void frame_push_lent(work inside) {
  frame_push_work(inside);
  frame *f = frame_innermost();
  if (f) f->phase = lent_phase;
}

bool frame_is_of_own_work(void) {
  const frame *f = frame_innermost();
  return f && f->is_block && f->phase != lent_phase;
}

void optrace_frame_pop(void) { frame_pop(); }

uint32_t frame_depth(void) { return this_frames.depth; }

void frame_cut(uint32_t depth) {
  if (depth < this_frames.depth) this_frames.depth = depth;
}

uint32_t optrace_frame_phase(const optrace_operation *operation) {
  const frame *f = frame_of(operation);
  return f ? f->phase : 0;
}

void optrace_frame_set_phase(uint32_t phase) {
  frame *f = frame_innermost();
  if (f) f->phase = (uint8_t)phase;
}

optrace_operation *optrace_frame_current(void) { return frame_operation(); }

void optrace_frame_waits(bool value) { this_frames.waits += value ? 1 : -1; }

bool optrace_frame_is_waiting(void) { return this_frames.waits; }

work frame_work(void) {
  const frame *f = frame_innermost();
  if (!f) return (work){NULL, 0};
  if (f->is_block) return (work){f->recorder, f->number};
  optrace_recorder *recorder = optrace_operation_recorder(f->operation);
  return (work){recorder, recorder ? optrace_operation_serial(f->operation) : 0};
}

work frame_that_blocks(void) { return this_frames.waits ? (work){NULL, 0} : frame_work(); }
