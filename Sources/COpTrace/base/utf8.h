// Cuts texts between characters.
#ifndef OPTRACE_UTF8_H
#define OPTRACE_UTF8_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

// Returns how many bytes of a text to keep: fewer than `most`, without splitting a character.
static inline size_t utf8_length(const char *text, size_t most) {
  size_t length = strnlen(text, most);
  if (length == most)
    do length -= 1;
    while (length && ((uint8_t)text[length] & 0xC0) == 0x80);
  return length;
}

#endif
