#include "COpTraceOthers.h"

#include "../base/bits.h"
#include "../stacks/ends.h"
#include "../stacks/locks.h"
#include "../stacks/maps.h"
#include "../stacks/unwind.h"

bool optrace_others_begin(const optrace_others *others) {
  uint32_t process = others->process ? others->process : peek_nobody;
  return maps_begin_by(process, others->read, others->has_thread, others->context);
}

void optrace_others_end(void) { maps_end(); }

bool optrace_others_add(uint64_t address, const char *path) { return maps_add(address, path); }

optrace_others_stack optrace_others_walk(const optrace_start *start, uint64_t *pcs, uint64_t *sps) {
  enum { most_stack = 256 * 1024 };
  // Only one process at a time.
  static _Alignas(16) uint8_t copy[most_stack];
  size_t bytes = peek(start->sp, copy, sizeof copy), guessed = 0;
  stack_memory memory = {start->sp, start->sp + bytes, copy, true, true};
  bool is_whole = false;
  size_t depth = bytes ? stack_walk_far(start, &memory, pcs, sps, optrace_others_deepest, &guessed, &is_whole) : 0;
  return (optrace_others_stack){(uint32_t)depth, (uint32_t)guessed, is_whole};
}

size_t optrace_words_next(const uint64_t *words, size_t count, size_t from, const uint32_t bits[optrace_word_bits / 32]) {
  for (size_t i = from; i < count; i++) {
    uint32_t bit = optrace_word_bit(words[i]);
    if (bits[bit / 32] & bit_in_word(bit)) return i;
  }
  return count;
}

enum { most_at_once = 256 };

static void explain(optrace_others_call *calls, size_t count) {
  // Only one process at a time.
  static sleep_reason reasons[most_at_once];
  static sleeping_call asleep[most_at_once];
  for (size_t i = 0; i < count; i++) {
    reasons[i] = locks_explain(calls[i].call, calls[i].arguments);
    asleep[i] = (sleeping_call){calls[i].call, calls[i].arguments, &reasons[i]};
  }
  ends_explain(asleep, count);
  for (size_t i = 0; i < count; i++) {
    const sleep_reason *reason = &reasons[i];
    calls[i].wait = (optrace_others_wait){.reason = (uint8_t)reason->kind, .has_limit = reason->timed,
                                          .owner_ended = reason->owner_ended, .owner = reason->owner, .lock = reason->lock};
  }
}

void optrace_others_explain(optrace_others_call *calls, size_t count) {
  for (size_t from = 0; from < count; from += most_at_once)
    explain(calls + from, count - from < most_at_once ? count - from : most_at_once);
}
