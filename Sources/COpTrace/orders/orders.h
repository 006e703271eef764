// Which locks and the like are taken while others are held: each such order is recorded once, with both stacks. A thread that takes
// something tells it here; see hooks/orders.c.
//
// What a thread holds is a stack. Together with what it wants and the places where all of it was taken, it is a *way*, which has a hash. If
// that hash is in a table, nothing is to be done: that is nearly always so. Nothing here takes a lock or allocates, because a program's
// allocator may take its locks with these calls. The flusher writes what is new.
#ifndef OPTRACE_ORDERS_H
#define OPTRACE_ORDERS_H

#include "../storage/recorder.h"
#include "COpTraceFormat.h"
#include "../held/held.h"
#include "places.h"
#include "recording.h"

// From now on this recorder records orders. Null, or why it cannot.
const char *orders_begin(optrace_recorder *recorder);
// Whether they are recorded, in this process. Costs two loads.
static inline bool orders_are_wanted(void) { return held_recording() != 0; }

// What a call that takes something has to remember meanwhile. Small enough for registers: a structure in memory that is written in pieces
// and read as a whole costs more than all else here.
typedef struct {
  held_stack *held;  // Null: the call is not heard.
  int32_t again;     // Where the thread has it already; -1: it does not.
} wish;

// The thread wants something while it holds something. `object`: its address, or its number if it is of a kind with numbers. `what`: its
// `held_kind_and_how`. Returns `again`.
int32_t orders_look(held_stack *held, uint64_t object, uint32_t what, uint64_t pc, uint64_t outer_pc, uint64_t sp);
// The thread has it now, besides something else.
void orders_add(held_stack *held, uint64_t object, uint32_t what, uint64_t pc, uint64_t outer_pc, uint64_t sp);
void orders_add_first(held_stack *held, uint64_t object, uint32_t what, uint64_t pc, uint64_t outer_pc, uint64_t sp);

// Before a call that may wait for something.
static inline wish orders_want(uint64_t object, uint8_t kind, uint8_t how, place at) {
  held_stack *held = held_here();
  if (likely(!held || !held->count)) return (wish){held, -1};
  return (wish){held, orders_look(held, object, held_kind_and_how(kind, how), at.pc, at.outer_pc, at.sp)};
}

// Behind it: the thread has it now.
static inline void orders_take(wish wanted, uint64_t object, uint8_t kind, uint8_t how, place at) {
  held_stack *held = wanted.held;
  uint16_t what = held_kind_and_how(kind, how);
  if (unlikely(!held)) return;
  if (unlikely(wanted.again >= 0)) {
    held->things[wanted.again].times++;
    return;
  }
  if (unlikely(held->count)) return orders_add(held, object, what, at.pc, at.outer_pc, at.sp);
  held_enter(held);
  held_thing *first = &held->things[0];
  if (likely(held_is(first, object, what, at.pc, at.outer_pc) && held->epoch == held_epoch())) {
    first->sp = at.sp;
    first->times = 1;
    held->count = 1;
    held_leave(held);
    return;
  }
  orders_add_first(held, object, what, at.pc, at.outer_pc, at.sp);
}

// The thread gives something back that it does not seem to hold.
void orders_moved(uint64_t object);

// The thread gives it back.
static inline void orders_give(uint64_t object, uint8_t kind) {
  held_stack *held = held_here();
  if (held && unlikely(!held_pop(held, object, kind))) orders_moved(object);
}

// Something is made or destroyed at this address.
void orders_forget(uint64_t object);

// For a wait that gives a lock back meanwhile. Takes it out of the stack; false: the thread does not hold it.
bool orders_suspend(uint64_t object, uint8_t kind, held_thing *out);
void orders_resume(const held_thing *thing, place at);

#endif
