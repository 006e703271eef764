// How a record is packed: its first word, and the second word of a record with a text. The remaining bits hold fields; see
// COpTraceFields.h, which is generated from the event table. RecordWords.swift does the same in Swift.
#ifndef OPTRACE_WORDS_H
#define OPTRACE_WORDS_H

#include <string.h>

#include "COpTrace.h"

// `delta`: ticks since the previous record, at most `optrace_format_largest_delta`.
static inline uint64_t record_head(uint8_t kind, uint64_t delta, uint32_t subject) {
  return kind | delta << 8 | (uint64_t)subject << 32;
}

// The second word of a record with a text: the record's size in words, the text's size in bytes, and a half that holds fields.
static inline uint64_t record_lengths(uint32_t words, size_t text_bytes, uint32_t high) {
  return words | (uint64_t)text_bytes << 16 | (uint64_t)high << 32;
}

// Stores a record of two words at the same time as the one before it. Returns where the next record goes.
static inline uint8_t *store_pair(uint8_t *at, uint8_t kind, uint32_t subject, uint64_t word1) {
  uint64_t words[2] = {record_head(kind, 0, subject), word1};
  memcpy(at, words, sizeof words);
  return at + sizeof words;
}

#endif
