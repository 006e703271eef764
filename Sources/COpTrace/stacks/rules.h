// Unwind rules out of `.eh_frame`: how a function's caller is found at one of its instructions.
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
  rule_by_bp = 1 << 2,        // The base is bp, else sp.
  rule_indirect = 1 << 3,     // CFA is what stands at base + offset, else that sum itself.
  rule_ra_by_base = 1 << 4,   // The return address stands at an offset from the base, else from CFA.
  rule_saves_bp = 1 << 5,     // The caller's bp stands …
  rule_bp_by_base = 1 << 6,   // … at an offset from the base, else from CFA; without: it is unchanged.
  rule_signal = 1 << 7,       // Made by the kernel for a signal: the caller was interrupted, and has called nothing.
};
static inline int64_t rule_cfa(unwind_rule rule) { return (int32_t)(uint32_t)rule >> 8; }
static inline int64_t rule_ra(unwind_rule rule) { return (int16_t)(rule >> 32) * 8; }
// In the place of where the return address stands: it is in its register still, as in a function that calls nobody.
static inline bool rule_ra_in_register(unwind_rule rule) { return has_register_ra && (int16_t)(rule >> 32) == INT16_MIN; }
static inline int64_t rule_bp(unwind_rule rule) { return (int16_t)(rule >> 48) * 8; }

// The bytes of a module, or such that claim to be one. Every read is checked.
typedef struct {
  const uint8_t *bytes;  // Where the byte of address `low` stands; null: each is looked for by `peek`.
  uint64_t low, high;    // Addresses.
  uint64_t window_at;
  size_t window_bytes;
  uint8_t window[256];
} unwind_image;

// From a module's `.eh_frame_hdr`, by binary search. `start`: where the function begins; may be null.
unwind_rule rule_find(unwind_image *image, uint64_t header, uint64_t address, uint64_t *start);
// From the one entry (FDE) that stands at `entry`.
unwind_rule rule_decode(unwind_image *image, uint64_t header, uint64_t entry, uint64_t address, uint64_t *start);

#endif
