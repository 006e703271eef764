// Unwind rules from `.eh_frame`: how to find the caller of a function, for each of its instructions.
#ifndef OPTRACE_RULES_H
#define OPTRACE_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "supported.h"

// A rule in one word; 0: there is none.
typedef uint64_t unwind_rule;

enum {
  rule_frame = 1 << 0,        // There is a caller …
  rule_end = 1 << 1,          // … or it is known that there is none.
  rule_by_bp = 1 << 2,        // The base register is bp, else sp.
  rule_indirect = 1 << 3,     // CFA is stored at address base + offset; else CFA is that sum.
  rule_ra_by_base = 1 << 4,   // The return address is at an offset from the base, else from CFA.
  rule_saves_bp = 1 << 5,     // The caller's bp is saved …
  rule_bp_by_base = 1 << 6,   // … at an offset from the base, else from CFA. Without `rule_saves_bp` bp is unchanged.
  rule_signal = 1 << 7,       // The frame that the kernel makes for a signal handler: the caller was interrupted; it made no call.
};
static inline int64_t rule_cfa(unwind_rule rule) { return (int32_t)(uint32_t)rule >> 8; }
static inline int64_t rule_ra(unwind_rule rule) { return (int16_t)(rule >> 32) * 8; }
// A special offset: the return address is still in its register, as in a function that makes no calls.
static inline bool rule_ra_in_register(unwind_rule rule) { return has_register_ra && (int16_t)(rule >> 32) == INT16_MIN; }
static inline int64_t rule_bp(unwind_rule rule) { return (int16_t)(rule >> 48) * 8; }

// The bytes of a module, which may be malformed: every read is checked.
typedef struct {
  const uint8_t *bytes;  // Points to the byte at address `low`; null: read with `pages_read` and `generation`.
  uint64_t generation;
  uint64_t low, high;    // Addresses.
  uint64_t window_at;
  size_t window_bytes;
  uint8_t window[256];
} unwind_image;

// Finds the rule in a module's `.eh_frame_hdr`, by binary search. `start`: where the function begins; may be null.
unwind_rule rule_find(unwind_image *image, uint64_t header, uint64_t address, uint64_t *start);
// Decodes the one entry (FDE) at `entry`.
unwind_rule rule_decode(unwind_image *image, uint64_t header, uint64_t entry, uint64_t address, uint64_t *start);

#endif
