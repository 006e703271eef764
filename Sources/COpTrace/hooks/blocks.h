// Blocks (closures of C), with the layout of the compilers' common ABI.
#ifndef OPTRACE_BLOCKS_H
#define OPTRACE_BLOCKS_H

#include "../layouts/hooks.h"

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
  _Atomic uint32_t reserved;  // Copied with the block, but used neither by the runtime nor by compilers.
  function invoke;
  const block_descriptor *descriptor;
} block;

enum { block_has_helpers = 1 << 25, block_is_global = 1 << 28 };

// Finds the runtime's functions. Once.
void blocks_prepare(void);
// Whether the block was made by `dispatch_block_create` (a "special" block). libdispatch recognises these by their `invoke` and reads
// their other fields, so they must not be wrapped. True for all blocks if that is not known.
bool block_is_special(const block *body);
// Where the flags are that special blocks were made with, in bytes, from blocks made without any, as a barrier, and detached: the only word
// in which they differ accordingly. 0: not known.
size_t block_flags_offset(const block *without, const block *barrier, const block *detached);
// Null, or what is not known of special blocks.
const char *blocks_misfit(void);
// Whether a special block is a barrier, which runs alone on its queue. False also if that is not known.
bool block_is_barrier(const block *special);
// The head of a block on the stack. libdispatch makes a copy to keep it.
block block_on_stack(function invoke, const block_descriptor *descriptor);
void *block_copy(const void *body);
void block_release(const void *body);
// The function that the block runs. If Swift made the block, this is the closure behind the thunk. 0: not known.
uint64_t block_code(const block *body);
// Whether that function is the program's own code.
bool block_code_is_programs(uint64_t code);
// Declares that this function does not count as the program's code, although it is in the program's file if this recorder is linked into
// it. The recorder runs the program's barriers with it, and these are recorded as barriers.
void block_code_runs_barriers(const void *code);
#endif

#endif
