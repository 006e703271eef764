// Seeing operations that are not ours: shared by the C files of the hooks. `Documentation/hooks.md` tells the whole story.
#ifndef OPTRACE_HOOKS_H
#define OPTRACE_HOOKS_H

#include "../internal.h"

#if defined(__linux__) && defined(__LP64__) && defined(__clang__)
#define OPTRACE_HAS_HOOKS 1

// Swift's calling convention; `self` travels in a register of its own.
#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *self

typedef SWIFT void (*method)(SELF);
typedef SWIFT bool (*getter)(SELF);
typedef SWIFT void (*method_object)(void *argument, SELF);
typedef SWIFT void (*method_word)(uint64_t argument, SELF);
typedef SWIFT void (*method_byte)(uint8_t argument, SELF);
typedef SWIFT void (*method_bool)(bool argument, SELF);
typedef SWIFT void (*method_words)(uint64_t first, uint64_t second, SELF);
typedef SWIFT void (*method_array)(void *array, bool flag, SELF);

// `x.property += 1` and `toggle()` reach a property through a coroutine: it hands out the address of a value, and is
// resumed when that has been changed.
typedef SWIFT void (*resume)(void *frame, bool unwinding);
typedef struct {
  resume resume;
  void *value;
} yielded;
typedef SWIFT yielded (*modifier)(void *frame, SELF);
// What is done with the new value, before Foundation hears of it. The value itself, and not what a getter says: that may be
// an override, which waits for a lock that an override of the setter holds just now.
typedef void (*modified)(void *object, const void *value);

// One method of Foundation that is hooked.
typedef struct {
  const char *symbol;
  void *hook;      // Stands in a class's method table; null: not hooked there.
  void *direct;    // Stands in for calls by name, as optimised programs and `super` make them; null: not hooked there.
  bool overridden;       // The hook takes the place of a class's own override too. Else only of Foundation's implementation.
  bool traced_overrides; // Our traced types override it.
  void *real;            // Foundation's implementation.
  uint32_t offset;       // In the class metadata, in bytes; 0: before it.
} hooked_method;

// One imported function that is hooked.
typedef struct {
  const char *name;
  void *hook;
  void *real;
  uintptr_t owner;  // Where the object that defines it is loaded.
} hooked_import;

enum { most_methods = 24 };

typedef enum { class_operation, class_queue } class_kind;

// A class whose method table has been looked at. Entries are added and never removed.
typedef struct class_entry {
  const void *metadata;
  class_kind kind;
  bool records_itself;  // A traced type: left alone, but for an `isReady` of its own.
  bool finishes_itself; // Overrides `isFinished`: a "true" may come before it is announced.
  bool runs_itself;     // That, and `start()`: it may go on when that has returned.
  bool readies_itself;  // Overrides `isReady`: neither Foundation's nor ours.
  _Atomic bool patched;
  bool in_object;       // Its metadata came with a library, and goes with it.
  void *originals[most_methods];
} class_entry;

// install.c: what the hooks look at first. In a forked child both are false: it goes on as if there were no hooks.
bool hooks_active(void);
// Whether what nobody has introduced is introduced when it is met.
bool hooks_watch_everything(void);
extern optrace_hook_calls hook_calls;

// classes.c
// Finds where the methods stand in the metadata of the base class. Null, or why the hooks cannot be used.
const char *classes_resolve(const optrace_hook_calls *calls);
// The class's entry; at first sight its table is patched. Null when it cannot be.
const class_entry *class_know(const void *metadata, class_kind kind);
// The nearest class with an entry, from the object's own upwards.
const class_entry *class_find(const void *object);
void *class_original(const void *object, uint32_t index);
// Puts the hooks into the tables that are there from the start; or takes them out of all tables, and of the imports.
bool classes_patch(bool on);

// fields.c: where a stored property of a class lies in its objects; 0: it has none of this name.
uint32_t class_field_offset(const void *metadata, const char *name);

// operations.c, queues.c, blocking.c: the tables, ended by an entry without a name.
extern hooked_method operation_methods[], queue_methods[];
extern hooked_import foundation_imports[], blocking_imports[];
// Indexes: the first one into both.
enum { method_destroy = 0, method_is_finished = 1, method_start = 2, method_is_ready = 3 };

// modify.c: runs `real`, and `told` before its resumption.
yielded modify(modifier real, void *frame, void *object, modified told);

// imports.c
// Where Foundation is loaded; null when it is not a library of its own.
void *foundation_handle(void);
bool imports_resolve(void);
// Lets the calls of all loaded objects through the hooks, or back to the real functions. Quick when no object has come
// since the last time. Not for two threads at a time.
void imports_patch(bool on);

// memory.c
// A range of words that can be written until `memory_close`. False: it cannot.
typedef struct {
  void *protect;
  size_t bytes;
  bool in_object;  // Of a loaded object; else the runtime made it.
} memory_window;
bool memory_open(const void *address, size_t bytes, memory_window *window);
void memory_close(const memory_window *window);

// blocking.c: finds what its hooks need besides the functions of the table.
void blocking_prepare(void);

// objects.c
void objects_forget(void);
// The object's `deinit`: records `kind`, takes the object out of the table, whose entry may be used again at once, and
// calls `destroy`.
void object_end(void *object, uint8_t kind, method destroy);
bool object_is_ending(const void *object);

#endif
#endif
