#include "carry.h"

#include <stdlib.h>

#include "../dispatch/queues.h"
#include "../records/words.h"
#include "../storage/ring.h"
#include "COpTraceTraits.h"
#include "carry_blocking.h"
#include "numbers.h"
#include "records.h"

// A run of carried records is closed after this many bytes. Short runs fill the smallest chunks better; long runs repeat the thread and
// the time less often.
enum { longest_run = 500 };
// The longest record. The recorder never writes a longer one, because it truncates texts.
enum { longest_record = 2 * optrace_format_longest_text };
enum { most_early = 1 << 20, most_early_waits = 1 << 12, coverage_full = 0 };

// Everything that one recorder needs to carry records forward.
typedef struct {
  optrace_recorder *core;
  number_set unfinished, queues, open_spans;
  // For each dispatch queue, by its number: the ticks of the latest record that refers to it.
  number_map referenced;
  // The ticks at which unfinished tasks were last suspended.
  number_map suspended;
  // The ticks at which open waits began.
  number_map open_waits, ended_waits_early;
  // Ends whose beginnings are in chunks that are still being written.
  number_set finished_early, released_early, ended_spans_early;
  // Operations whose release was scanned before their end: whoever created one may release it, and another thread finished it.
  number_set released_open;
  blocking_carry blocking;
  // For work, a queue, a wait or a span with records in carried chunks: twice the number of these records, plus one if its end
  // was carried after them. A carried chunk stays longer than chunks that fill quickly. Without a carried end, its records would seem
  // open as soon as the chunk with the end is recycled.
  number_map copies;
  // The current run: records of one thread, with the thread's number and the ticks of the first and the last record.
  struct {
    uint8_t bytes[longest_run + longest_record];
    uint32_t size, thread, system_thread;
    uint64_t base, last, count;
  } run;
} carrying;

static void discard(void *context) {
  carrying *all = context;
  number_set_clear(&all->unfinished);
  number_set_clear(&all->queues);
  number_set_clear(&all->open_spans);
  number_map_clear(&all->suspended);
  number_map_clear(&all->open_waits);
  number_map_clear(&all->ended_waits_early);
  number_map_clear(&all->referenced);
  number_set_clear(&all->finished_early);
  number_set_clear(&all->released_early);
  number_set_clear(&all->ended_spans_early);
  number_set_clear(&all->released_open);
  number_map_clear(&all->copies);
  blocking_clear(&all->blocking);
  free(all);
}

// Counts a loss if memory is out (`done` is false): a record that could not be noted is not carried later.
static void counted(const carrying *all, bool done) {
  if (!done) optrace_recorder_count_lost(all->core, optrace_loss_carry, 1);
}

enum { copy_of_work = 1, copy_of_queue, copy_of_wait, copy_of_span };
typedef struct {
  uint64_t word;
  uint32_t number;  // 0: the record has no key.
} copy_key;

// ---- Scanning ------------------------------------------------------------------------------------------------------

static uint32_t begun_span(const chunk_record *record) { return optrace_span_began_read(record->word1).id; }

// Returns the key of a wait, packed as in the record `wait-lasts`: the thread, and the operation or the queue.
static uint64_t wait_key(const chunk_record *record, uint8_t of) {
  optrace_wait_lasts_fields fields = {.thread = record->thread, .on = record->subject,
                                      .is_queue = of == optrace_lasting_queue_wait};
  return optrace_wait_lasts_word1(fields);
}

// Notes a beginning, unless its end has been scanned already.
static void begin_one(const carrying *all, number_set *open, number_set *early, uint32_t number) {
  if (!number_set_remove(early, number)) counted(all, number_set_add(open, number));
}

static void end_one(const carrying *all, number_set *open, number_set *early, uint32_t number) {
  if (!number_set_remove(open, number)) counted(all, number_set_add(early, number));
}

// The end of a wait may be scanned before its beginning, which may be in the chunk that many threads share.
static void wait_begins(carrying *all, uint64_t key, uint64_t ticks) {
  const uint64_t *early = number_map_find(&all->ended_waits_early, key, 0);
  if (early && *early >= ticks) return;
  uint64_t *began = number_map_add(&all->open_waits, key, 0);
  counted(all, began);
  if (began && ticks > *began) *began = ticks;
}

static void wait_ends(carrying *all, uint64_t key, uint64_t ticks) {
  const uint64_t *began = number_map_find(&all->open_waits, key, 0);
  if (began && *began <= ticks) return number_map_remove(&all->open_waits, key, 0);
  uint64_t *early = number_map_add(&all->ended_waits_early, key, 0);
  counted(all, early);
  if (early && ticks > *early) *early = ticks;
}

// Whether a record belongs to a wait that is open, and not to an earlier one of the same thread for the same.
static bool is_of_open_wait(const carrying *all, uint64_t key, uint64_t ticks) {
  const uint64_t *began = number_map_find(&all->open_waits, key, 0);
  return began && *began <= ticks;
}

static void begins(carrying *all, uint8_t of, const chunk_record *record) {
  switch (of) {
    case optrace_lasting_operation:
      // Records that combine several events have the same second word.
      if (optrace_operation_created_read(record->word1).coverage != coverage_full) return;
      begin_one(all, &all->unfinished, &all->finished_early, record->subject);
      break;
    case optrace_lasting_block:
    case optrace_lasting_task: begin_one(all, &all->unfinished, &all->finished_early, record->subject); break;
    case optrace_lasting_queue: begin_one(all, &all->queues, &all->released_early, record->subject); break;
    case optrace_lasting_wait:
    case optrace_lasting_queue_wait: wait_begins(all, wait_key(record, of), record->ticks); break;
    case optrace_lasting_blocked_wait: counted(all, blocking_blocked(&all->blocking, record)); break;
    case optrace_lasting_span: begin_one(all, &all->open_spans, &all->ended_spans_early, begun_span(record)); break;
    default: break;
  }
}

static void ends(carrying *all, uint8_t of, const chunk_record *record) {
  switch (of) {
    case optrace_lasting_operation:
      // Its beginning was scanned, and counts as ended already.
      if (number_set_remove(&all->released_open, record->subject)) return;
      end_one(all, &all->unfinished, &all->finished_early, record->subject);
      break;
    case optrace_lasting_block:
    case optrace_lasting_task:
      number_map_remove(&all->suspended, record->subject, 0);
      end_one(all, &all->unfinished, &all->finished_early, record->subject);
      break;
    case optrace_lasting_queue: end_one(all, &all->queues, &all->released_early, record->subject); break;
    case optrace_lasting_wait:
    case optrace_lasting_queue_wait: wait_ends(all, wait_key(record, of), record->ticks); break;
    case optrace_lasting_blocked_wait: counted(all, blocking_unblocked(&all->blocking, record)); break;
    case optrace_lasting_span: end_one(all, &all->open_spans, &all->ended_spans_early, record->subject); break;
    default: break;
  }
}

// Handles a record that comes after the end, such as `released`.
static void follows(carrying *all, uint8_t of, const chunk_record *record) {
  if (of != optrace_lasting_operation) return ends(all, of, record);
  if (number_set_remove(&all->unfinished, record->subject)) counted(all, number_set_add(&all->released_open, record->subject));
}

// Not for a task that is over, whose end was in a chunk that was scanned before. Before the beginning is scanned, nothing is noted either:
// then more than the last suspension is carried.
static void note_suspended(carrying *all, const chunk_record *record) {
  if (!number_set_has(&all->unfinished, record->subject)) return;
  uint64_t *last = number_map_add(&all->suspended, record->subject, 0);
  counted(all, last);
  if (last && record->ticks > *last) *last = record->ticks;
}

static void note_reference(carrying *all, uint32_t queue, uint64_t ticks) {
  if (!queue) return;
  uint64_t *last = number_map_add(&all->referenced, queue, 0);
  counted(all, last);
  if (last && ticks > *last) *last = ticks;
}

static void note_queue(carrying *all, const chunk_record *record) {
  if (record->kind == optrace_kind_block_submitted) {
    note_reference(all, optrace_block_submitted_read(record->word1, record->word2).queue, record->ticks);
  } else if (record->kind == optrace_kind_dispatch_queue) {
    note_reference(all, record->subject, record->ticks);
    note_reference(all, optrace_dispatch_queue_read(record->word1, record->word2).target, record->ticks);
  }
}

static void scan(optrace_recorder *recorder, void *context, const uint8_t *chunk, uint32_t bytes, uint32_t seen) {
  carrying *all = context;
  all->core = recorder;
  chunk_walk walk = chunk_walk_begin(chunk, bytes);
  for (chunk_record record; chunk_walk_next(&walk, &record);) {
    if (record.at < chunk + seen) continue;
    note_queue(all, &record);
    optrace_bound bound = optrace_bounds[record.kind];
    switch (bound.bound) {
      case optrace_bound_begins: begins(all, bound.of, &record); break;
      case optrace_bound_ends: ends(all, bound.of, &record); break;
      case optrace_bound_follows: follows(all, bound.of, &record); break;
      default: break;
    }
    if (optrace_carries[record.kind] == optrace_carry_while_newest) counted(all, blocking_named(&all->blocking, &record));
    if (record.kind == optrace_kind_task_suspended) note_suspended(all, &record);
  }
  blocking_scanned(&all->blocking);
  // The beginning of such an end was overwritten before. These ends must not accumulate.
  if (all->finished_early.count > most_early) number_set_clear(&all->finished_early);
  if (all->ended_waits_early.count > most_early_waits) number_map_clear(&all->ended_waits_early);
  if (all->released_early.count > most_early) number_set_clear(&all->released_early);
  if (all->ended_spans_early.count > most_early) number_set_clear(&all->ended_spans_early);
  // The ends of these were overwritten or never came.
  if (all->released_open.count > most_early) number_set_clear(&all->released_open);
}

// ---- Copies --------------------------------------------------------------------------------------------------------

static copy_key key_of(uint8_t lasting, const chunk_record *record, uint32_t span) {
  switch (lasting) {
    case optrace_lasting_operation:
    case optrace_lasting_block:
    case optrace_lasting_task: return (copy_key){record->subject, copy_of_work};
    case optrace_lasting_queue: return (copy_key){record->subject, copy_of_queue};
    case optrace_lasting_wait:
    case optrace_lasting_queue_wait: return (copy_key){wait_key(record, lasting), copy_of_wait};
    case optrace_lasting_span: return (copy_key){span, copy_of_span};
    default: return (copy_key){0};
  }
}

// Returns the key of the work, queue, wait or span that a carried record shows as unfinished.
static copy_key copied(const chunk_record *record) {
  optrace_bound bound = optrace_bounds[record->kind];
  if (bound.bound == optrace_bound_ends) return (copy_key){0};
  switch (optrace_carries[record->kind]) {
    case optrace_carry_while_unfinished:
    case optrace_carry_since_suspended: return key_of(optrace_lasting_operation, record, 0);
    case optrace_carry_while_queue_exists: return key_of(optrace_lasting_queue, record, 0);
    case optrace_carry_until_ended: return key_of(bound.of, record, begun_span(record));
    case optrace_carry_while_span_open: return key_of(optrace_lasting_span, record, record->subject);
    default: return (copy_key){0};
  }
}

static void copy_made(carrying *all, const chunk_record *record) {
  copy_key key = copied(record);
  if (!key.number) return;
  uint64_t *value = number_map_add(&all->copies, key.word, key.number);
  if (value) *value = (*value & ~(uint64_t)1) + 2;
  counted(all, value);
}

static void copy_recycled(carrying *all, const chunk_record *record) {
  copy_key key = copied(record);
  uint64_t *value = key.number ? number_map_find(&all->copies, key.word, key.number) : NULL;
  if (!value) return;
  *value -= 2;
  if (*value < 2) number_map_remove(&all->copies, key.word, key.number);
}

// True if a record is the first end of something that has copies. Marks the copies as ended.
static bool ends_copy(const carrying *all, const chunk_record *record) {
  optrace_bound bound = optrace_bounds[record->kind];
  if (bound.bound != optrace_bound_ends) return false;
  copy_key key = key_of(bound.of, record, record->subject);
  uint64_t *value = key.number ? number_map_find(&all->copies, key.word, key.number) : NULL;
  if (!value || *value & 1) return false;
  *value |= 1;
  return true;
}

// ---- Carrying ------------------------------------------------------------------------------------------------------

// True if a record is a beginning whose end has not been scanned yet.
static bool is_open(carrying *all, const chunk_record *record) {
  optrace_bound bound = optrace_bounds[record->kind];
  if (bound.bound != optrace_bound_begins) return false;
  switch (bound.of) {
    case optrace_lasting_operation:
    case optrace_lasting_block:
    case optrace_lasting_task: return number_set_has(&all->unfinished, record->subject);
    case optrace_lasting_queue: return number_set_has(&all->queues, record->subject);
    case optrace_lasting_wait:
    case optrace_lasting_queue_wait: return is_of_open_wait(all, wait_key(record, bound.of), record->ticks);
    case optrace_lasting_blocked_wait: return blocking_keeps_beginning(&all->blocking, record);
    case optrace_lasting_span: return number_set_has(&all->open_spans, begun_span(record));
    default: return false;
  }
}

static bool is_since_suspended(const carrying *all, const chunk_record *record) {
  const uint64_t *last = number_map_find(&all->suspended, record->subject, 0);
  return number_set_has(&all->unfinished, record->subject) && (!last || record->ticks >= *last);
}

static bool is_of_wait(const chunk_record *record, const chunk_record *wait) {
  optrace_bound bound = optrace_bounds[wait->kind];
  return bound.bound == optrace_bound_begins && bound.of == optrace_lasting_blocked_wait &&
         blocking_object(wait) == blocking_object(record);
}

// True if a record that the ring still holds may refer to this dispatch queue, or the program may use it again. Else its number is free
// for another queue.
static bool is_referenced(carrying *all, const chunk_record *record) {
  uint32_t number = record->subject, target = optrace_dispatch_queue_read(record->word1, record->word2).target;
  const uint64_t *last = number_map_find(&all->referenced, number, 0);
  bool is_recent = last && *last > ring_complete_since(all->core);
  // Queues that have not been used for as long as the ring reaches back get at most an eighth of it.
  bool is_kept = is_recent || (dispatch_queue_is_known(number) && all->core->carried_bytes < all->core->options.capacity / 8);
  if (is_kept) {
    note_reference(all, target, last ? *last : record->ticks);
  } else {
    number_map_remove(&all->referenced, number, 0);
    dispatch_queue_forget(number);
  }
  return is_kept;
}

// True if a record must be carried. Call it once for each record of a chunk, in order. `last`: the last record before it that is no name
// of an object and belongs to no other record, as stacks do, if that one is carried; else NULL.
static bool is_needed(carrying *all, const chunk_record *record, const chunk_record *last) {
  if (ends_copy(all, record)) return true;
  switch (optrace_carries[record->kind]) {
    case optrace_carry_while_unfinished: return number_set_has(&all->unfinished, record->subject);
    case optrace_carry_since_suspended: return is_since_suspended(all, record);
    case optrace_carry_while_queue_exists: return number_set_has(&all->queues, record->subject);
    case optrace_carry_until_ended: return is_open(all, record);
    case optrace_carry_while_span_open: return number_set_has(&all->open_spans, record->subject);
    case optrace_carry_besides_beginning: return blocking_keeps_end(&all->blocking, record);
    case optrace_carry_with_wait_before: return last && is_of_wait(record, last);
    case optrace_carry_with_record_before: return last;
    case optrace_carry_while_waited: return is_of_open_wait(all, record->word1, record->ticks);
    case optrace_carry_while_newest: return blocking_keeps_name(&all->blocking, record);
    case optrace_carry_while_referenced: return is_referenced(all, record);
    case optrace_carry_always: return true;
    default: return false;
  }
}

static void run_flush(carrying *all) {
  if (all->run.size) {
    if (optrace_carry(all->core, all->run.thread, all->run.system_thread, all->run.base, all->run.bytes, all->run.size)) {
      chunk_walk walk = {.at = all->run.bytes, .end = all->run.bytes + all->run.size, .thread = all->run.thread};
      for (chunk_record record; chunk_walk_next(&walk, &record);) copy_made(all, &record);
    } else {
      optrace_recorder_count_lost(all->core, optrace_loss_carry, all->run.count);
    }
  }
  all->run.size = 0;
  all->run.count = 0;
}

static void run_add(carrying *all, const chunk_record *record) {
  if (record->bytes > longest_record) return counted(all, false);
  if (!all->run.size || record->thread != all->run.thread || record->ticks < all->run.last ||
      record->ticks - all->run.last > optrace_format_largest_delta || all->run.size > longest_run) {
    run_flush(all);
    all->run.thread = record->thread;
    all->run.system_thread = record->system_thread;
    all->run.base = all->run.last = record->ticks;
  }
  uint64_t head = record_head(record->kind, record->ticks - all->run.last, record->subject);
  uint8_t *to = all->run.bytes + all->run.size;
  memcpy(to, &head, 8);
  memcpy(to + 8, record->at + 8, record->bytes - 8);
  all->run.size += record->bytes;
  all->run.last = record->ticks;
  all->run.count++;
}

static uint32_t keep(optrace_recorder *recorder, void *context, const uint8_t *chunk, uint32_t bytes, uint32_t seen, uint64_t until) {
  carrying *all = context;
  all->core = recorder;
  chunk_walk walk = chunk_walk_begin(chunk, bytes);
  chunk_record last;
  bool has_last = false, is_copy = false;
  if (bytes >= optrace_chunk_size) {
    uint32_t kind;
    memcpy(&kind, chunk + optrace_chunk_kind, sizeof kind);
    is_copy = kind == optrace_chunk_kind_carried;
  }
  for (chunk_record record; chunk_walk_next(&walk, &record);) {
    if (record.at < chunk + seen) continue;
    if (record.ticks > until) {
      bytes = (uint32_t)(record.at - chunk);
      break;
    }
    if (is_copy) copy_recycled(all, &record);
    bool needed = is_needed(all, &record, has_last ? &last : NULL);
    uint8_t carries = optrace_carries[record.kind];
    // The name of an object, or a record that belongs to the wait (such as its stack), may be between a wait and its signal.
    if (carries != optrace_carry_while_newest && carries != optrace_carry_with_record_before) {
      has_last = needed;
      last = record;
    }
    if (needed) run_add(all, &record);
  }
  run_flush(all);
  return bytes;
}

bool carry_prepare(optrace_options *options) {
  carrying *all = calloc(1, sizeof *all);
  options->context = all;
  options->scan = scan;
  options->carry = keep;
  options->discard = discard;
  return all != NULL;
}
