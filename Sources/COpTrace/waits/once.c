// Swift's runtime lets one thread run an initialiser, while the others sleep in a kernel lock. In a deadlock one of them does not sleep:
// the kernel detects the cycle and refuses the wait, and the runtime retries forever, so the thread seems to be running. That is why each
// thread notes here what it waits for.
#include "once.h"

#include <stdatomic.h>

#include "COpTrace.h"

enum { most_calls = 128 };

// Written only by the thread that has taken the slot. `turn` works like a sequence lock: it is odd while the other members are being
// written, and changes with each step of the call, so a reader can tell whether what it has read is consistent.
typedef struct {
  _Atomic uint32_t tid;  // 0: free.
  _Atomic uint32_t turn;
  _Atomic uint32_t is_running;
  _Atomic uint64_t token, pc, sp, bp;
} once_call;

static once_call calls[most_calls];
// How many slots have ever been in use, counted from the first.
static _Atomic uint32_t used;

static void step(once_call *c) { atomic_fetch_add_explicit(&c->turn, 1, memory_order_acq_rel); }

uint32_t once_enter(const void *token, stack_start start) {
  uint32_t tid = optrace_thread_id();
  for (uint32_t i = 0; tid && i < most_calls; i++) {
    once_call *c = &calls[i];
    uint32_t none = 0;
    if (atomic_load_explicit(&c->tid, memory_order_relaxed) || !atomic_compare_exchange_strong(&c->tid, &none, tid)) continue;
    step(c);
    atomic_store_explicit(&c->is_running, 0, memory_order_relaxed);
    atomic_store_explicit(&c->token, (uintptr_t)token, memory_order_relaxed);
    atomic_store_explicit(&c->pc, start.pc, memory_order_relaxed);
    atomic_store_explicit(&c->sp, start.sp, memory_order_relaxed);
    atomic_store_explicit(&c->bp, start.bp, memory_order_relaxed);
    step(c);
    uint32_t known = atomic_load(&used);
    while (known <= i && !atomic_compare_exchange_weak(&used, &known, i + 1)) {
    }
    return i + 1;
  }
  return 0;
}

void once_runs(uint32_t number) {
  if (!number) return;
  once_call *c = &calls[number - 1];
  step(c);
  atomic_store_explicit(&c->is_running, 1, memory_order_relaxed);
  step(c);
}

void once_leave(uint32_t number) {
  if (!number) return;
  once_call *c = &calls[number - 1];
  step(c);
  atomic_store_explicit(&c->token, 0, memory_order_relaxed);
  step(c);
  atomic_store_explicit(&c->tid, 0, memory_order_release);
}

static uint32_t begin_reading(const once_call *c) { return atomic_load_explicit(&c->turn, memory_order_acquire); }

// Adding 0 is a barrier: it keeps the loads before it from moving behind it.
static bool is_unchanged(once_call *c, uint32_t turn) {
  return turn % 2 == 0 && atomic_fetch_add_explicit(&c->turn, 0, memory_order_acq_rel) == turn;
}

static uint32_t runner_of(uint64_t token) {
  uint32_t count = atomic_load(&used);
  for (uint32_t i = 0; i < count; i++) {
    once_call *c = &calls[i];
    uint32_t turn = begin_reading(c), tid = atomic_load_explicit(&c->tid, memory_order_relaxed);
    bool runs = atomic_load_explicit(&c->token, memory_order_relaxed) == token && atomic_load_explicit(&c->is_running, memory_order_relaxed);
    if (runs && is_unchanged(c, turn)) return tid;
  }
  return 0;
}

bool once_find(uint32_t tid, once_waiter *out) {
  uint32_t count = atomic_load(&used);
  for (uint32_t i = 0; i < count; i++) {
    once_call *c = &calls[i];
    uint32_t turn = begin_reading(c);
    if (atomic_load_explicit(&c->tid, memory_order_relaxed) != tid || atomic_load_explicit(&c->is_running, memory_order_relaxed)) continue;
    once_waiter found = {
      .token = atomic_load_explicit(&c->token, memory_order_relaxed), .turn = turn, .slot = i,
      .start = {.pc = atomic_load_explicit(&c->pc, memory_order_relaxed), .sp = atomic_load_explicit(&c->sp, memory_order_relaxed),
                .bp = atomic_load_explicit(&c->bp, memory_order_relaxed)},
    };
    if (!found.token || !is_unchanged(c, turn)) continue;
    found.owner = runner_of(found.token);
    *out = found;
    return true;
  }
  return false;
}

bool once_still_waits(const once_waiter *waiter) { return is_unchanged(&calls[waiter->slot], waiter->turn); }
