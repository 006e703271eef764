// What happened to sampled blocks, on its way from the program's threads to the flusher, which writes the records. Threads take no lock here,
// and may be interrupted anywhere by a handler that comes here, too.
#ifndef OPTRACE_NOTES_H
#define OPTRACE_NOTES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { notes_bits = 13, notes_most = 1 << notes_bits };

typedef enum { note_allocated, note_freed, note_resized } note_kind;

typedef struct {
  uint64_t ticks;
  uint64_t size;      // Of `freed`: the first word of the block, if it is an object, else 0.
  uint64_t address;   // Of `allocated`, if it is watched.
  uint32_t number;    // 0: the block is not watched.
  uint32_t stack;     // In the table of stacks; 0: not known.
  uint32_t tid;
  uint8_t kind, call;
  bool is_object;
} memory_note;

typedef struct {
  _Atomic uint64_t turn;  // Twice the round that it is free for, and one more while it holds a note of that round.
  memory_note note;
} note_slot;

// All zeros: empty.
typedef struct {
  _Alignas(64) _Atomic uint64_t written;  // How many numbers were given out.
  _Alignas(64) _Atomic uint64_t read;     // Changed by one thread at a time.
  note_slot slots[notes_most];
} note_queue;

// How many notes have room. Allocations leave a quarter to what frees.
static inline uint64_t notes_room(const note_queue *queue) {
  uint64_t used = atomic_load_explicit(&queue->written, memory_order_relaxed) - atomic_load_explicit(&queue->read, memory_order_relaxed);
  return used < notes_most ? notes_most - used : 0;
}
// False: the queue is full.
bool notes_add(note_queue *queue, const memory_note *note);
// The oldest note; for one thread at a time. False: there is none, or its writer has not finished.
bool notes_take(note_queue *queue, memory_note *out);

#endif
