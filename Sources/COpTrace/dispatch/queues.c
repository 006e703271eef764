// Numbers of dispatch queues, by address. A slot never changes its address. A new queue at the address of an old one gets a new
// number. In a growing file numbers are never used again; in a ring they are, once the ring has forgotten a queue.
#include "queues.h"

#include <stdatomic.h>
#include <string.h>

#include "../base/addresses.h"
#include "../base/utf8.h"
#include "../book/book.h"
#include "../layouts/left_out.h"
#include "COpTrace.h"
#include "COpTraceFields.h"
#include "queue_layout.h"

// Slots; bytes of a label that are kept.
enum { slot_bits = 14, slots = 1 << slot_bits, longest_label = 256 };
// The high half of a slot's number counts recorders, the low half is the queue's number in that recorder's trace.
static address_slot queue_table[slots];
static _Atomic uint32_t recorders, last_number;

enum { most_numbers = optrace_block_submitted_largest_queue + 1, no_slot = 0 };
// For a ring, by number. These are zeros until they are used, so they take only as much memory as numbers were used.
// `in_ring`: a bit for each number that a description in the ring has. `slot_of`: the slot of the queue with this number, plus one.
static _Atomic uint32_t in_ring[most_numbers / 32];
static _Atomic uint16_t slot_of[most_numbers];
// A bit for each number: that of a queue in which several blocks run at once, and of one of the system's.
static _Atomic uint32_t concurrent[most_numbers / 32], global[most_numbers / 32];

// What was found in libdispatch.
static struct {
  const char *(*label)(const void *queue);
  const void *main;
  queue_layout layout;
} known;

void dispatch_queues_prepare(void) {
  static bool is_prepared;
  if (is_prepared) return;
  is_prepared = true;
  known.label = (const char *(*)(const void *))book_find("dispatch_queue_get_label");
  known.main = book_find("_dispatch_main_q");
  void *(*create)(const char *, const void *) = (void *(*)(const char *, const void *))book_find("dispatch_queue_create");
  void *(*create_on)(const char *, const void *, void *) =
    (void *(*)(const char *, const void *, void *))book_find("dispatch_queue_create_with_target$V2");
  if (!create_on) create_on = (void *(*)(const char *, const void *, void *))book_find("dispatch_queue_create_with_target");
  const void *concurrent = book_find("_dispatch_queue_attr_concurrent");
  void (*release)(void *) = (void (*)(void *))book_find("dispatch_release");
  if (!create || !create_on || !concurrent || !release) return;
  void *one = create("", NULL), *many = create("", concurrent), *above = one ? create_on("", NULL, one) : NULL;
  if (one && many && above) known.layout = queue_layout_prove(book_find(OPTRACE_QUEUE_OFFSETS_SYMBOL), one, many, above);
  if (above) release(above);
  if (many) release(many);
  if (one) release(one);
  if (!known.layout.width) leave_out("the widths and targets of dispatch queues are not known, because this libdispatch has another layout");
  else if (!known.layout.target) leave_out("the targets of dispatch queues are not known, because this libdispatch has another layout");
}

void dispatch_queues_begin(optrace_recorder *recorder) {
  (void)recorder;
  // Numbers of another recorder are not valid in this one.
  atomic_fetch_add(&recorders, 1);
  uint32_t used = atomic_exchange(&last_number, 0);
  for (uint32_t number = 1; number <= used && number < most_numbers; number++) {
    atomic_store_explicit(&in_ring[number / 32], 0, memory_order_relaxed);
    atomic_store_explicit(&slot_of[number], no_slot, memory_order_relaxed);
  }
}

static size_t label_of(const void *queue, const char **out) {
  const char *text = known.label ? known.label(queue) : NULL;
  size_t length = text ? utf8_length(text, longest_label) : 0;
  *out = text;
  return length;
}

// ---- New numbers ---------------------------------------------------------------------------------------------------

static bool claim(uint32_t number) {
  uint32_t bit = bit_in_word(number);
  return !(atomic_fetch_or_explicit(&in_ring[number / 32], bit, memory_order_relaxed) & bit);
}

static void give_up(uint32_t number) {
  atomic_fetch_and_explicit(&in_ring[number / 32], ~bit_in_word(number), memory_order_relaxed);
}

// 0: there is none.
static uint32_t new_number(const optrace_recorder *recorder) {
  enum { most_tries = 64 };
  if (!recorder->options.ring) {
    if (atomic_load_explicit(&last_number, memory_order_relaxed) >= most_numbers - 1) return 0;
    uint32_t next = atomic_fetch_add_explicit(&last_number, 1, memory_order_relaxed) + 1;
    return next < most_numbers ? next : 0;
  }
  for (int i = 0; i < most_tries; i++) {
    uint32_t next = (atomic_fetch_add_explicit(&last_number, 1, memory_order_relaxed) + 1) % most_numbers;
    if (next && claim(next)) return next;
  }
  return 0;
}

bool dispatch_queue_is_known(uint32_t number) {
  return number < most_numbers && atomic_load_explicit(&slot_of[number], memory_order_relaxed) != no_slot;
}

void dispatch_queue_forget(uint32_t number) {
  if (number >= most_numbers) return;
  uint16_t slot = atomic_exchange_explicit(&slot_of[number], no_slot, memory_order_acq_rel);
  uint64_t known = pair_of(atomic_load_explicit(&recorders, memory_order_relaxed), number);
  if (slot != no_slot)
    atomic_compare_exchange_strong_explicit(&queue_table[slot - 1].number, &known, 0, memory_order_acq_rel, memory_order_relaxed);
  give_up(number);
}

// ---- Descriptions --------------------------------------------------------------------------------------------------

// In a ring the description is a record like others, which is carried as long as records refer to it.
static bool write(optrace_recorder *recorder, uint32_t number, optrace_dispatch_queue_fields fields, const char *label, size_t length) {
  const uint8_t *text = (const uint8_t *)label;
  uint64_t word1 = optrace_dispatch_queue_word1(fields), word2 = optrace_dispatch_queue_word2(fields);
  return recorder->options.ring
           ? optrace_emit_text(recorder, optrace_kind_dispatch_queue, number, optrace_dispatch_queue_high(fields), true, word2, text, length)
           : optrace_define(recorder, optrace_kind_dispatch_queue, number, word1, word2, text, length);
}

static void set_bit(_Atomic uint32_t *bits, uint32_t number, bool value) {
  if (value) atomic_fetch_or_explicit(&bits[number / 32], bit_in_word(number), memory_order_relaxed);
  else atomic_fetch_and_explicit(&bits[number / 32], ~bit_in_word(number), memory_order_relaxed);
}

dispatch_queue_shape dispatch_queue_shape_of(uint32_t number) {
  if (!number || number >= most_numbers) return dispatch_queue_global;
  if (atomic_load_explicit(&global[number / 32], memory_order_relaxed) & bit_in_word(number)) return dispatch_queue_global;
  bool is_concurrent = atomic_load_explicit(&concurrent[number / 32], memory_order_relaxed) & bit_in_word(number);
  return is_concurrent ? dispatch_queue_concurrent : dispatch_queue_serial;
}

static bool describe(optrace_recorder *recorder, uint32_t number, void *queue, uint32_t target) {
  const char *label;
  size_t length = label_of(queue, &label);
  uint32_t width = known.layout.width ? queue_width_at(queue, known.layout.width) : 0;
  bool is_global = width == optrace_queue_width_global;
  // In the trace 0 means: as many as the system allows.
  if (width >= optrace_queue_width_concurrent) width = 0;
  else if (!known.layout.width) width = UINT32_MAX;
  set_bit(concurrent, number, width != 1);
  set_bit(global, number, is_global);
  optrace_dispatch_queue_fields fields = {
    .width = (int32_t)width, .target = target, .main = queue == known.main, .global = is_global,
  };
  return write(recorder, number, fields, label, length);
}

static uint32_t number_of(optrace_recorder *recorder, void *queue, int depth);

static uint32_t target_of(optrace_recorder *recorder, void *queue, int depth) {
  enum { deepest = 8 };
  const queue_layout *layout = &known.layout;
  if (!layout->target || !layout->width || depth >= deepest || queue == known.main) return 0;
  if (queue_width_at(queue, layout->width) == optrace_queue_width_global) return 0;
  void *target = queue_target_at(queue, layout->target);
  // Every chain of targets ends in a global queue, so a global target is not worth recording.
  if (!target || queue_width_at(target, layout->width) == optrace_queue_width_global) return 0;
  uint32_t number = number_of(recorder, target, depth + 1);
  return number == dispatch_queue_not_ours ? 0 : number;
}

// XCTest's own queues. While a test waits, XCTest submits ten blocks a second there to ask whether the wait is over: that is no work of
// the program, and no sign that it moves.
static bool is_xctests(const void *queue) {
  static const char prefix[] = "org.swift.XCTest";
  const char *text = known.label ? known.label(queue) : NULL;
  return text && strncmp(text, prefix, sizeof prefix - 1) == 0;
}

static uint32_t number_of(optrace_recorder *recorder, void *queue, int depth) {
  address_slot *s = address_slot_of(queue_table, slot_bits, queue);
  if (!s) {
    recorder_count_lost(recorder, optrace_loss_table_full, 1);
    return 0;
  }
  uint32_t mine = atomic_load_explicit(&recorders, memory_order_relaxed);
  uint64_t number = atomic_load_explicit(&s->number, memory_order_acquire);
  if (pair_low(number) && pair_high(number) == mine) return pair_low(number);
  if (is_xctests(queue)) {
    atomic_store_explicit(&s->number, pair_of(mine, dispatch_queue_not_ours), memory_order_release);
    return dispatch_queue_not_ours;
  }
  uint32_t target = target_of(recorder, queue, depth), next = new_number(recorder);
  if (!next) {
    recorder_count_lost(recorder, optrace_loss_table_full, 1);
    return 0;
  }
  // Describe the queue before anybody uses its number. When two threads do this for the same queue at once, the second one's number
  // stays unused.
  if (!describe(recorder, next, queue, target)) {
    give_up(next);
    return 0;
  }
  atomic_store_explicit(&slot_of[next], (uint16_t)(s - queue_table + 1), memory_order_release);
  if (atomic_compare_exchange_strong_explicit(&s->number, &number, pair_of(mine, next), memory_order_acq_rel,
                                              memory_order_acquire))
    return next;
  atomic_store_explicit(&slot_of[next], no_slot, memory_order_release);
  return pair_low(number) && pair_high(number) == mine ? pair_low(number) : next;
}

uint32_t dispatch_queue_number(optrace_recorder *recorder, void *queue) { return number_of(recorder, queue, 0); }

void dispatch_queue_is_new(const void *queue) {
  uint64_t address = (uint64_t)(uintptr_t)queue;
  uint32_t index = hash_address(queue, slot_bits);
  for (uint32_t i = 0; i < address_farthest; i++, index = (index + 1) % slots) {
    uint64_t there = atomic_load_explicit(&queue_table[index].address, memory_order_acquire);
    if (!there) return;
    if (there != address) continue;
    uint64_t old = atomic_exchange_explicit(&queue_table[index].number, 0, memory_order_acq_rel);
    if (pair_low(old) && pair_low(old) < most_numbers) atomic_store_explicit(&slot_of[pair_low(old)], no_slot, memory_order_release);
    return;
  }
}
