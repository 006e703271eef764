// Blocks of `dispatch_block_create`, which may be submitted and run several times, and be cancelled.
#ifndef OPTRACE_ITEMS_H
#define OPTRACE_ITEMS_H

#include "blocks.h"

#if OPTRACE_HAS_HOOKS
#include "../stacks/unwind.h"

enum { most_submissions = 6 };

// What such a block runs in the place of what the program gave it.
typedef struct item {
  block head;
  const block *body;
  const void *special;  // The block that the program has.
  struct item *next;
  // Submissions that have not run, by their numbers: 0 is none.
  optrace_recorder *_Atomic recorder;
  _Atomic uint32_t waiting[most_submissions];
} item;

// False: it goes its way as it is.
bool item_wrap(item *made, void *body);
// What libdispatch made of the item that was wrapped last on this thread; gives it back.
void *item_created(void *special);
void item_submitted(optrace_recorder *recorder, const block *special, void *queue, uint32_t how, optrace_start here);
void item_cancelled(const void *special);
#endif

#endif
