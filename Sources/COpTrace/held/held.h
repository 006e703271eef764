// What each thread holds at the moment: a small stack for each, from a pool that is allocated at once, because a thread may take its first
// lock inside of the program's allocator.
#ifndef OPTRACE_HELD_H
#define OPTRACE_HELD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "../base/likely.h"
#include "../base/own_call.h"

// Something that is held.
typedef struct {
  uint64_t object;    // Its address, or its number.
  uint64_t pc;        // The return address of the call that took it; 0: there was none.
  uint64_t outer_pc;  // Where that function returns to; 0: not known.
  uint64_t sp;        // The caller's stack pointer then, or a little below it.
  uint64_t way;       // Stands for all that is held up to here; 0: not computed yet.
  uint64_t outer_way; // The same without this.
  uint32_t life;      // Which one at its address; 0: not asked for yet.
  uint32_t strand;    // Who has gone this way.
  uint32_t times;     // A recursive lock is taken several times.
  union {
    struct {
      uint8_t kind;   // `optrace_held_…`
      uint8_t how;    // `held_reader` and the like.
    };
    uint16_t kind_and_how;
  };
} held_thing;
static inline uint16_t held_kind_and_how(uint8_t kind, uint8_t how) { return (held_thing){.kind = kind, .how = how}.kind_and_how; }

enum { held_reader = 1, held_try = 2, held_timed = 4, held_kept = 8 };
enum { held_most = 16 };
// Enough strands have gone this way: no other one is told of.
static const uint32_t held_any_strand = UINT32_MAX;

typedef struct {
  _Atomic uint32_t taken_by;  // The system's id of the thread; 0: nobody.
  uint32_t recording;         // What is here belongs to this recording.
  uint32_t count;
  uint32_t epoch;             // That of `held_shared` when a way was computed last.
  bool is_start_told;         // Who has started the thread is told of.
  _Atomic bool is_busy;       // The thread is changing it. What a signal handler takes meanwhile is not heard.
  // Behind `count` is what was held last: threads mostly do the same again, and then need not ask the tables.
  _Alignas(64) held_thing things[held_most];
} held_stack;

// Shared by all threads. Zero in a forked child, which records nothing.
typedef struct {
  _Atomic uint32_t recording;  // 0: orders are not recorded. Each recording has another number.
  _Atomic uint32_t epoch;      // Counts objects that have ended: ways to them are no longer theirs.
  _Atomic uint32_t deep;       // How many acquisitions were not noted, because a thread held too much or there were too many threads.
} held_shared;
__attribute__((visibility("hidden"))) extern held_shared *_Atomic held_all;

// In the static TLS block, like `this_thread` in records/buffers.h.
#if defined(__GLIBC__)
__attribute__((tls_model("initial-exec")))
#endif
__attribute__((visibility("hidden"))) extern _Thread_local held_stack *held_of_thread;

// False: memory is out. May be called again.
bool held_prepare(void);
// 0: nothing is heard from now on. Else a number that was not used before.
void held_set_recording(uint32_t recording);

// Finds an empty stack for the thread, or empties the one of an earlier recording. Null: there is none.
held_stack *held_make(uint32_t recording);

static inline uint32_t held_recording(void) {
  held_shared *all = atomic_load_explicit(&held_all, memory_order_acquire);
  return all ? atomic_load_explicit(&all->recording, memory_order_relaxed) : 0;
}

// The thread's stack. Null: nothing is recorded, or this call is none of the program's.
static inline held_stack *held_here(void) {
  uint32_t recording = held_recording();
  if (!recording || is_own_call) return NULL;
  held_stack *held = held_of_thread;
  if (unlikely(!held || held->recording != recording)) held = held_make(recording);
  return held && !atomic_load_explicit(&held->is_busy, memory_order_relaxed) ? held : NULL;
}

// Put these around each change. The fences keep the compiler from moving the change out of it.
static inline void held_enter(held_stack *held) {
  atomic_store_explicit(&held->is_busy, true, memory_order_relaxed);
  atomic_signal_fence(memory_order_seq_cst);
}
static inline void held_leave(held_stack *held) {
  atomic_signal_fence(memory_order_seq_cst);
  atomic_store_explicit(&held->is_busy, false, memory_order_relaxed);
}

void held_count_deep(void);

static inline uint32_t held_epoch(void) {
  return atomic_load_explicit(&atomic_load_explicit(&held_all, memory_order_acquire)->epoch, memory_order_relaxed);
}

// Whether this is what was held there last.
static inline bool held_is(const held_thing *thing, uint64_t object, uint16_t kind_and_how, uint64_t pc, uint64_t outer_pc) {
  return thing->object == object && thing->pc == pc && thing->outer_pc == outer_pc && thing->kind_and_how == kind_and_how;
}

// The place of something in the stack; -1: it is not there.
int held_find(const held_stack *held, uint64_t object, uint8_t kind);

// Takes it out. What was taken later is then held another way.
void held_remove(held_stack *held, int at);

// It is given back. False: the thread does not hold it.
bool held_pop_any(held_stack *held, uint64_t object, uint8_t kind);
static inline bool held_pop(held_stack *held, uint64_t object, uint8_t kind) {
  uint32_t count = held->count;
  const held_thing *top = &held->things[count - 1];
  if (unlikely(!count || top->object != object || top->kind != kind || top->times != 1)) return held_pop_any(held, object, kind);
  held->count = count - 1;
  return true;
}

#endif
