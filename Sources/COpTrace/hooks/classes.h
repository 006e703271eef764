// Method tables.
#ifndef OPTRACE_CLASSES_H
#define OPTRACE_CLASSES_H

#include "tables.h"

#if OPTRACE_HAS_HOOKS
typedef enum { class_operation, class_queue } class_kind;
enum { class_kinds = 2 };

// A class whose method table has been looked at. Entries are added and never removed.
typedef struct class_entry {
  const void *metadata;
  class_kind kind;
  bool records_itself;  // A traced type: left alone, but for an `isReady` of its own, and …
  bool runs_alone;      // … a `start()` and an `isFinished` of its own: how it runs is told as of any other class.
  bool finishes_itself; // Overrides `isFinished`: a "true" may come before it is announced.
  bool starts_itself;   // The same of `start()`.
  bool runs_itself;     // Both: it may go on when its `start()` has returned.
  bool readies_itself;  // Overrides `isReady`: neither Foundation's nor ours.
  bool executes_itself; // The same of `isExecuting`.
  bool answers_itself;  // The same of a getter that an operation is asked for its description.
  _Atomic bool patched;
  bool in_object;       // Its metadata came with a library, and goes with it.
  void *originals[most_methods];
} class_entry;

// Finds where the methods stand in the metadata of the base classes; `methods` is by kind. Null, or why the hooks cannot be
// used.
const char *classes_resolve(const optrace_hook_calls *calls, hooked_method *const methods[class_kinds]);
// The class's entry; at first sight its table is patched. Null when it cannot be.
const class_entry *class_know(const void *metadata, class_kind kind);
// The nearest class with an entry, from the object's own upwards.
const class_entry *class_find(const void *object);
void *class_original(const void *object, uint32_t index);
// Puts the hooks into the tables that are there from the start; or takes them out of all tables, and of the imports.
bool classes_patch(bool on);

// A method of a class that is not Foundation's.
typedef struct {
  void *real, *hook;
} class_exchange;
// Puts each hook into the class's own table, where its method has to stand once; else nothing is changed, and the result is
// false. They stay there.
bool class_exchange_methods(const void *metadata, const class_exchange *methods, size_t count);

// Puts the hooks into objects that were loaded since; from any thread, now and then.
void classes_refresh(void);
#endif

#endif
