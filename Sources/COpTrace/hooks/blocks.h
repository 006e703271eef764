// Blocks, as in the compilers' common ABI.
#ifndef OPTRACE_BLOCKS_H
#define OPTRACE_BLOCKS_H

#include "hooks.h"

#if OPTRACE_HAS_HOOKS

typedef void (*function)(void *context);

// The descriptor that every block points to.
typedef struct {
  unsigned long reserved, size;
  // Only with `block_has_helpers`.
  void (*copy)(void *to, const void *from);
  void (*dispose)(const void *block);
} block_descriptor;

typedef struct {
  void *class;
  int flags;
  _Atomic uint32_t reserved;  // The runtime copies it, and neither it nor a compiler uses it.
  function invoke;
  const block_descriptor *descriptor;
} block;

enum { block_has_helpers = 1 << 25, block_is_global = 1 << 28 };

// Finds the runtime's functions. Once.
void blocks_prepare(void);
// Whether the runtime's functions were found; if not, no block may be made.
bool blocks_known(void);
// Whether the block is one of `dispatch_block_create`. libdispatch recognises them by their `invoke` and reads their other
// fields, so they are not wrapped. True of all blocks if that is not known.
bool block_is_special(const block *body);
// Whether a special one was made to run alone on its queue; false also where that is not known.
bool block_is_barrier(const block *special);
// The head of a block on a stack; libdispatch copies it to keep it.
block block_on_stack(function invoke, const block_descriptor *descriptor);
void *block_copy(const void *body);
void block_release(const void *body);
// What the block runs: the closure behind a thunk, if Swift made it. 0: not known.
uint64_t block_code(const block *body);
// Whether that is the program's own code.
bool block_code_is_programs(uint64_t code);
// From here on this function is not: the recorder runs the program's barriers by it, which are recorded as such. It is the program's
// by its place where this recorder is linked into it.
void block_code_runs_barriers(const void *code);
#endif

#endif
