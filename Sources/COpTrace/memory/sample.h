// The state of sampling, and how a sample is taken, on the thread that allocates.
#ifndef OPTRACE_SAMPLE_H
#define OPTRACE_SAMPLE_H

#include "../base/likely.h"
#include "../stacks/table.h"
#include "../stacks/unwind.h"
#include "countdown.h"
#include "live.h"
#include "notes.h"

// One for the process, never freed: hooks stay, and a thread may be in one while the recorder stops. A forked child finds it empty, so that
// it samples nothing.
typedef struct {
  _Atomic uint32_t is_open;
  bool use_counter;                 // As in the recorder.
  _Atomic uint64_t interval;
  _Atomic uint32_t number;          // Of the last watched block.
  _Atomic uint32_t lost;            // Samples that found no room.
  uint64_t object_low, object_high; // Swift's function that allocates objects. Empty: there is none.
  uint64_t library_low, library_high;  // The C library's code.
  note_queue notes;
  live_table live;
} memory_state;

// Null before sampling begins for the first time. `memory_live` is the same as `&memory_here->live`, or an empty table.
__attribute__((visibility("hidden"))) extern memory_state *memory_here;
__attribute__((visibility("hidden"))) extern stack_table *memory_stacks;

// How memory was asked for, as in the record.
enum { call_malloc, call_calloc, call_realloc, call_aligned, call_new };

// The function that the program has called, and the return address into the program.
typedef struct {
  stack_start here;
  uint64_t caller;
} sample_place;

// An allocation for which the countdown does not suffice. True: it is to be sampled, with `sample_take`, when it has succeeded.
bool sample_is_due(uint64_t size);
// `whole`: the size of the block, `size` of which are new. `errno` stays.
void sample_take(void *block, uint64_t size, uint64_t whole, uint8_t call, sample_place place);
// Only that memory was asked for: the block is watched already.
void sample_count(uint64_t size, uint8_t call, sample_place place);

// The block is about to be freed, which the caller does right after this.
void sample_freed(void *block);
// A watched block was taken out, and has moved or has got another size.
void sample_moved(void *block, live_block *taken, uint64_t size);
// A block that was taken out is gone.
void sample_gone(const live_block *taken, uint64_t word);

#endif
