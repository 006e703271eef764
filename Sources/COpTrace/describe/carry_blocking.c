// A thread that records its own wait records the end at once. So only a wait whose beginning the flusher recorded can be open, and its
// beginning and its end are in chunks of different threads. The flusher's chunk is recycled late, so the end of such a wait is carried
// as long as its beginning may be in the ring.
#include "carry_blocking.h"

#include <stdlib.h>

enum { most_names = 4096 };

void blocking_clear(blocking_carry *all) {
  number_map_clear(&all->begun);
  number_map_clear(&all->ended);
  number_map_clear(&all->own);
  number_map_clear(&all->names);
}

uint64_t blocking_object(const chunk_record *record) {
  optrace_unblocked_fields fields = optrace_unblocked_read(record->word1);
  return optrace_unblocked_word1(fields);
}

// Returns the blocked thread if another thread wrote the record; 0: the blocked thread wrote it itself.
static uint32_t reported(const chunk_record *record) { return optrace_blocked_read(record->word1, record->word2).thread; }

static uint64_t named_object(const chunk_record *record) { return optrace_object_named_read(record->word2).object; }

static bool store(number_map *map, uint64_t word, uint32_t number, uint64_t value) {
  uint64_t *at = number_map_add(map, word, number);
  if (at) *at = value;
  return at != NULL;
}

// ---- Scanning ------------------------------------------------------------------------------------------------------

bool blocking_blocked(blocking_carry *all, const chunk_record *record) {
  uint32_t thread = reported(record);
  if (!thread) return store(&all->own, record->thread, 0, blocking_object(record));
  uint64_t *count = number_map_add(&all->begun, blocking_object(record), thread);
  if (count) *count += 1;
  if (record->ticks > all->last_reported) all->last_reported = record->ticks;
  return count != NULL;
}

bool blocking_unblocked(blocking_carry *all, const chunk_record *record) {
  uint64_t object = blocking_object(record);
  const uint64_t *known = number_map_find(&all->own, record->thread, 0);
  bool is_own = known && *known == object;
  number_map_remove(&all->own, record->thread, 0);
  return is_own || store(&all->ended, object, record->thread, record->ticks);
}

static int compare(const void *a, const void *b) {
  uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
  return (left > right) - (left < right);
}

static bool is_later(const void *context, const number_entry *entry) { return entry->value > *(const uint64_t *)context; }

// Forgets about the older half of the addresses: a program that keeps creating queues must not fill the ring with their names.
static void forget_names(blocking_carry *all) {
  number_map *names = &all->names;
  uint64_t *times = malloc(names->count * sizeof *times), middle = 0;
  uint32_t count = 0;
  for (uint32_t i = 0; times && i < names->size; i++)
    if (names->slots[i].is_used) times[count++] = names->slots[i].value;
  if (times) {
    qsort(times, count, sizeof *times, compare);
    middle = times[count / 2];
  } else {
    middle = UINT64_MAX;
  }
  number_map_filter(names, &middle, is_later);
  free(times);
}

bool blocking_named(blocking_carry *all, const chunk_record *record) {
  bool done = store(&all->names, named_object(record), 0, record->ticks);
  if (all->names.count > most_names) forget_names(all);
  return done;
}

static bool has_beginning(const void *context, const number_entry *entry) {
  const blocking_carry *all = context;
  return entry->value > all->last_reported || number_map_find(&all->begun, entry->word, entry->number);
}

void blocking_scanned(blocking_carry *all) {
  enum { few = 256 };
  // Not after each chunk: that would cost more than the chunk.
  if (all->ended.count < 2 * all->ended_kept + few) return;
  number_map_filter(&all->ended, all, has_beginning);
  all->ended_kept = all->ended.count;
}

// ---- Carrying ------------------------------------------------------------------------------------------------------

bool blocking_keeps_beginning(blocking_carry *all, const chunk_record *record) {
  uint32_t thread = reported(record);
  if (!thread) return false;
  uint64_t object = blocking_object(record);
  uint64_t age = optrace_blocked_read(record->word1, record->word2).age * optrace_format_age_unit;
  uint64_t began = record->ticks - (age < record->ticks ? age : record->ticks);
  const uint64_t *end = number_map_find(&all->ended, object, thread);
  if (!end || *end < began) return true;
  bool is_early = *end > all->last_reported;
  uint64_t *count = number_map_find(&all->begun, object, thread);
  if (count && *count > 1) {
    *count -= 1;
    return false;
  }
  number_map_remove(&all->begun, object, thread);
  if (!is_early) number_map_remove(&all->ended, object, thread);
  return false;
}

bool blocking_keeps_end(const blocking_carry *all, const chunk_record *record) {
  const uint64_t *end = number_map_find(&all->ended, blocking_object(record), record->thread);
  return end && *end == record->ticks;
}

bool blocking_keeps_name(const blocking_carry *all, const chunk_record *record) {
  const uint64_t *newest = number_map_find(&all->names, named_object(record), 0);
  return newest && *newest == record->ticks;
}
