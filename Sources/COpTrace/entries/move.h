// The first instructions of a function, so that they do the same at another address.
#ifndef OPTRACE_MOVE_H
#define OPTRACE_MOVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Code that is being written down for an address.
typedef struct {
  uint64_t address;
  size_t count;
  bool is_full;  // There was no room for all of it.
  uint8_t bytes[256];
} code_text;
void code_put(code_text *text, const void *bytes, size_t count);
// A jump to anywhere, that changes no register and no flag.
void code_put_jump(code_text *text, uint64_t to);

typedef enum {
  moved_well,
  moved_not_known,      // An instruction that is not known, or cannot be moved.
  moved_too_short,      // The function ends before, and no filling is behind it.
  moved_too_far,        // What it names is out of reach from there.
} moved_result;

// Puts down what the first `least` bytes of `function` do, whole instructions, and a jump to what is behind them. `bytes`: what stands
// at the function, `count` of them; `size`: of the function, 0: not known.
moved_result code_move(code_text *text, uint64_t function, const uint8_t *bytes, size_t count, size_t size, size_t least, size_t *taken);

// Whether a direct branch in the function leads behind its first byte and before `taken`, or whether that cannot be told. Reads the
// memory itself.
bool code_returns_there(uint64_t function, uint64_t size, size_t taken);

#endif
