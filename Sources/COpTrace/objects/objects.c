// The entries of objects whose classes are not ours: a hash table by address.
//
// Lookups take no lock. Entries are never freed, so a reader always reads valid memory, and retries if the bucket has changed meanwhile.
// Adding and removing happen once in an object's life, and lock only one bucket, for a few instructions. An entry is removed when its
// object is freed (see the hook of `deinit`).
#include "objects.h"

#include "../base/bits.h"
#include "../base/filter.h"
#include "../base/own_lock.h"
#include "../operations/operation.h"
#include "classes.h"
#include "state.h"

#if OPTRACE_HAS_HOOKS
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { bucket_bits = 16, block_entries = 512, most_blocks = 1 << 15 };

typedef struct {
  _Atomic uint32_t version;  // Odd while it is being changed.
  _Atomic uint32_t first;
  uint32_t spare;  // The entry of a freed object, kept for the next one, because allocators reuse addresses. 0: none.
  uint32_t unused;
} bucket;

static bucket buckets[1 << bucket_bits];
static optrace_operation *_Atomic blocks[most_blocks];
static _Atomic uint32_t entry_count = 1;  // Number 0 means none.
// The list of free entries: the number of the first one, and a count of changes against the ABA problem.
static _Atomic uint64_t free_entries;
static pthread_mutex_t more = PTHREAD_MUTEX_INITIALIZER;

static optrace_operation *entry_at(uint32_t number) {
  return &atomic_load_explicit(&blocks[number / block_entries], memory_order_acquire)[number % block_entries];
}

static bucket *bucket_of(const void *object) {
  return &buckets[hash_address(object, bucket_bits)];
}

static uint32_t take_entry(void) {
  uint64_t list = atomic_load_explicit(&free_entries, memory_order_acquire);
  while (pair_low(list)) {
    uint32_t next = atomic_load_explicit(&entry_at(pair_low(list))->next_free, memory_order_relaxed);
    uint64_t rest = pair_of(pair_high(list) + 1, next);
    if (atomic_compare_exchange_weak_explicit(&free_entries, &list, rest, memory_order_acq_rel, memory_order_acquire))
      return pair_low(list);
  }
  own_lock(&more);
  uint32_t number = atomic_load_explicit(&entry_count, memory_order_relaxed);
  uint32_t block = number / block_entries;
  if (block >= most_blocks) {
    number = 0;
  } else if (!atomic_load_explicit(&blocks[block], memory_order_relaxed)) {
    optrace_operation *entries = calloc(block_entries, sizeof *entries);
    if (entries) {
      for (uint32_t i = 0; i < block_entries; i++) entries[i].number = block * block_entries + i;
      atomic_store_explicit(&blocks[block], entries, memory_order_release);
    } else {
      number = 0;
    }
  }
  if (number) atomic_store_explicit(&entry_count, number + 1, memory_order_relaxed);
  pthread_mutex_unlock(&more);
  return number;
}

static void give_entry(uint32_t number) {
  uint64_t list = atomic_load_explicit(&free_entries, memory_order_relaxed), with;
  do {
    atomic_store_explicit(&entry_at(number)->next_free, pair_low(list), memory_order_relaxed);
    with = pair_of(pair_high(list) + 1, number);
  } while (!atomic_compare_exchange_weak_explicit(&free_entries, &list, with, memory_order_acq_rel, memory_order_relaxed));
}

static optrace_operation *search(bucket *b, const void *object) {
  // Concurrent changes may lead a reader into another chain. The number of steps is limited, and the reader then retries.
  uint32_t number = atomic_load_explicit(&b->first, memory_order_acquire);
  for (uint32_t steps = 0; number && steps < 1 << 20; steps++) {
    optrace_operation *found = entry_at(number);
    if (atomic_load_explicit(&found->object, memory_order_acquire) == object) return found;
    number = atomic_load_explicit(&found->next, memory_order_acquire);
  }
  return NULL;
}

static __attribute__((noinline)) optrace_operation *find_slowly(bucket *b, const void *object) {
  for (;;) {
    uint32_t version = atomic_load_explicit(&b->version, memory_order_acquire);
    optrace_operation *found = search(b, object);
    if (found) return found;
    atomic_thread_fence(memory_order_acquire);
    if (version % 2 == 0 && atomic_load_explicit(&b->version, memory_order_relaxed) == version) return NULL;
    if (version % 2) system_yield();
  }
}

optrace_operation *optrace_object_find(const void *object) {
  bucket *b = bucket_of(object);
  // The common case: it is the only entry of the bucket.
  uint32_t first = atomic_load_explicit(&b->first, memory_order_acquire);
  if (likely(first)) {
    optrace_operation *found = entry_at(first);
    if (likely(atomic_load_explicit(&found->object, memory_order_acquire) == object)) return found;
  }
  return find_slowly(b, object);
}

static void begin_change(bucket *b) {
  for (;;) {
    uint32_t version = atomic_load_explicit(&b->version, memory_order_relaxed);
    if (version % 2 == 0 && atomic_compare_exchange_weak_explicit(&b->version, &version, version + 1,
                                                                  memory_order_acquire, memory_order_relaxed))
      return;
    if (version % 2) system_yield();
  }
}

// Unlocks a bucket. Nobody else writes the version while it is odd.
static void end_change(bucket *b) {
  atomic_store_explicit(&b->version, atomic_load_explicit(&b->version, memory_order_relaxed) + 1, memory_order_release);
}

// The bucket is being changed.
static optrace_operation *insert(bucket *b, uint32_t number, const void *object, uint64_t created) {
  optrace_operation *added = entry_at(number);
  atomic_store_explicit(&added->recorder, NULL, memory_order_relaxed);
  atomic_store_explicit(&added->owner, NULL, memory_order_relaxed);
  atomic_store_explicit(&added->serial, 0, memory_order_relaxed);
  atomic_store_explicit(&added->bits, 0, memory_order_relaxed);
  added->created = created;
  added->made = 0;
  atomic_store_explicit(&added->companion, NULL, memory_order_relaxed);
  atomic_store_explicit(&added->next, atomic_load_explicit(&b->first, memory_order_relaxed), memory_order_relaxed);
  atomic_store_explicit(&added->object, object, memory_order_release);
  atomic_store_explicit(&b->first, number, memory_order_release);
  return added;
}

// Finds the object's entry, or adds one.
static optrace_operation *find_or_add(void *object) {
  bucket *b = bucket_of(object);
  optrace_operation *found = atomic_load_explicit(&b->first, memory_order_relaxed) ? optrace_object_find(object) : NULL;
  if (found) return found;
  uint64_t created = optrace_clock_ticks();
  uint32_t taken = 0;
  for (;;) {
    begin_change(b);
    found = search(b, object);
    if (!found && b->spare) {
      found = insert(b, b->spare, object, created);
      b->spare = 0;
    } else if (!found && taken) {
      found = insert(b, taken, object, created);
      taken = 0;
    }
    end_change(b);
    if (found) break;
    // Getting an entry uses a list shared between threads, and may allocate. So it is not done while the bucket is locked.
    taken = take_entry();
    if (!taken) return NULL;
  }
  if (taken) give_entry(taken);
  return found;
}

// Objects whose `deinit` runs on this thread, innermost first. They have been removed from the table. What their code still does (for
// example a queue cancels its operations) must not add them again, or the next object at the address would be mistaken for them.
typedef struct ending {
  const void *object;
  const struct ending *outer;
} ending;

static _Thread_local const ending *innermost;

bool object_is_ending(const void *object) {
  for (const ending *e = innermost; e; e = e->outer)
    if (e->object == object) return true;
  return false;
}

optrace_operation *optrace_object_know(void *object, bool is_queue) {
  if (!hooks_active() || object_is_ending(object)) return NULL;
  const class_entry *class = class_know(*(const void **)object, is_queue ? class_queue : class_operation);
  return class && !class->records_itself ? find_or_add(object) : NULL;
}

static void remove_entry(optrace_operation *operation) {
  bucket *b = bucket_of(atomic_load_explicit(&operation->object, memory_order_relaxed));
  uint32_t number = operation->number, given = 0;
  begin_change(b);
  for (_Atomic uint32_t *link = &b->first; *link; link = &entry_at(*link)->next) {
    if (*link != number) continue;
    atomic_store_explicit(link, atomic_load_explicit(&operation->next, memory_order_relaxed), memory_order_release);
    given = b->spare ? number : 0;
    if (!given) b->spare = number;
    break;
  }
  atomic_store_explicit(&operation->object, NULL, memory_order_relaxed);
  end_change(b);
  if (given) give_entry(given);
}

void object_end(void *object, uint8_t kind, method destroy) {
  optrace_operation *known = hooks_active() ? optrace_object_find(object) : NULL;
  if (known) {
    optrace_operation_event(known, kind);
    remove_entry(known);
  }
  ending self = {object, innermost};
  innermost = &self;
  destroy(object);
  innermost = self.outer;
}

// Called when the hooks no longer see that objects are freed. The entries are not reused, because a thread may be inside an operation and
// still use its entry.
void objects_forget(void) {
  for (size_t i = 0; i < sizeof buckets / sizeof *buckets; i++) {
    if (!atomic_load_explicit(&buckets[i].first, memory_order_relaxed)) continue;
    begin_change(&buckets[i]);
    uint32_t number = atomic_exchange_explicit(&buckets[i].first, 0, memory_order_acq_rel);
    end_change(&buckets[i]);
    for (; number; number = atomic_load_explicit(&entry_at(number)->next, memory_order_relaxed))
      optrace_operation_notify(entry_at(number), optrace_companion_left, NULL, 0);
  }
}
#endif
