#include "held.h"

#include <pthread.h>
#include <sys/mman.h>

#include "../base/wiped.h"
#include "COpTrace.h"

held_shared *_Atomic held_all;
_Thread_local held_stack *held_of_thread;

// So many threads may hold something at once.
enum { stacks = 4096 };
static held_stack *_Atomic pool;
static _Atomic uint32_t next_free;

static pthread_key_t key;
static bool has_key;

static void give_back(void *stack) {
  held_stack *held = stack;
  held_of_thread = NULL;
  held->count = 0;
  atomic_store_explicit(&held->taken_by, 0, memory_order_release);
}

// For a key above the first ones the C library allocates in each thread, which must not happen inside of the program's allocator. Without a
// key the stacks of ended threads are not used again.
static void make_key(void) {
  enum { without_allocation = 32 };
  has_key = pthread_key_create(&key, give_back) == 0;
#if defined(__GLIBC__)
  if (!has_key || key < without_allocation) return;
  pthread_key_delete(key);
  has_key = false;
#else
  (void)without_allocation;
#endif
}

bool held_prepare(void) {
  if (atomic_load(&held_all)) return true;
  held_stack *made = mmap(NULL, stacks * sizeof *made, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  held_shared *all = wiped_pages(sizeof *all);
  if (made == MAP_FAILED || !all) return false;
  make_key();
  atomic_store(&pool, made);
  atomic_store_explicit(&held_all, all, memory_order_release);
  return true;
}

void held_set_recording(uint32_t recording) {
  held_shared *all = atomic_load_explicit(&held_all, memory_order_acquire);
  if (!all) return;
  if (recording) atomic_store_explicit(&all->deep, 0, memory_order_relaxed);
  atomic_store_explicit(&all->recording, recording, memory_order_release);
}

void held_count_deep(void) {
  held_shared *all = atomic_load_explicit(&held_all, memory_order_acquire);
  if (all) atomic_fetch_add_explicit(&all->deep, 1, memory_order_relaxed);
}

static held_stack *claim(void) {
  held_stack *all = atomic_load_explicit(&pool, memory_order_acquire);
  uint32_t first = atomic_fetch_add_explicit(&next_free, 1, memory_order_relaxed), tid = optrace_thread_id();
  // Mostly the first one is free, so that a full pool is the only case in which all are asked.
  for (uint32_t i = 0; all && tid && i < stacks; i++) {
    held_stack *one = &all[(first + i) % stacks];
    uint32_t nobody = 0;
    if (atomic_load_explicit(&one->taken_by, memory_order_relaxed)) continue;
    if (atomic_compare_exchange_strong_explicit(&one->taken_by, &nobody, tid, memory_order_acq_rel, memory_order_relaxed)) return one;
  }
  return NULL;
}

held_stack *held_make(uint32_t recording) {
  static _Thread_local bool was_refused;
  held_stack *held = held_of_thread;
  if (held && atomic_load_explicit(&held->is_busy, memory_order_relaxed)) return NULL;
  if (!held && !was_refused) {
    held = claim();
    was_refused = !held;
    // The destructor runs again for what is taken in those of others, up to the limit of the C library.
    if (held && has_key) pthread_setspecific(key, held);
  }
  if (!held) {
    held_count_deep();
    return NULL;
  }
  held->count = 0;
  held->is_start_told = false;
  held->recording = recording;
  atomic_store_explicit(&held->is_busy, false, memory_order_relaxed);
  held_of_thread = held;
  return held;
}

void held_remove(held_stack *held, int at) {
  bool was = atomic_load_explicit(&held->is_busy, memory_order_relaxed);
  held_enter(held);
  held->count--;
  for (int i = at; i < (int)held->count; i++) {
    held->things[i] = held->things[i + 1];
    held->things[i].way = 0;
    if (i) held->things[i].how |= held_kept;
    else held->things[i].how &= (uint8_t)~held_kept;
  }
  // What was behind it is held in no such order any more.
  held->things[held->count].object = 0;
  if (!was) held_leave(held);
}

int held_find(const held_stack *held, uint64_t object, uint8_t kind) {
  for (int i = (int)held->count - 1; i >= 0; i--)
    if (held->things[i].object == object && held->things[i].kind == kind) return i;
  return -1;
}

bool held_pop_any(held_stack *held, uint64_t object, uint8_t kind) {
  int at = held_find(held, object, kind);
  if (at < 0) return false;
  if (held->things[at].times > 1) held->things[at].times--;
  else held_remove(held, at);
  return true;
}
