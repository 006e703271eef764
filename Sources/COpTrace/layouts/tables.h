// Tables of what is hooked. Each table is in the file of its hooks; `install.c` passes them to the code that installs them.
#ifndef OPTRACE_TABLES_H
#define OPTRACE_TABLES_H

#include "hooks.h"

#if OPTRACE_HAS_HOOKS
// For functions that read the tables below. The tables are written before any pointer is replaced, and compiled code reaches a hook only
// through a replaced pointer, but without synchronisation that the thread sanitizer knows. Its report would be wrong. It would also hang,
// because it waits for the loader's lock, which is held while imports are replaced.
#define ORDERED_BY_EXCHANGE __attribute__((no_sanitize("thread")))

// One method of Foundation that is hooked. A table ends with an entry without a symbol.
typedef struct {
  const char *symbol;
  void *hook;      // The hook in method tables; null: not hooked there.
  void *direct;    // The hook for calls by name, which optimised programs and `super` make; null: not hooked.
  bool overridden;  // The hook also replaces overrides in other classes; else only Foundation's implementation.
  bool describes;   // A getter that is called to describe an operation.
  void *address;    // Foundation's implementation, as found in method tables.
  void *real;       // What calls it: the same address, or one that bypasses the hook at its entry.
  uint32_t offset;  // In the class metadata, in bytes; 0: before it.
} hooked_method;

// One imported function that is hooked. A table ends with an entry without a name.
typedef struct {
  const char *name;
  void *hook;
  void *real;
  uintptr_t owner;  // The base address of the object that defines it.
  // The value of `real` before the function was hooked at its entry. Null: it is not linked into the program, so imports of it are hooked.
  void *in_program;
  const char *within;  // Hook only the calls from the object that defines this function; null: from all objects.
  uintptr_t only;      // The base address of that object.
} hooked_import;

// The most hooked methods of a class.
enum { most_methods = 28 };

// Indexes. The first one is the same in the tables of operations and of queues.
enum { method_destroy = 0 };
enum {
  method_is_finished = 1, method_start = 2, method_is_ready = 3, method_is_executing = 4, method_main = 5,
  method_is_cancelled, method_cancel, method_add_dependency, method_remove_dependency, method_wait, method_name, method_priority,
  method_quality, method_modify_name, method_modify_priority, method_modify_quality, method_get_name, method_get_dependencies,
  method_get_completion, method_set_completion, method_get_quality, method_get_asynchronous, method_get_priority
};
enum {
  queue_method_add = 1, queue_method_add_all, queue_method_barrier, queue_method_limit, queue_method_suspended, queue_method_name,
  queue_method_quality, queue_method_underlying, queue_method_cancel_all, queue_method_wait_all, queue_method_modify_limit,
  queue_method_modify_suspended, queue_method_modify_name, queue_method_modify_quality, queue_method_modify_underlying,
  queue_method_get_limit, queue_method_get_suspended, queue_method_get_name, queue_method_get_quality, queue_method_get_underlying
};
#endif

#endif
