#include "reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"

static uint64_t load(const uint8_t *at, size_t bytes) {
  uint64_t value = 0;
  for (size_t i = bytes; i--;) value = value << 8 | at[i];
  return value;
}

// As the document says it, and not by the core's own function.
static uint64_t checksum(uint64_t hash, const uint8_t *at, size_t count) {
  for (size_t i = 0; i < count; i += 8) {
    hash = (hash ^ load(at + i, count - i < 8 ? count - i : 8)) * 0xFF51AFD7ED558CCDull;
    hash ^= hash >> 32;
  }
  return hash;
}
static const uint64_t checksum_start = 0x9E3779B97F4A7C15ull;

// Where a text begins: behind the words that its kind has.
static size_t text_at(uint8_t kind) {
  switch (kind) {
    case optrace_kind_queue_created: case optrace_kind_object_named: case optrace_kind_image: case optrace_kind_symbol:
    case optrace_kind_dispatch_queue: case optrace_kind_span_context: return 24;
    default: return 16;
  }
}

static size_t words_of(uint8_t kind, const uint8_t *at, size_t left) {
  if (kind >> 6 < 3) return (size_t)(kind >> 6) + 1;
  return left >= 16 ? load(at + 8, 2) : 0;
}

bool records_walk(const uint8_t *chunk, size_t bytes, void *context, void (*take)(void *context, const record *one)) {
  uint64_t ticks = load(chunk + optrace_chunk_base_ticks, 8);
  uint32_t thread = (uint32_t)load(chunk + optrace_chunk_thread, 4);
  for (size_t at = optrace_chunk_size; at < bytes;) {
    const uint8_t *from = chunk + at;
    size_t left = bytes - at;
    if (left < 8) return false;
    record one = {.kind = from[0], .subject = (uint32_t)load(from + 4, 4), .chunk_kind = (uint32_t)load(chunk + optrace_chunk_kind, 4),
                  .sequence = load(chunk + optrace_chunk_sequence, 8)};
    size_t words = words_of(one.kind, from, left);
    if (!one.kind || !words || words * 8 > left) return false;
    if (words > 1) one.word[0] = load(from + 8, 8);
    if (words > 2) one.word[1] = load(from + 16, 8);
    if (one.kind >> 6 == 3) {
      one.length = (uint32_t)load(from + 10, 2);
      one.text = from + text_at(one.kind);
      if (words < 2 || text_at(one.kind) + one.length > words * 8) return false;
      for (size_t i = text_at(one.kind) + one.length; i < words * 8; i++)
        if (from[i]) return false;
    }
    ticks += load(from + 1, 3);
    if (one.kind == optrace_kind_time) ticks = one.word[0];
    if (one.kind == optrace_kind_thread_switched) thread = one.subject;
    one.ticks = ticks;
    one.thread = thread;
    take(context, &one);
    at += words * 8;
  }
  return true;
}

static void keep(void *context, const record *one) {
  trace *t = context;
  // Twice as many each time: a sanitizer's realloc copies all of them, which is minutes for a million on a busy machine.
  if (t->count == t->room) t->records = realloc(t->records, (t->room = t->room ? 2 * t->room : 1024) * sizeof *one);
  if (!t->records) abort();
  t->records[t->count] = *one;
  t->records[t->count].place = t->count;
  t->count++;
}

static int by_sequence(const void *a, const void *b) {
  const record *x = a, *y = b;
  if (x->sequence != y->sequence) return x->sequence < y->sequence ? -1 : 1;
  return x->place < y->place ? -1 : x->place > y->place;
}

static const char *check_header(const trace *t) {
  const uint8_t *b = t->bytes;
  if (t->size < optrace_header_size || memcmp(b, "OPTRACE\n", 8) != 0) return "it does not begin as a trace";
  if (load(b + optrace_header_major_version, 2) != optrace_format_major_version) return "it has another version";
  if (load(b + optrace_header_byte_order_mark, 4) != optrace_format_byte_order_mark) return "its bytes are in another order";
  if (checksum(checksum_start, b, optrace_header_static_checksum) != load(b + optrace_header_static_checksum, 8))
    return "the checksum of the header's first part does not hold";
  if (load(b + optrace_header_state, 4) != optrace_file_state_closed) return "it is not closed";
  if (checksum(checksum_start, b + optrace_header_state, optrace_header_dynamic_checksum - optrace_header_state) !=
      load(b + optrace_header_dynamic_checksum, 8))
    return "the checksum of the header's second part does not hold";
  if (load(b + optrace_header_heartbeat_sequence, 8) % 2) return "the heartbeat was left in its midst";
  return NULL;
}

static int by_thread_and_time(const void *left, const void *right) {
  const record *a = left, *b = right;
  if (a->thread != b->thread) return a->thread < b->thread ? -1 : 1;
  if (a->ticks != b->ticks) return a->ticks < b->ticks ? -1 : 1;
  return by_sequence(left, right);
}

static const char *check_chunk(trace *t, const uint8_t *chunk, size_t left, bool is_ring) {
  uint64_t bytes = load(chunk + optrace_chunk_byte_count, 4), fill = load(chunk + optrace_chunk_fill, 4);
  if (load(chunk, 4) != optrace_chunk_magic) return "a chunk has no magic number";
  if (bytes % 64 || bytes < optrace_chunk_size || bytes > left || fill > bytes - optrace_chunk_size) return "a chunk's sizes do not fit";
  // What a ring was about to use again is free, and holds nothing.
  if (is_ring && load(chunk + optrace_chunk_state, 4) == optrace_chunk_state_recycling) return NULL;
  if (load(chunk + optrace_chunk_state, 4) != optrace_chunk_state_sealed) return "a chunk is not sealed";
  uint8_t head[optrace_chunk_size];
  memcpy(head, chunk, sizeof head);
  memset(head + optrace_chunk_checksum, 0, 8);
  uint64_t sum = checksum(checksum(checksum_start, head, sizeof head), chunk + optrace_chunk_size, fill);
  if (sum != load(chunk + optrace_chunk_checksum, 8)) return "a chunk's checksum does not hold";
  return records_walk(chunk, optrace_chunk_size + fill, t, keep) ? NULL : "a chunk holds what is no record";
}

static const char *check(trace *t) {
  const char *wrong = check_header(t);
  if (wrong) return wrong;
  bool is_ring = load(t->bytes + optrace_header_mode, 4) == optrace_file_mode_flight_recorder;
  uint64_t end = load(t->bytes + optrace_header_end_offset, 8);
  if (is_ring ? t->size != load(t->bytes + optrace_header_capacity, 8) || end > t->size : t->size != end) return "it has another size";
  for (uint64_t at = optrace_header_size; at < end; at += load(t->bytes + at + optrace_chunk_byte_count, 4)) {
    if (end - at < optrace_chunk_size) return "a chunk is cut";
    if ((wrong = check_chunk(t, t->bytes + at, end - at, is_ring))) return wrong;
    t->chunks++;
  }
  // A thread may continue a chunk that was handed out before its last one.
  if (t->count) qsort(t->records, t->count, sizeof *t->records, by_thread_and_time);
  return NULL;
}

trace trace_read(const char *path) {
  trace t = {.wrong = "it can't be read"};
  FILE *file = fopen(path, "rb");
  if (!file) return t;
  fseek(file, 0, SEEK_END);
  t.size = (size_t)ftell(file);
  rewind(file);
  t.bytes = malloc(t.size ? t.size : 1);
  if (t.bytes && fread(t.bytes, 1, t.size, file) == t.size) t.wrong = check(&t);
  fclose(file);
  return t;
}

void trace_free(trace *t) {
  free(t->bytes);
  free(t->records);
}

uint64_t trace_header(const trace *t, size_t offset) { return load(t->bytes + offset, 8); }

uint64_t trace_lost(const trace *t) {
  uint64_t lost = 0;
  for (size_t reason = 0; reason < 8; reason++) lost += trace_header(t, optrace_header_loss_counts + 8 * reason);
  return lost;
}

size_t trace_count(const trace *t, uint8_t kind) {
  size_t count = 0;
  for (size_t i = 0; i < t->count; i++) count += t->records[i].kind == kind;
  return count;
}
