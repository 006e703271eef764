#include "notes.h"

// A bounded queue: a number is given out by an exchange, and the slot's turn says when its note is complete.
bool notes_add(note_queue *queue, const memory_note *note) {
  uint64_t at = atomic_load_explicit(&queue->written, memory_order_relaxed);
  for (;;) {
    note_slot *slot = &queue->slots[at % notes_most];
    uint64_t turn = atomic_load_explicit(&slot->turn, memory_order_acquire), round = at / notes_most * 2;
    if (turn == round) {
      if (!atomic_compare_exchange_weak_explicit(&queue->written, &at, at + 1, memory_order_relaxed, memory_order_relaxed)) continue;
      slot->note = *note;
      atomic_store_explicit(&slot->turn, round + 1, memory_order_release);
      return true;
    }
    if (turn < round) return false;
    at = atomic_load_explicit(&queue->written, memory_order_relaxed);
  }
}

bool notes_take(note_queue *queue, memory_note *out) {
  uint64_t at = atomic_load_explicit(&queue->read, memory_order_relaxed), round = at / notes_most * 2;
  note_slot *slot = &queue->slots[at % notes_most];
  if (atomic_load_explicit(&slot->turn, memory_order_acquire) != round + 1) return false;
  *out = slot->note;
  atomic_store_explicit(&slot->turn, round + 2, memory_order_release);
  atomic_store_explicit(&queue->read, at + 1, memory_order_relaxed);
  return true;
}
