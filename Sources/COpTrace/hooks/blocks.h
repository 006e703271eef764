// Blocks, as the compilers' common ABI has them.
#ifndef OPTRACE_BLOCKS_H
#define OPTRACE_BLOCKS_H

#include "hooks.h"

#if OPTRACE_HAS_HOOKS

typedef void (*function)(void *context);

// What every block has behind its head.
typedef struct {
  unsigned long reserved, size;
  // Where `block_has_helpers`.
  void (*copy)(void *to, const void *from);
  void (*dispose)(const void *block);
} block_descriptor;

typedef struct {
  void *class;
  int flags;
  _Atomic uint32_t reserved;  // The runtime carries it along, and neither it nor a compiler uses it.
  function invoke;
  const block_descriptor *descriptor;
} block;

enum { block_has_helpers = 1 << 25, block_is_global = 1 << 28 };

// Finds the runtime's functions. Once.
void blocks_prepare(void);
// Whether the runtime's functions were found: else no block may be made.
bool blocks_known(void);
// Whether it is one of `dispatch_block_create`. libdispatch knows them by what stands as `invoke`, and treats them by what else is
// in them: they go their way as they are. True of all where that is not known.
bool block_is_special(const block *body);
// The head of a block that lies on a stack: who keeps it copies it.
block block_on_stack(function invoke, const block_descriptor *descriptor);
void *block_copy(const void *body);
void block_release(const void *body);
// What it runs: the closure behind a thunk, where a Swift program made it. 0: not known.
uint64_t block_code(const block *body);
#endif

#endif
