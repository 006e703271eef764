// What executes on this thread: the operations whose code it is inside of, innermost last. Deeper ones than there are
// slots are counted and not named.
#include "frames.h"

#include "operation.h"

enum { frame_slots = 32 };

static _Thread_local struct {
  uint32_t depth;
  uint32_t waits;
  struct {
    optrace_operation *operation;
    uint32_t phase;
  } frames[frame_slots];
} self;

void optrace_frame_push(optrace_operation *operation) {
  uint32_t depth = self.depth++;
  if (depth >= frame_slots) return;
  self.frames[depth].operation = operation;
  self.frames[depth].phase = optrace_phase_starting;
}

void optrace_frame_pop(void) {
  if (self.depth) self.depth -= 1;
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

optrace_operation *frame_that_blocks(void) {
  uint32_t depth = self.depth;
  return depth && depth <= frame_slots && !self.waits ? self.frames[depth - 1].operation : NULL;
}

uint32_t optrace_frame_current_phase(void) {
  uint32_t depth = self.depth;
  return depth && depth <= frame_slots ? self.frames[depth - 1].phase : 0;
}

const void *optrace_frame_object(void) {
  optrace_operation *operation = optrace_frame_current();
  return operation ? atomic_load_explicit(&operation->object, memory_order_relaxed) : NULL;
}
