// Moves the first instructions of a function, so that they do the same at another address.
#ifndef OPTRACE_MOVE_H
#define OPTRACE_MOVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// Code that is being assembled for an address.
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

// Appends a jump to any address. It changes no flags and no registers (arm64: only x17, which a call may change anyway).
void code_put_jump(code_text *text, uint64_t to);

typedef enum {
  moved_well,
  moved_not_known,  // An instruction is unknown, or cannot be moved.
  moved_too_short,  // The function is shorter than the jump, and no padding follows it.
  moved_too_far,    // An instruction refers to something that is out of reach from the new address.
} moved_result;

// The size of the jump at a function's entry, which lies within one aligned word of `code_word_size` bytes.
#if defined(__aarch64__)
enum { code_jump_size = 4, code_word_size = 4 };
#else
enum { code_jump_size = 5, code_word_size = 8 };
#endif

// The offset in a function at which the jump is placed: 0, or behind the instruction that indirect calls must land on (arm64: `bti c`).
size_t code_jump_place(const uint8_t *bytes, size_t count);

// Appends the instructions of `function` that the jump overwrites, so that they do the same, and a jump to the instruction behind them.
// `bytes`: the first `count` bytes of the function. `size`: its size; 0: not known. `taken`: set to how many bytes were moved, which
// are whole instructions.
moved_result code_move(code_text *text, uint64_t function, const uint8_t *bytes, size_t count, size_t size, size_t *taken);

// Whether a direct branch in the function leads into its first `taken` bytes, or whether that cannot be known. A branch to the entry
// itself counts, too, because the hook would see it as a call. Reads the function from memory.
bool code_returns_there(uint64_t function, uint64_t size, size_t taken);

// Makes a jump of `code_jump_size` bytes. False: the target is out of reach.
bool code_make_jump(uint64_t from, uint64_t to, uint8_t bytes[code_jump_size]);

// The target of such a jump at the address; 0: there is no jump.
uint64_t code_jump_target(uint64_t at, const uint8_t *bytes);

#endif
