// Describes operations when the recorder first sees them.
#ifndef OPTRACE_INTRODUCE_H
#define OPTRACE_INTRODUCE_H

#include "facts.h"
#include "strings.h"

#if OPTRACE_HAS_HOOKS
// The situation in which an operation is first seen.
typedef enum {
  sight_named,     // Another operation depends on it.
  sight_enqueued,  // It is added to a queue that is recorded.
  sight_started,   // It starts, or somebody waits for it.
  sight_running,   // It is already running, and its start was not seen.
} sight;

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

// The values that an operation's getters return. They are called before other threads have to wait for the description.
typedef struct {
  swift_string name;  // Owned by this structure.
  bool is_finished, is_executing, is_cancelled, is_asynchronous, has_dependencies;
} appearance;

// Returns the operation's number in this trace; 0: there is none. Describes the operation if it is new: its class, its name and its
// dependencies, including operations that were never enqueued. `probe`: its entry (`optrace_object_know`), or null. `adding`: may be
// null; if the description includes it, it is no longer open afterwards.
uint32_t introduce(optrace_recorder *core, void *operation, optrace_operation *probe, sight how, addition *adding);
// The same for an operation that is only named as a dependency.
uint32_t introduce_named(optrace_recorder *core, void *operation);
// Describes an operation that was added to a queue and cannot be followed, as partially covered, with its dependencies. Returns its
// number; 0: there is none.
uint32_t introduce_foreign(optrace_recorder *core, void *operation);

appearance appearance_of(void *operation, sight how);
// Describes an attached operation, and publishes it. Calls none of the program's code. Adds the operation to `list` if its dependencies
// are still to be recorded.
void describe(optrace_recorder *core, void *operation, const appearance *seen, class_facts facts, optrace_operation *probe,
              sight how, described_list *list, addition *adding);
// Records an operation's class, and its name unless that is nil. `probe`: its entry, or null.
void describe_class(optrace_recorder *core, uint32_t serial, class_facts facts, swift_string name, uint8_t coverage,
                    bool is_asynchronous, const optrace_operation *probe);
// Describes an operation and its adding in one record. False if that is not possible: the operation has a name, or has its own `isReady`;
// or its creation site is to be recorded, which needs a separate record.
bool describe_added(optrace_recorder *core, uint32_t serial, class_facts facts, swift_string name, bool is_asynchronous,
                    optrace_operation *probe, const addition *adding);
// Records the dependencies of all operations in a list, including operations that are added to the list meanwhile. Frees the list.
void describe_dependencies(optrace_recorder *core, described_list *list);
// Returns the second word of the record that describes a new operation, without an age.
uint64_t created_word(class_facts facts, uint8_t coverage, bool is_asynchronous);
#endif

#endif
