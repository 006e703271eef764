// Iterates over the records of a chunk in memory. The recorder wrote them itself, but their lengths are checked nevertheless.
#ifndef OPTRACE_RECORDS_H
#define OPTRACE_RECORDS_H

#include <string.h>

#include "COpTraceFields.h"
#include "COpTraceFormat.h"

typedef struct {
  uint8_t kind;
  uint32_t subject;
  uint64_t ticks;
  uint32_t thread, system_thread;
  uint64_t word1, word2;  // 0 where the record has none.
  const uint8_t *at;
  uint32_t bytes;
} chunk_record;

typedef struct {
  const uint8_t *at, *end;
  uint64_t ticks;
  uint32_t thread, system_thread;
} chunk_walk;

static inline uint64_t record_word(const uint8_t *at) {
  uint64_t word;
  memcpy(&word, at, sizeof word);
  return word;
}

// Begins at the first record of a chunk. `bytes`: the size of the chunk with its header.
static inline chunk_walk chunk_walk_begin(const uint8_t *chunk, uint32_t bytes) {
  chunk_walk walk = {.at = chunk, .end = chunk};
  if (bytes < optrace_chunk_size) return walk;
  walk.at = chunk + optrace_chunk_size;
  walk.end = chunk + bytes;
  walk.ticks = record_word(chunk + optrace_chunk_base_ticks);
  memcpy(&walk.thread, chunk + optrace_chunk_thread, sizeof walk.thread);
  return walk;
}

// Reads the next record. False: there are no more records.
static inline bool chunk_walk_next(chunk_walk *walk, chunk_record *out) {
  enum { variable = 3 };
  while (walk->end - walk->at >= 8) {
    uint64_t left = (uint64_t)(walk->end - walk->at), head = record_word(walk->at);
    uint64_t word1 = left >= 16 ? record_word(walk->at + 8) : 0;
    uint8_t kind = (uint8_t)head;
    uint64_t words = kind >> 6 == variable ? word1 & 0xFFFF : (uint64_t)(kind >> 6) + 1;
    if (!kind || !words || words * 8 > left) return false;
    *out = (chunk_record){.kind = kind, .subject = (uint32_t)(head >> 32), .word1 = words > 1 ? word1 : 0,
                          .word2 = words > 2 ? record_word(walk->at + 16) : 0, .at = walk->at, .bytes = (uint32_t)words * 8};
    walk->at += words * 8;
    walk->ticks += head >> 8 & optrace_format_largest_delta;
    switch (kind) {
      case optrace_kind_time: walk->ticks = optrace_time_read(word1).ticks; continue;
      case optrace_kind_thread_switched:
        walk->thread = out->subject;
        walk->system_thread = optrace_thread_switched_read(word1).tid;
        continue;
      case optrace_kind_thread_named: walk->system_thread = optrace_thread_named_read(word1).tid; break;
      default: break;
    }
    out->ticks = walk->ticks;
    out->thread = walk->thread;
    out->system_thread = walk->system_thread;
    return true;
  }
  return false;
}

#endif
