#include "starts.h"

#include <stdatomic.h>
#include <string.h>

#include "../base/bits.h"
#include "../operations/frames.h"
#include "../records/buffers.h"
#include "../records/thread_numbers.h"
#include "COpTraceFields.h"
#include "recording.h"

enum { table_bits = 12, farthest = 16, most_entries = 8192 };

// Who did it, and when.
typedef struct {
  uint32_t work, thread, tid;
  uint64_t ticks;
} doer;

// The threads that were started last, by the C library's name. Where a thread has the name of an older one, that is forgotten.
typedef struct {
  _Atomic uint64_t name;   // 0: free.
  _Atomic uint32_t turn;   // Odd while `by` changes; 0: it was never set.
  _Atomic bool is_told;
  _Atomic uint32_t tid;    // Of the started thread, once it is in orders, since `wanted`.
  _Atomic uint64_t wanted;
  doer by;
} start;
static start table[1 << table_bits];

typedef struct {
  _Atomic bool is_complete;
  bool is_join;
  uint32_t tid;
  doer by;
} entry;
static entry entries[most_entries];
static _Atomic uint32_t count;
static uint32_t written;

void starts_forget_all(void) {
  atomic_store(&count, 0);
  written = 0;
  memset(entries, 0, sizeof entries);
  memset(table, 0, sizeof table);
}

static doer doer_here(void) {
  optrace_recorder *recorder = orders_recorder();
  work inside = frame_work();
  const thread_buffer *buffer = recorder ? buffer_known(recorder) : NULL;
  return (doer){
    .work = inside.recorder == recorder ? inside.number : 0, .thread = buffer ? buffer->thread : 0, .tid = optrace_thread_id(),
    .ticks = recorder ? recorder_now(recorder) : 0,
  };
}

static uint64_t name_of(pthread_t thread) {
  uint64_t name = 0;
  memcpy(&name, &thread, sizeof thread < sizeof name ? sizeof thread : sizeof name);
  return name;
}

static start *find(uint64_t name, bool adds) {
  uint32_t index = hash_index(name >> 4, table_bits);
  for (uint32_t i = 0; name && i < farthest; i++, index = (index + 1) % (1 << table_bits)) {
    uint64_t there = atomic_load_explicit(&table[index].name, memory_order_acquire);
    if (there == name) return &table[index];
    if (there) continue;
    if (!adds) return NULL;
    if (atomic_compare_exchange_strong(&table[index].name, &there, name) || there == name) return &table[index];
  }
  return NULL;
}

static void add(uint32_t tid, doer by, bool is_join) {
  uint32_t index = atomic_load(&count) < most_entries ? atomic_fetch_add(&count, 1) : most_entries;
  if (index >= most_entries) return;
  entries[index].is_join = is_join;
  entries[index].tid = tid;
  entries[index].by = by;
  atomic_store_explicit(&entries[index].is_complete, true, memory_order_release);
}

uint64_t starts_now(void) {
  optrace_recorder *recorder = orders_recorder();
  return recorder ? recorder_now(recorder) : 0;
}

// Notes who has started the thread that has this name now, once both are known: by now it runs, and was started before.
static void settle(start *one) {
  uint32_t turn = atomic_load_explicit(&one->turn, memory_order_acquire), tid = atomic_load_explicit(&one->tid, memory_order_acquire);
  if (!turn || turn % 2 || !tid) return;
  doer by = one->by;
  atomic_thread_fence(memory_order_acquire);
  if (atomic_load_explicit(&one->turn, memory_order_relaxed) != turn) return;
  if (by.ticks > atomic_load_explicit(&one->wanted, memory_order_relaxed)) return;
  if (!atomic_exchange(&one->is_told, true)) add(tid, by, false);
}

void start_is_made(pthread_t thread, uint64_t began) {
  start *one = find(name_of(thread), true);
  if (!one) return;
  bool is_of_older = atomic_load_explicit(&one->wanted, memory_order_relaxed) < began;
  if (is_of_older) {
    settle(one);
    atomic_store_explicit(&one->tid, 0, memory_order_relaxed);
  }
  atomic_fetch_add_explicit(&one->turn, 1, memory_order_acq_rel);
  one->by = doer_here();
  one->by.ticks = began;
  atomic_fetch_add_explicit(&one->turn, 1, memory_order_acq_rel);
  atomic_store_explicit(&one->is_told, false, memory_order_release);
}

void start_is_joined(pthread_t thread) {
  start *one = find(name_of(thread), false);
  if (!one) return;
  settle(one);
  uint32_t tid = atomic_exchange(&one->tid, 0);
  if (tid) add(tid, doer_here(), true);
}

void start_is_wanted(uint32_t tid) {
  start *one = find(name_of(pthread_self()), true);
  if (!one) return;
  atomic_store_explicit(&one->wanted, starts_now(), memory_order_relaxed);
  atomic_store_explicit(&one->tid, tid, memory_order_release);
}

bool starts_write(optrace_recorder *recorder) {
  for (uint32_t i = 0; i < 1 << table_bits; i++) settle(&table[i]);
  uint32_t before = written, end = atomic_load_explicit(&count, memory_order_acquire);
  for (; written < end && written < most_entries; written++) {
    const entry *one = &entries[written];
    if (!atomic_load_explicit(&one->is_complete, memory_order_acquire)) break;
    uint32_t thread = thread_number_named(recorder, one->tid, false);
    uint32_t from = one->by.thread ? one->by.thread : thread_number_named(recorder, one->by.tid, false);
    uint64_t now = recorder_now(recorder), age = (now > one->by.ticks ? now - one->by.ticks : 0) / optrace_format_age_unit;
    optrace_thread_begun_fields fields = {
      .by = one->by.work, .from = from, .joined = one->is_join,
      .age = age < optrace_thread_begun_largest_age ? age : optrace_thread_begun_largest_age,
    };
    optrace_emit3(recorder, optrace_kind_thread_begun, thread, optrace_thread_begun_word1(fields), optrace_thread_begun_word2(fields));
  }
  return written != before;
}
