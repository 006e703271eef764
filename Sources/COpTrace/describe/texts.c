// The slow path: it takes a lock, and runs once for each class and source location. Frequent callers cache the number
// (`optrace_cache_find`).
#include "texts.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/bits.h"
#include "../base/own_lock.h"
#include "../storage/recorder.h"
#include "COpTraceFields.h"

// Records have 16 bits for the number of a text.
enum { most_texts = UINT16_MAX, first_slots = 256 };

typedef struct {
  uint64_t hash;
  size_t length;
  uint32_t id;
  char bytes[];
} text;

typedef struct text_table {
  struct text_table *next;
  pthread_mutex_t lock;
  // The lock guards everything below. `slots` is a power of two.
  text **table;
  uint32_t slots, count;
  uint64_t bytes_left;
  uint8_t described[(most_texts + 8) / 8];
} text_table;

// Tables are never freed. This list keeps them reachable for leak checkers, which do not look into the memory of recorders, because that
// is wiped in a forked child.
static text_table *_Atomic all;

bool texts_begin(optrace_recorder *core, uint64_t byte_limit) {
  text_table *made = calloc(1, sizeof *made);
  if (!made) return false;
  pthread_mutex_init(&made->lock, NULL);
  made->bytes_left = byte_limit;
  made->next = atomic_load(&all);
  while (!atomic_compare_exchange_weak(&all, &made->next, made)) {}
  core->texts = made;
  return true;
}

// Returns the recorder's texts while it records; NULL: nothing is described. In a forked child the recorder's memory is wiped. So the
// lock, which another thread of the parent may have held, is not used there.
static text_table *active(const optrace_recorder *core) {
  return core && optrace_recorder_is_recording(core) ? core->texts : NULL;
}

size_t text_prefix(const char *utf8, size_t length, size_t most) {
  if (length <= most) return length;
  size_t end = most;
  while (end && ((uint8_t)utf8[end] & 0xC0) == 0x80) end--;
  return end;
}

size_t optrace_text_length(const uint8_t *utf8, size_t length) {
  return text_prefix((const char *)utf8, length, optrace_format_longest_text);
}

static bool is_same(const text *one, uint64_t hash, const char *utf8, size_t length) {
  return one->hash == hash && one->length == length && (!length || memcmp(one->bytes, utf8, length) == 0);
}

// Returns the slot of a text in a table that is not full: the one that contains it, or the one to insert it into.
static text **place_of(text **in, uint32_t size, uint64_t hash, const char *utf8, size_t length) {
  uint32_t slot = (uint32_t)(hash ^ hash >> 32) & (size - 1);
  while (in[slot] && !(utf8 && is_same(in[slot], hash, utf8, length))) slot = (slot + 1) & (size - 1);
  return &in[slot];
}

// Makes room for one more text. Keeps at least half of the table empty. False: memory is out.
static bool has_room_for_one(text_table *in) {
  if (in->slots && in->count < in->slots / 2) return true;
  uint32_t size = in->slots ? in->slots * 2 : first_slots;
  text **larger = calloc(size, sizeof *larger);
  if (!larger) return false;
  for (uint32_t i = 0; i < in->slots; i++)
    if (in->table[i]) *place_of(larger, size, in->table[i]->hash, NULL, 0) = in->table[i];
  free(in->table);
  in->table = larger;
  in->slots = size;
  return true;
}

// Takes bytes from the limit. False: not enough are left, which is counted as a loss. The caller holds the lock.
static bool take(optrace_recorder *core, text_table *from, uint64_t bytes) {
  if (bytes <= from->bytes_left) {
    from->bytes_left -= bytes;
    return true;
  }
  optrace_recorder_count_lost(core, optrace_loss_table_full, 1);
  return false;
}

bool texts_reserve(optrace_recorder *core, uint64_t bytes) {
  text_table *texts = active(core);
  if (!texts) return false;
  own_lock(&texts->lock);
  bool done = take(core, texts, bytes);
  pthread_mutex_unlock(&texts->lock);
  return done;
}

// Writes a text into the trace and remembers it. Returns its number; 0: there is no room. The caller holds the lock, and has made room in
// the table.
static uint32_t define(optrace_recorder *core, text_table *in, text **to, uint64_t hash, const char *utf8, size_t length) {
  size_t kept = optrace_text_length((const uint8_t *)utf8, length);
  text *made = in->count < most_texts && length < SIZE_MAX - sizeof *made ? malloc(sizeof *made + length) : NULL;
  if (!made) {
    optrace_recorder_count_lost(core, optrace_loss_table_full, 1);
    return 0;
  }
  if (!take(core, in, kept + 32)) {
    free(made);
    return 0;
  }
  if (!optrace_define(core, optrace_kind_string, in->count + 1, 0, 0, (const uint8_t *)utf8, kept)) {
    // Do not remember it, because there may be room the next time.
    in->bytes_left += kept + 32;
    free(made);
    return 0;
  }
  in->count++;
  *made = (text){.hash = hash, .length = length, .id = in->count};
  if (length) memcpy(made->bytes, utf8, length);
  *to = made;
  return in->count;
}

uint32_t optrace_text_id(optrace_recorder *core, const char *utf8, size_t length) {
  text_table *texts = active(core);
  if (!texts) return 0;
  if (!utf8) utf8 = "", length = 0;
  uint64_t hash = hash_text(utf8, length);
  uint32_t id = 0;
  own_lock(&texts->lock);
  if (has_room_for_one(texts)) {
    text **place = place_of(texts->table, texts->slots, hash, utf8, length);
    id = *place ? (*place)->id : define(core, texts, place, hash, utf8, length);
  } else {
    optrace_recorder_count_lost(core, optrace_loss_table_full, 1);
  }
  pthread_mutex_unlock(&texts->lock);
  return id;
}

// Returns the number of the text that consists of a class's name and the number of its code; 0: there is no room.
static uint32_t coded_id(optrace_recorder *core, const char *name, size_t length, uint32_t code) {
  char end[16];
  size_t added = (size_t)snprintf(end, sizeof end, " f%u", code);
  char *both = length < SIZE_MAX - added ? malloc(length + added) : NULL;
  if (!both) return 0;
  if (length) memcpy(both, name, length);
  memcpy(both + length, end, added);
  uint32_t id = optrace_text_id(core, both, length + added);
  free(both);
  return id;
}

// True for the first caller with this number.
static bool is_first(text_table *in, uint32_t id) {
  own_lock(&in->lock);
  bool first = !(in->described[id / 8] >> id % 8 & 1);
  in->described[id / 8] |= (uint8_t)(1u << id % 8);
  pthread_mutex_unlock(&in->lock);
  return first;
}

uint32_t optrace_class_id(optrace_recorder *core, const char *name, size_t length, const char *module, size_t module_length,
                  uint32_t code) {
  text_table *texts = active(core);
  if (!texts) return 0;
  uint32_t id = code ? coded_id(core, name, length, code) : optrace_text_id(core, name, length);
  uint32_t named = module ? optrace_text_id(core, module, module_length) : 0;
  uint32_t plain = code ? optrace_text_id(core, name, length) : id;
  if (!id || !is_first(texts, id)) return id;
  optrace_class_described_fields fields = {.name = id, .class_ = plain, .module = named, .code = code};
  optrace_define(core, optrace_kind_class_described, 0, optrace_class_described_word1(fields),
                 optrace_class_described_word2(fields), NULL, 0);
  return id;
}
