// A work item does not show which of its submissions is running, so this assumes the oldest one that has not run.
#include "items.h"

#include "../base/bits.h"
#include "../base/filter.h"
#include "../dispatch/submitted.h"
#include "../objects/state.h"

#if OPTRACE_HAS_HOOKS

enum { bucket_bits = 10 };

// The table from the program's blocks to items. A bucket is locked for a few instructions, once in an item's life and at each submission.
static struct {
  _Atomic uint32_t is_held;
  item *first;
} buckets[1 << bucket_bits];

// The item whose block libdispatch has just copied on this thread.
static _Thread_local item *copied;

static uint32_t hold(const void *special) {
  uint32_t bucket = hash_address(special, bucket_bits);
  while (atomic_exchange_explicit(&buckets[bucket].is_held, 1, memory_order_acquire)) system_yield();
  return bucket;
}

static void let_go(uint32_t bucket) { atomic_store_explicit(&buckets[bucket].is_held, 0, memory_order_release); }

static bool add_waiting(item *i, uint32_t number) {
  for (uint32_t n = 0; n < most_submissions; n++) {
    uint32_t none = 0;
    if (atomic_compare_exchange_strong_explicit(&i->waiting[n], &none, number, memory_order_acq_rel, memory_order_relaxed)) return true;
  }
  return false;
}

static uint32_t take_waiting(item *i) {
  for (;;) {
    uint32_t oldest = 0, slot = 0;
    for (uint32_t n = 0; n < most_submissions; n++) {
      uint32_t number = atomic_load_explicit(&i->waiting[n], memory_order_acquire);
      if (number && (!oldest || number < oldest)) oldest = number, slot = n;
    }
    if (!oldest) return 0;
    uint32_t expected = oldest;
    if (atomic_compare_exchange_strong_explicit(&i->waiting[slot], &expected, 0, memory_order_acq_rel, memory_order_relaxed)) {
      return oldest;
    }
  }
}

static void item_copy(void *to, const void *from) {
  item *made = to;
  made->body = block_copy(((const item *)from)->body);
  copied = made;
}

static void item_dispose(const void *block) {
  item *i = (item *)(uintptr_t)block;
  if (i->special) {
    uint32_t bucket = hold(i->special);
    for (item **link = &buckets[bucket].first; *link; link = &(*link)->next) {
      if (*link != i) continue;
      *link = i->next;
      break;
    }
    let_go(bucket);
  }
  optrace_recorder *recorder = atomic_load_explicit(&i->recorder, memory_order_relaxed);
  for (uint32_t number; (number = take_waiting(i));) submitted_dropped(recorder, number);
  block_release(i->body);
}

static void run_item(void *block) {
  item *i = block;
  uint32_t number = take_waiting(i);
  optrace_recorder *recorder = atomic_load_explicit(&i->recorder, memory_order_relaxed);
  submitted_begins(recorder, number);
  i->body->invoke((void *)(uintptr_t)i->body);
  submitted_ends(recorder, number);
}

static const block_descriptor item_descriptor = {0, sizeof(item), item_copy, item_dispose};

bool item_wrap(item *made, void *body) {
  if (!body || !submission_recorder() || block_is_special(body) || !block_code_is_programs(block_code(body))) return false;
  *made = (item){.head = block_on_stack(run_item, &item_descriptor), .body = body};
  copied = NULL;
  return true;
}

void *item_created(void *special) {
  item *made = copied;
  copied = NULL;
  if (!special || !made) return special;
  uint32_t bucket = hold(special);
  made->special = special;
  made->next = buckets[bucket].first;
  buckets[bucket].first = made;
  let_go(bucket);
  return special;
}

// `here`: the hook's own `optrace_here()`, from which the stack is walked.
void item_submitted(optrace_recorder *recorder, const block *special, void *queue, uint32_t how, optrace_start here) {
  uint32_t bucket = hold(special);
  item *i = buckets[bucket].first;
  while (i && i->special != special) i = i->next;
  let_go(bucket);
  // The caller owns the block, so the item cannot be freed meanwhile.
  if (!i) return;
  bool has_room = false;
  for (uint32_t n = 0; n < most_submissions; n++) has_room |= !atomic_load_explicit(&i->waiting[n], memory_order_relaxed);
  if (!has_room) return;
  atomic_store_explicit(&i->recorder, recorder, memory_order_relaxed);
  uint32_t number = submitted(recorder, queue, how | submitted_as_item | (block_is_barrier(special) ? submitted_alone : 0), block_code(i->body), here);
  if (number && !add_waiting(i, number)) submitted_dropped(recorder, number);
}

void item_cancelled(const void *special) {
  uint32_t bucket = hold(special);
  item *i = buckets[bucket].first;
  while (i && i->special != special) i = i->next;
  let_go(bucket);
  optrace_recorder *recorder = i ? atomic_load_explicit(&i->recorder, memory_order_relaxed) : NULL;
  for (uint32_t n = 0; i && n < most_submissions; n++)
    submitted_cancelled(recorder, atomic_load_explicit(&i->waiting[n], memory_order_acquire));
}
#endif
