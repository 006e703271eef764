// The first instructions of a function, so that they do the same at another address.
#ifndef OPTRACE_MOVE_H
#define OPTRACE_MOVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// Code that is being written down for an address.
typedef struct {
  uint64_t address;
  size_t count;
  bool is_full;  // There was no room for all of it.
  uint8_t bytes[256];
} code_text;
static inline void code_put(code_text *text, const void *bytes, size_t count) {
  if (count > sizeof text->bytes - text->count) {
    text->is_full = true;
    return;
  }
  memcpy(text->bytes + text->count, bytes, count);
  text->count += count;
}

// A jump to anywhere, that changes no flag and no register (arm64: but x17, which belongs to nobody between two functions).
void code_put_jump(code_text *text, uint64_t to);

typedef enum {
  moved_well,
  moved_not_known,  // An instruction that is not known, or cannot be moved.
  moved_too_short,  // The function ends before, and no filling is behind it.
  moved_too_far,    // What it names is out of reach from there.
} moved_result;

// Bytes that a jump at an entry takes, within one aligned word.
#if defined(__aarch64__)
enum { code_jump_size = 4, code_word_size = 4 };
#else
enum { code_jump_size = 5, code_word_size = 8 };
#endif

// Where a jump can stand in a function: at its begin, or behind what calls through pointers have to meet (arm64: `bti c`).
size_t code_jump_place(const uint8_t *bytes, size_t count);

// Puts down what the bytes of `function` do that a jump there takes, whole instructions, and a jump to what is behind them.
// `bytes`: what stands at the function, `count` of them; `size`: of the function, 0: not known. `taken`: so many bytes.
moved_result code_move(code_text *text, uint64_t function, const uint8_t *bytes, size_t count, size_t size, size_t *taken);

// Whether a direct branch in the function leads to its first bytes before `taken`, or whether that cannot be told. Its entry
// counts, too: that would be heard as a call. Reads the memory itself.
bool code_returns_there(uint64_t function, uint64_t size, size_t taken);

// A jump of `code_jump_size` bytes; false: out of reach.
bool code_make_jump(uint64_t from, uint64_t to, uint8_t bytes[code_jump_size]);

// Where such a jump at the address leads; 0: there is none.
uint64_t code_jump_target(uint64_t at, const uint8_t *bytes);

#endif
