// Hooks methods by changing the method tables of classes.
#ifndef OPTRACE_CLASSES_H
#define OPTRACE_CLASSES_H

#include "../layouts/tables.h"

#if OPTRACE_HAS_HOOKS
typedef enum { class_operation, class_queue } class_kind;
enum { class_kinds = 2 };

// A class whose method table has been read. Entries are added and never removed.
typedef struct class_entry {
  const void *metadata;
  class_kind kind;
  bool records_itself;  // One of our types: not hooked, except if it has its own `isReady` …
  bool runs_alone;      // … or its own `start()` and `isFinished`, which are recorded like those of any class.
  bool finishes_itself; // Overrides `isFinished`, which may become true before that is announced.
  bool starts_itself;   // Overrides `start()`.
  bool runs_itself;     // Overrides both: the operation may continue after its `start()` has returned.
  bool readies_itself;  // Overrides `isReady`: neither Foundation's nor ours.
  bool executes_itself; // Overrides `isExecuting`.
  bool answers_itself;  // Overrides a getter that is called to describe an operation.
  _Atomic bool patched;
  bool in_object;       // Its metadata is part of a loaded library, and is unloaded with it.
  void *originals[most_methods];
} class_entry;

// What redirects imports, or back: with the tables of classes, and when libraries were loaded (hooks/imports.c). Before all else.
void classes_patch_imports_by(void (*patch)(bool on));
// Finds the methods in the metadata of the base classes. `methods`: by kind. Null, or the reason why hooks cannot be used.
const char *classes_resolve(hooked_method *const methods[class_kinds]);
// The methods of Foundation's own class, after they were found.
const hooked_method *class_methods(class_kind kind);
// What the describer has to know of a class of operations; see `optrace_readers`. Knows it from here on.
uint32_t class_facts_of(const void *metadata);
// The class's entry. The first call patches the class's table. Null: it cannot be patched.
const class_entry *class_know(const void *metadata, class_kind kind);
// The entry of the object's class, or of the nearest superclass that has one.
const class_entry *class_find(const void *object);
void *class_original(const void *object, uint32_t index);
// Installs the hooks in the tables of Foundation's classes, or removes them from all tables and imports.
bool classes_patch(bool on);

// A method of a class that is not Foundation's.
typedef struct {
  void *real, *hook;
} class_exchange;
// Installs each hook in the class's own table, which must have its method exactly once. Otherwise nothing is changed, and the
// result is false. These hooks are not removed.
bool class_exchange_methods(const void *metadata, const class_exchange *methods, size_t count);

// Hooks libraries that were loaded since the last call. From any thread.
void classes_refresh(void);
#endif

#endif
