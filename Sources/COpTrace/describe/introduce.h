// Describes operations when the recorder first sees them. The public part is in COpTraceDescribe.h.
#ifndef OPTRACE_INTRODUCE_H
#define OPTRACE_INTRODUCE_H

#include "facts.h"

// How much of an operation is recorded.
enum { coverage_full, coverage_partial, coverage_external };

// The adding of an operation to a queue: the second word of the record, and the stack of the program's code that adds it. `is_open`: not
// recorded yet.
typedef struct {
  uint64_t word;
  uint32_t stack;
  bool is_open;
} addition;

// Operations that have been described, and whose dependencies are still to be recorded.
typedef struct {
  struct described *items;
  size_t count, room;
} described_list;

// The entry that follows the operation: the one it carries, or the one that is kept for it. Null: it cannot be followed.
optrace_operation *entry_of(optrace_recorder *core, void *operation);
// The same for an operation that is not ours.
optrace_operation *entry_of_other(optrace_recorder *core, void *operation);

// Like `optrace_introduce`, for an operation with this entry, or without one. `adding`: may be null; if the description includes it, it is
// no longer open afterwards.
uint32_t introduce(optrace_recorder *core, void *operation, optrace_operation *entry, optrace_sight how, addition *adding);
// Describes an operation that was added to a queue and cannot be followed, as partially covered, with its dependencies. Returns its
// number; 0: there is none.
uint32_t introduce_foreign(optrace_recorder *core, void *operation);

// What is asked of an operation that is first seen.
uint32_t questions_of(void *operation, const optrace_operation *own, optrace_sight how);
// The bits that a class's facts set in each operation, for the hooks.
uint32_t marks_of(class_facts facts);
// Describes an attached operation, and publishes it. Calls none of the program's code. Adds the operation to `list` if its dependencies
// are still to be recorded.
void describe(optrace_recorder *core, void *operation, const optrace_answers *seen, class_facts facts, optrace_operation *entry,
              optrace_sight how, described_list *list, addition *adding);
// Records an operation's class, and its name and creation site if they are known. `entry`: may be null.
void describe_class(optrace_recorder *core, uint32_t serial, class_facts facts, const optrace_answers *seen, uint8_t coverage,
                    bool is_asynchronous, const optrace_operation *entry);
// Describes an operation and its adding in one record of this kind. False if that is not possible: the operation has a name, or has its
// own `isReady`; or its creation site is known, which needs a separate record.
bool describe_added(optrace_recorder *core, uint8_t kind, uint32_t serial, class_facts facts, const optrace_answers *seen,
                    bool is_asynchronous, optrace_operation *entry, const addition *adding);
// Notes that the dependencies of an operation are still to be recorded, and records those of all operations in a list, including
// operations that are added to the list meanwhile. Frees the list.
void describe_later(described_list *list, void *operation, uint32_t number);
void describe_dependencies(optrace_recorder *core, described_list *list);
// Returns the second word of the record that describes a new operation, without an age.
uint64_t created_word(class_facts facts, uint8_t coverage, bool is_asynchronous);

#endif
