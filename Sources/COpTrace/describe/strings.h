// Reads Swift's strings and arrays in C.
#ifndef OPTRACE_STRINGS_H
#define OPTRACE_STRINGS_H

#include "../objects/arrays.h"
#include "runtime.h"

#if OPTRACE_HAS_HOOKS
// A `String`, or an optional one.
typedef struct {
  uint64_t first, second;
} swift_string;

// The bytes of a text. The pointer may point into this structure, which therefore must not be copied.
typedef struct {
  const uint8_t *bytes;
  size_t length;
  uint8_t small[16];
  void *made;  // The array, owned, into which the runtime has converted a string of another form. Null: none.
} string_text;

static inline bool string_is_nil(swift_string string) { return !string.second; }
// Reads a string; the text is valid until `string_done`. It is empty if the string is nil or cannot be read.
void string_read(swift_string string, string_text *to);
void string_done(string_text *text);
// Releases a string that the caller owns.
void string_release(swift_string string);

// Verifies the layout of strings with strings that this program's runtime makes. Null, or what does not fit; then all texts are read
// as empty. Call it before the first string is read.
const char *strings_prove(void);
bool strings_known(void);
#endif

#endif
