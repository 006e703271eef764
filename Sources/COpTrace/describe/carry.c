#include "carry.h"

#include "../records/words.h"
#include "COpTraceTraits.h"
#include "carry_blocking.h"
#include "numbers.h"
#include "records.h"

// Bytes after which a run is closed: short runs fill the smallest chunks well, long ones repeat less.
enum { longest_run = 500 };
// The recorder writes no longer record: texts are cut.
enum { longest_record = 2 * optrace_format_longest_text };
enum { most_early = 1 << 20, coverage_full = 0 };

static optrace_recorder *core;
static number_set unfinished, queues, open_spans;
// The ticks at which unfinished tasks were last suspended.
static number_map suspended;
static number_map open_waits;
// Ends whose beginnings are in chunks that are still being written.
static number_set finished_early, ended_spans_early;

void carry_begin(optrace_recorder *recorder) { core = recorder; }

// What memory has no room for is not carried later.
static void counted(bool done) {
  if (!done && core) optrace_recorder_count_lost(core, optrace_loss_carry, 1);
}

// Of what has records in carried chunks: twice how many, plus one if its end is in one, too. Such a chunk stays for longer than those
// that others fill quickly, so what it holds would seem open once the chunk with its end is gone.
static number_map copies;
enum { copy_of_work = 1, copy_of_queue, copy_of_wait, copy_of_span };
typedef struct {
  uint64_t word;
  uint32_t number;  // 0: of nothing.
} copy_key;

// ---- Scanning ------------------------------------------------------------------------------------------------------

static uint32_t begun_span(const chunk_record *record) { return optrace_span_began_read(record->word1).id; }

// A wait as in `wait-lasts`: the thread, and the operation or the queue.
static uint64_t wait_key(const chunk_record *record, uint8_t of) {
  optrace_wait_lasts_fields fields = {.thread = record->thread, .on = record->subject,
                                      .is_queue = of == optrace_lasting_queue_wait};
  return optrace_wait_lasts_word1(fields);
}

// A beginning whose end was not seen before.
static void begin_one(number_set *open, number_set *early, uint32_t number) {
  if (!number_set_remove(early, number)) counted(number_set_add(open, number));
}

static void end_one(number_set *open, number_set *early, uint32_t number) {
  if (!number_set_remove(open, number)) counted(number_set_add(early, number));
}

static void begins(uint8_t of, const chunk_record *record) {
  switch (of) {
    case optrace_lasting_operation:
      // Records that combine several events have the same second word.
      if (optrace_operation_created_read(record->word1).coverage != coverage_full) return;
      begin_one(&unfinished, &finished_early, record->subject);
      break;
    case optrace_lasting_block:
    case optrace_lasting_task: begin_one(&unfinished, &finished_early, record->subject); break;
    case optrace_lasting_queue: counted(number_set_add(&queues, record->subject)); break;
    case optrace_lasting_wait:
    case optrace_lasting_queue_wait: counted(number_map_add(&open_waits, wait_key(record, of), 0)); break;
    case optrace_lasting_blocked_wait: counted(blocking_blocked(record)); break;
    case optrace_lasting_span: begin_one(&open_spans, &ended_spans_early, begun_span(record)); break;
    default: break;
  }
}

static void ends(uint8_t of, const chunk_record *record) {
  switch (of) {
    case optrace_lasting_operation:
    case optrace_lasting_block:
    case optrace_lasting_task:
      number_map_remove(&suspended, record->subject, 0);
      end_one(&unfinished, &finished_early, record->subject);
      break;
    case optrace_lasting_queue: number_set_remove(&queues, record->subject); break;
    case optrace_lasting_wait:
    case optrace_lasting_queue_wait: number_map_remove(&open_waits, wait_key(record, of), 0); break;
    case optrace_lasting_blocked_wait: counted(blocking_unblocked(record)); break;
    case optrace_lasting_span: end_one(&open_spans, &ended_spans_early, record->subject); break;
    default: break;
  }
}

// If it ended before, there is nothing to note: a beginning that comes later is another's.
static void follows(uint8_t of, const chunk_record *record) {
  if (of == optrace_lasting_operation) number_set_remove(&unfinished, record->subject);
  else ends(of, record);
}

static void note_suspended(const chunk_record *record) {
  uint64_t *last = number_map_add(&suspended, record->subject, 0);
  counted(last);
  if (last && record->ticks > *last) *last = record->ticks;
}

void carry_scan(void *context, const uint8_t *chunk, uint32_t bytes) {
  (void)context;
  chunk_walk walk = chunk_walk_begin(chunk, bytes);
  for (chunk_record record; chunk_walk_next(&walk, &record);) {
    optrace_bound bound = optrace_bounds[record.kind];
    switch (bound.bound) {
      case optrace_bound_begins: begins(bound.of, &record); break;
      case optrace_bound_ends: ends(bound.of, &record); break;
      case optrace_bound_follows: follows(bound.of, &record); break;
      default: break;
    }
    if (optrace_carries[record.kind] == optrace_carry_while_newest) counted(blocking_named(&record));
    if (record.kind == optrace_kind_task_suspended) note_suspended(&record);
  }
  blocking_scanned();
  // An end without a beginning is from before the ring; such ends must not pile up.
  if (finished_early.count > most_early) number_set_clear(&finished_early);
  if (ended_spans_early.count > most_early) number_set_clear(&ended_spans_early);
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

// What a carried record shows as open.
static copy_key copied(const chunk_record *record) {
  optrace_bound bound = optrace_bounds[record->kind];
  if (bound.bound == optrace_bound_ends) return (copy_key){0};
  switch (optrace_carries[record->kind]) {
    case optrace_carry_while_unfinished:
    case optrace_carry_since_suspended: return key_of(optrace_lasting_operation, record, 0);
    case optrace_carry_while_queue_exists: return key_of(optrace_lasting_queue, record, 0);
    case optrace_carry_until_ended: return key_of(bound.of, record, begun_span(record));
    default: return (copy_key){0};
  }
}

static void copy_made(const chunk_record *record) {
  copy_key key = copied(record);
  if (!key.number) return;
  uint64_t *value = number_map_add(&copies, key.word, key.number);
  if (value) *value = (*value & ~(uint64_t)1) + 2;
  counted(value);
}

static void copy_recycled(const chunk_record *record) {
  copy_key key = copied(record);
  uint64_t *value = key.number ? number_map_find(&copies, key.word, key.number) : NULL;
  if (!value) return;
  *value -= 2;
  if (*value < 2) number_map_remove(&copies, key.word, key.number);
}

// Whether it is the first end of something that has copies.
static bool ends_copy(const chunk_record *record) {
  optrace_bound bound = optrace_bounds[record->kind];
  if (bound.bound != optrace_bound_ends) return false;
  copy_key key = key_of(bound.of, record, record->subject);
  uint64_t *value = key.number ? number_map_find(&copies, key.word, key.number) : NULL;
  if (!value || *value & 1) return false;
  *value |= 1;
  return true;
}

// ---- Carrying ------------------------------------------------------------------------------------------------------

// Whether what the record begins has not ended.
static bool is_open(const chunk_record *record) {
  optrace_bound bound = optrace_bounds[record->kind];
  if (bound.bound != optrace_bound_begins) return false;
  switch (bound.of) {
    case optrace_lasting_operation:
    case optrace_lasting_block:
    case optrace_lasting_task: return number_set_has(&unfinished, record->subject);
    case optrace_lasting_queue: return number_set_has(&queues, record->subject);
    case optrace_lasting_wait:
    case optrace_lasting_queue_wait: return number_map_find(&open_waits, wait_key(record, bound.of), 0);
    case optrace_lasting_blocked_wait: return blocking_keeps_beginning(record);
    case optrace_lasting_span: return number_set_has(&open_spans, begun_span(record));
    default: return false;
  }
}

static bool is_since_suspended(const chunk_record *record) {
  const uint64_t *last = number_map_find(&suspended, record->subject, 0);
  return number_set_has(&unfinished, record->subject) && (!last || record->ticks >= *last);
}

static bool is_of_wait(const chunk_record *record, const chunk_record *wait) {
  optrace_bound bound = optrace_bounds[wait->kind];
  return bound.bound == optrace_bound_begins && bound.of == optrace_lasting_blocked_wait &&
         blocking_object(wait) == blocking_object(record);
}

// Sees the records of a chunk in order, each once. `last`: the one before, if it is carried; else NULL.
static bool is_needed(const chunk_record *record, const chunk_record *last) {
  if (ends_copy(record)) return true;
  switch (optrace_carries[record->kind]) {
    case optrace_carry_while_unfinished: return number_set_has(&unfinished, record->subject);
    case optrace_carry_since_suspended: return is_since_suspended(record);
    case optrace_carry_while_queue_exists: return number_set_has(&queues, record->subject);
    case optrace_carry_until_ended: return is_open(record);
    case optrace_carry_besides_beginning: return blocking_keeps_end(record);
    case optrace_carry_with_wait_before: return last && is_of_wait(record, last);
    case optrace_carry_with_record_before: return last;
    case optrace_carry_while_waited: return number_map_find(&open_waits, record->word1, 0);
    case optrace_carry_while_newest: return blocking_keeps_name(record);
    default: return false;
  }
}

// Records of one thread, with its number and their time. The memory is used under the recorder's lock only.
static struct {
  uint8_t bytes[longest_run + longest_record];
  uint32_t size, thread, system_thread;
  uint64_t base, last, count;
} run;

static void run_flush(void) {
  if (run.size && core) {
    if (optrace_carry(core, run.thread, run.system_thread, run.base, run.bytes, run.size)) {
      chunk_walk walk = {.at = run.bytes, .end = run.bytes + run.size, .thread = run.thread};
      for (chunk_record record; chunk_walk_next(&walk, &record);) copy_made(&record);
    } else {
      optrace_recorder_count_lost(core, optrace_loss_carry, run.count);
    }
  }
  run.size = 0;
  run.count = 0;
}

static void run_add(const chunk_record *record) {
  if (record->bytes > longest_record) return counted(false);
  if (!run.size || record->thread != run.thread || record->ticks < run.last ||
      record->ticks - run.last > optrace_format_largest_delta || run.size > longest_run) {
    run_flush();
    run.thread = record->thread;
    run.system_thread = record->system_thread;
    run.base = run.last = record->ticks;
  }
  uint64_t head = record_head(record->kind, record->ticks - run.last, record->subject);
  memcpy(run.bytes + run.size, &head, 8);
  memcpy(run.bytes + run.size + 8, record->at + 8, record->bytes - 8);
  run.size += record->bytes;
  run.last = record->ticks;
  run.count++;
}

void carry_keep(void *context, const uint8_t *chunk, uint32_t bytes) {
  (void)context;
  chunk_walk walk = chunk_walk_begin(chunk, bytes);
  chunk_record last;
  bool has_last = false, is_copy = false;
  if (bytes >= optrace_chunk_size) {
    uint32_t kind;
    memcpy(&kind, chunk + optrace_chunk_kind, sizeof kind);
    is_copy = kind == optrace_chunk_kind_carried;
  }
  for (chunk_record record; chunk_walk_next(&walk, &record);) {
    if (is_copy) copy_recycled(&record);
    bool needed = is_needed(&record, has_last ? &last : NULL);
    uint8_t carries = optrace_carries[record.kind];
    // An object's name, and the wait's stack, may be between a wait and its signal.
    if (carries != optrace_carry_while_newest && carries != optrace_carry_with_record_before) {
      has_last = needed;
      last = record;
    }
    if (needed) run_add(&record);
  }
  run_flush();
}
