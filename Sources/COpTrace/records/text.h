// Records with a text.
#ifndef OPTRACE_TEXT_H
#define OPTRACE_TEXT_H

#include <string.h>

#include "words.h"

// Stores a record of `words` words, without its first word. Returns its end.
static inline uint8_t *store_text(uint8_t *at, uint32_t words, uint32_t high, bool has_word2, uint64_t word2,
                                  const uint8_t *text, size_t length) {
  uint64_t word1 = record_lengths(words, length, high);
  memcpy(at + 8, &word1, 8);
  uint8_t *to = at + 16;
  if (has_word2) {
    memcpy(to, &word2, 8);
    to += 8;
  }
  uint8_t *end = at + words * 8;
  if (to < end) memset(end - 8, 0, 8);
  if (length) memcpy(to, text, length);
  return end;
}

#endif
