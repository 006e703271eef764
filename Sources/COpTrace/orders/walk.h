// Stacks of those who take, wait and signal.
#ifndef OPTRACE_ORDERS_WALK_H
#define OPTRACE_ORDERS_WALK_H

#include <stdbool.h>
#include <stddef.h>

#include "../held/held.h"
#include "COpTrace.h"
#include "places.h"

// The most frames of a stack.
enum { walk_deepest = 100 };
typedef struct {
  uint64_t pcs[walk_deepest], sps[walk_deepest];
  size_t count, guessed;
} walked;

// Before the first walk. False: memory is out.
bool walks_prepare(void);
// Walks the calling thread's stack, from the hook's caller outwards. Takes no lock and allocates nothing.
void walk_from(walked *to, place at);
// The stack in which something was taken that is still held. Without frames: it was not taken by a call.
void walk_then(walked *to, const held_thing *thing, const walked *now);
// Whether the program's own code did this, itself or by a call of Foundation or libdispatch: not a system library for itself.
// `walk_is_never`: the two innermost frames say that it did not.
typedef enum { walk_is_never, walk_is_others, walk_is_programs } walk_origin;
// A lock is taken by one function of a library, such as `NSLock.lock`; what is deeper is the library's own.
walk_origin walk_origin_of(const walked *w, uint8_t kind);
// The number of a stack; 0: there is no room, or it has no frames.
uint32_t walk_remember(const walked *w);

// The number in the trace of a stack that was remembered; 0: none. Only for the flusher's thread: it describes the stack.
uint32_t walk_stack_id(optrace_recorder *recorder, uint32_t stack);

#endif
