// Where libdispatch keeps a queue's width and its target, proven with queues that were made for it.
#ifndef OPTRACE_QUEUE_LAYOUT_H
#define OPTRACE_QUEUE_LAYOUT_H

#include "COpTraceLayouts.h"

// Offsets in bytes; 0: not known.
typedef struct {
  uint32_t width, target;
} queue_layout;

// `exported`: what libdispatch says; null: it does not, and then the fields are searched. `one`: a serial queue, `many`: a concurrent one,
// `above`: a serial one whose target is the first. An offset is known only if these three have what they must have there.
queue_layout queue_layout_prove(const optrace_queue_offsets *exported, const void *one, const void *many, const void *above);

// The fields of a queue, at a known offset.
uint16_t queue_width_at(const void *queue, uint32_t offset);
void *queue_target_at(const void *queue, uint32_t offset);

#endif
