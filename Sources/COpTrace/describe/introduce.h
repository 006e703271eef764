// Describing operations at first sight.
#ifndef OPTRACE_INTRODUCE_H
#define OPTRACE_INTRODUCE_H

#include "facts.h"
#include "strings.h"

#if OPTRACE_HAS_HOOKS
// How an operation comes into the trace.
typedef enum {
  sight_named,     // Another operation depends on it.
  sight_enqueued,  // It is given to a queue that is recorded.
  sight_started,   // It starts, or somebody waits for it.
  sight_running,   // It runs, and its start was not seen.
} sight;

// How fully an operation is seen.
enum { coverage_full, coverage_partial, coverage_external };

// An operation is given to a queue: the second word of the record, and the stack of the program's code that does it. `is_open`: no
// record contains it yet.
typedef struct {
  uint64_t word;
  uint32_t stack;
  bool is_open;
} addition;

// Operations that have been described, and may depend on others.
typedef struct {
  struct described *items;
  size_t count, room;
} described_list;

// What an operation answers, before others wait for its description.
typedef struct {
  swift_string name;  // Owned.
  bool is_finished, is_executing, is_cancelled, is_asynchronous, has_dependencies;
} appearance;

// The operation's number in this trace; 0: there is none. At first sight it is described: class, name and dependencies, including
// operations that were never enqueued. `probe`: its entry (`optrace_object_know`), or null. `adding`: not open afterwards if the
// description contains it; or null.
uint32_t introduce(optrace_recorder *core, void *operation, optrace_operation *probe, sight how, addition *adding);
// The same for one that is only named.
uint32_t introduce_named(optrace_recorder *core, void *operation);
// Describes an operation that was given to a queue and cannot be followed: as partially seen, with its dependencies.
uint32_t introduce_foreign(optrace_recorder *core, void *operation);

appearance appearance_of(void *operation, sight how);
// Describes an operation that is attached, and lets its events through. Calls none of the program's code. `list`: where it is noted
// if it may depend on others.
void describe(optrace_recorder *core, void *operation, const appearance *seen, class_facts facts, optrace_operation *probe,
              sight how, described_list *list, addition *adding);
// Its class, and its name if it has one. `name`: nil for none. `probe`: null for none.
void describe_class(optrace_recorder *core, uint32_t serial, class_facts facts, swift_string name, uint8_t coverage,
                    bool is_asynchronous, const optrace_operation *probe);
// Describes an operation and its adding in one record. False if one record does not hold it: it has a name, or its creation site is
// wanted, which follows a record of its own; or it decides itself when it is ready.
bool describe_added(optrace_recorder *core, uint32_t serial, class_facts facts, swift_string name, bool is_asynchronous,
                    optrace_operation *probe, const addition *adding);
// Records what the operations of a list depend on, and whatever comes to it by that; and frees it.
void describe_dependencies(optrace_recorder *core, described_list *list);
// The second word of `created`, without an age.
uint64_t created_word(class_facts facts, uint8_t coverage, bool is_asynchronous);
#endif

#endif
