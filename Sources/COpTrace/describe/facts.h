// Facts that are the same for all operations of a class.
#ifndef OPTRACE_FACTS_H
#define OPTRACE_FACTS_H

#include "COpTraceDescribe.h"

// All facts about a class in one number, which is cached: those of COpTraceDescribe.h, and the id of the class's name, which has 16 bits
// (0: there is no room for it).
typedef uint32_t class_facts;
enum { facts_name = 0xFFFF };

// Returns the facts about an operation's class. Takes a lock only if the class, or the code that the operation runs, is new.
class_facts facts_of(optrace_recorder *core, void *operation);
// The same for an operation that runs this function; 0: not known, so it is asked.
class_facts facts_with(optrace_recorder *core, void *operation, uint64_t function);
// Returns a number for something that is shown like a class, and runs the function at this address. 0: there is no room for it.
uint32_t shown_class(optrace_recorder *core, const char *name, uint64_t function);
// Returns the number of any class's name; 0: there is no room for it. Takes a lock only if the class is new.
uint32_t class_number(optrace_recorder *core, const void *class);

#endif
