// Facts that are the same for all operations of a class.
#ifndef OPTRACE_FACTS_H
#define OPTRACE_FACTS_H

#include "runtime.h"

#if OPTRACE_HAS_HOOKS
// All facts about a class in one number, which is cached. Ids have 16 bits.
typedef uint32_t class_facts;
enum {
  facts_name = 0xFFFF,              // The id of the class's name; 0: there is no room for it.
  facts_readies_itself = 1 << 16,   // Has its own `isReady`.
  facts_executes_itself = 1 << 17,  // Has its own `isExecuting`, which is called after `start()` begins and before the code runs.
  // Has its own `start()` and states. (Many asynchronous classes do not override `isAsynchronous`, because queues do not call it.)
  facts_runs_itself = 1 << 18,
  facts_answers_itself = 1 << 19,   // Overrides a getter that is called to describe its operations.
  facts_code_is_chosen = 1 << 20,   // Each operation of the class may run a different function.
};

// Returns the facts about an operation's class. Takes a lock only if the class, or the code that the operation runs, is new.
class_facts facts_of(optrace_recorder *core, void *operation);
// Returns a number for something that is shown like a class, and runs the function at this address. 0: there is no room for it.
uint32_t shown_class(optrace_recorder *core, const char *name, uint64_t function);
// Returns the number of any class's name; 0: there is no room for it. Takes a lock only if the class is new.
uint32_t class_number(optrace_recorder *core, const void *metadata);
#endif

#endif
