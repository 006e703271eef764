// Work items: blocks of `dispatch_block_create`, which may be submitted and run several times, and be cancelled.
#ifndef OPTRACE_ITEMS_H
#define OPTRACE_ITEMS_H

#include "blocks.h"

#if OPTRACE_HAS_HOOKS
#include "../stacks/unwind.h"

enum { most_submissions = 6 };

// The block that a work item runs in place of the program's block.
typedef struct item {
  block head;
  const block *body;
  const void *special;  // The block that libdispatch has returned to the program.
  struct item *next;
  // The numbers of submissions that have not run; 0 is none.
  optrace_recorder *_Atomic recorder;
  _Atomic uint32_t waiting[most_submissions];
} item;

// False: the block is not wrapped.
bool item_wrap(item *made, void *body);
// Connects the block that libdispatch has made with the item that was wrapped last on this thread; returns the block.
void *item_created(void *special);
void item_submitted(optrace_recorder *recorder, const block *special, void *queue, uint32_t how, optrace_start here);
void item_cancelled(const void *special);
#endif

#endif
