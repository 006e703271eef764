// What executes on this thread: the operations, blocks of dispatch queues and tasks whose code it is inside of, innermost last.
// Deeper ones than there are slots are counted and not named.
#include "frames.h"

#include "operation.h"

enum { frame_slots = 32 };

// As `this_thread` of the lanes: no call to find it.
#if defined(__GLIBC__)
__attribute__((tls_model("initial-exec")))
#endif
static _Thread_local struct {
  uint32_t depth;
  uint32_t waits;
  frame frames[frame_slots];
} self;

void optrace_frame_push(optrace_operation *operation) {
  uint32_t depth = self.depth++;
  if (depth >= frame_slots) return;
  self.frames[depth].operation = operation;
  self.frames[depth].phase = optrace_phase_starting;
  self.frames[depth].is_untold = false;
}

void frame_push_work(work block) {
  uint32_t depth = self.depth++;
  if (depth >= frame_slots) return;
  self.frames[depth].operation = NULL;
  self.frames[depth].phase = 0;
  self.frames[depth].block = block;
}

void optrace_frame_pop(void) {
  if (self.depth) self.depth -= 1;
}

frame *frame_of(const optrace_operation *operation) {
  uint32_t depth = self.depth;
  return depth && depth <= frame_slots && self.frames[depth - 1].operation == operation ? &self.frames[depth - 1] : NULL;
}

uint32_t frame_depth(void) { return self.depth; }

void frame_cut(uint32_t depth) {
  if (depth < self.depth) self.depth = depth;
}

uint32_t optrace_frame_phase(const optrace_operation *operation) {
  uint32_t depth = self.depth;
  if (depth == 0 || depth > frame_slots || self.frames[depth - 1].operation != operation) return 0;
  return self.frames[depth - 1].phase;
}

void optrace_frame_set_phase(uint32_t phase) {
  uint32_t depth = self.depth;
  if (depth && depth <= frame_slots) self.frames[depth - 1].phase = phase;
}

optrace_operation *optrace_frame_current(void) {
  uint32_t depth = self.depth;
  return depth && depth <= frame_slots ? self.frames[depth - 1].operation : NULL;
}

void optrace_frame_waits(bool value) { self.waits += value ? 1 : -1; }

bool optrace_frame_is_waiting(void) { return self.waits; }

work frame_work(void) {
  uint32_t depth = self.depth;
  if (!depth || depth > frame_slots) return (work){NULL, 0};
  const optrace_operation *operation = self.frames[depth - 1].operation;
  if (!operation) return self.frames[depth - 1].block;
  optrace_recorder *recorder = optrace_operation_recorder(operation);
  return (work){recorder, recorder ? optrace_operation_serial(operation) : 0};
}

work frame_that_blocks(void) { return self.waits ? (work){NULL, 0} : frame_work(); }

uint32_t optrace_frame_current_phase(void) {
  uint32_t depth = self.depth;
  return depth && depth <= frame_slots ? self.frames[depth - 1].phase : 0;
}

const void *optrace_frame_object(void) {
  optrace_operation *operation = optrace_frame_current();
  return operation ? atomic_load_explicit(&operation->object, memory_order_relaxed) : NULL;
}
