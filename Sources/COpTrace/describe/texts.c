// The slow path: it locks, and runs once for each class. Who asks often caches the number (`optrace_cache_find`).
#include "texts.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/bits.h"
#include "COpTraceFields.h"

// Numbers of texts have 16 bits where records name them.
enum { most_texts = UINT16_MAX, first_slots = 256 };

typedef struct {
  uint64_t hash;
  size_t length;
  uint32_t id;
  char bytes[];
} text;

static optrace_recorder *_Atomic recorder;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
// All below is only touched under the lock. `slots` is a power of two.
static text **table;
static uint32_t slots, count;
static uint64_t bytes_left;
static uint8_t described[(most_texts + 8) / 8];

void texts_begin(optrace_recorder *core, uint64_t byte_limit) {
  pthread_mutex_lock(&lock);
  bytes_left = byte_limit;
  pthread_mutex_unlock(&lock);
  atomic_store_explicit(&recorder, core, memory_order_release);
}

optrace_recorder *texts_recorder(void) { return atomic_load_explicit(&recorder, memory_order_acquire); }

// The recorder while it records. In a forked child its memory is wiped, so the lock, which another thread of the parent may have
// held, is not touched there.
static optrace_recorder *active(void) {
  optrace_recorder *core = texts_recorder();
  return core && optrace_recorder_is_recording(core) ? core : NULL;
}

size_t text_prefix(const char *utf8, size_t length, size_t most) {
  if (length <= most) return length;
  size_t end = most;
  while (end && ((uint8_t)utf8[end] & 0xC0) == 0x80) end--;
  return end;
}

static bool is_same(const text *one, uint64_t hash, const char *utf8, size_t length) {
  return one->hash == hash && one->length == length && (!length || memcmp(one->bytes, utf8, length) == 0);
}

// The place of a text in a table that is not full: where it is, or where it would be.
static text **place_of(text **in, uint32_t size, uint64_t hash, const char *utf8, size_t length) {
  uint32_t slot = (uint32_t)(hash ^ hash >> 32) & (size - 1);
  while (in[slot] && !(utf8 && is_same(in[slot], hash, utf8, length))) slot = (slot + 1) & (size - 1);
  return &in[slot];
}

// Keeps at least half of the table empty. False: memory is out.
static bool has_room_for_one(void) {
  if (slots && count < slots / 2) return true;
  uint32_t size = slots ? slots * 2 : first_slots;
  text **larger = calloc(size, sizeof *larger);
  if (!larger) return false;
  for (uint32_t i = 0; i < slots; i++)
    if (table[i]) *place_of(larger, size, table[i]->hash, NULL, 0) = table[i];
  free(table);
  table = larger;
  slots = size;
  return true;
}

// Under the lock.
static bool take(optrace_recorder *core, uint64_t bytes) {
  if (bytes <= bytes_left) {
    bytes_left -= bytes;
    return true;
  }
  optrace_recorder_count_lost(core, optrace_loss_table_full, 1);
  return false;
}

bool texts_reserve(uint64_t bytes) {
  optrace_recorder *core = active();
  if (!core) return false;
  pthread_mutex_lock(&lock);
  bool done = take(core, bytes);
  pthread_mutex_unlock(&lock);
  return done;
}

// Under the lock, with room in the table.
static uint32_t define(optrace_recorder *core, text **to, uint64_t hash, const char *utf8, size_t length) {
  size_t kept = text_prefix(utf8, length, optrace_format_longest_text);
  text *made = count < most_texts && length < SIZE_MAX - sizeof *made ? malloc(sizeof *made + length) : NULL;
  if (!made) {
    optrace_recorder_count_lost(core, optrace_loss_table_full, 1);
    return 0;
  }
  if (!take(core, kept + 32)) {
    free(made);
    return 0;
  }
  if (!optrace_define(core, optrace_kind_string, count + 1, 0, 0, (const uint8_t *)utf8, kept)) {
    // It is not remembered: there may be room the next time.
    bytes_left += kept + 32;
    free(made);
    return 0;
  }
  count++;
  *made = (text){.hash = hash, .length = length, .id = count};
  if (length) memcpy(made->bytes, utf8, length);
  *to = made;
  return count;
}

uint32_t text_id(const char *utf8, size_t length) {
  optrace_recorder *core = active();
  if (!core) return 0;
  if (!utf8) utf8 = "", length = 0;
  uint64_t hash = hash_text(utf8, length);
  uint32_t id = 0;
  pthread_mutex_lock(&lock);
  if (has_room_for_one()) {
    text **place = place_of(table, slots, hash, utf8, length);
    id = *place ? (*place)->id : define(core, place, hash, utf8, length);
  } else {
    optrace_recorder_count_lost(core, optrace_loss_table_full, 1);
  }
  pthread_mutex_unlock(&lock);
  return id;
}

// The number of a class's name with that of its code.
static uint32_t coded_id(const char *name, size_t length, uint32_t code) {
  char end[16];
  size_t added = (size_t)snprintf(end, sizeof end, " f%u", code);
  char *both = length < SIZE_MAX - added ? malloc(length + added) : NULL;
  if (!both) return 0;
  if (length) memcpy(both, name, length);
  memcpy(both + length, end, added);
  uint32_t id = text_id(both, length + added);
  free(both);
  return id;
}

// True for the first caller with this number.
static bool is_first(uint32_t id) {
  pthread_mutex_lock(&lock);
  bool first = !(described[id / 8] >> id % 8 & 1);
  described[id / 8] |= (uint8_t)(1u << id % 8);
  pthread_mutex_unlock(&lock);
  return first;
}

uint32_t class_id(const char *name, size_t length, const char *module, size_t module_length, uint32_t code) {
  optrace_recorder *core = active();
  if (!core) return 0;
  uint32_t id = code ? coded_id(name, length, code) : text_id(name, length);
  uint32_t named = module ? text_id(module, module_length) : 0, plain = code ? text_id(name, length) : id;
  if (!id || !is_first(id)) return id;
  optrace_class_described_fields fields = {.name = id, .class_ = plain, .module = named, .code = code};
  optrace_define(core, optrace_kind_class_described, 0, optrace_class_described_word1(fields),
                 optrace_class_described_word2(fields), NULL, 0);
  return id;
}
