// What is hooked. Each table is beside its hooks; `install.c` hands them to the code that installs them.
#ifndef OPTRACE_TABLES_H
#define OPTRACE_TABLES_H

#include "hooks.h"

#if OPTRACE_HAS_HOOKS
// For functions that read the tables below. The tables are written before anything is exchanged, and compiled code reaches a hook
// through what was exchanged, without synchronisation. The thread sanitizer sees no order in that; its report would be wrong, and
// hang, because it waits for the loader's lock, which is held while imports are exchanged.
#define ORDERED_BY_EXCHANGE __attribute__((no_sanitize("thread")))

// One method of Foundation that is hooked. A table ends with an entry without a symbol.
typedef struct {
  const char *symbol;
  void *hook;      // For a class's method table; null: not hooked there.
  void *direct;    // For calls by name, as optimised programs and `super` make them; null: not hooked.
  bool overridden;  // The hook replaces a class's own override, too. Else only Foundation's implementation.
  bool describes;   // A getter that an operation's description asks.
  void *address;    // Foundation's implementation, as it stands in method tables.
  void *real;       // What calls it: the same, or past the hook at its entry.
  uint32_t offset;  // In the class metadata, in bytes; 0: before it.
} hooked_method;

// One imported function that is hooked. A table ends with an entry without a name.
typedef struct {
  const char *name;
  void *hook;
  void *real;
  uintptr_t owner;  // The base address of the object that defines it.
  // What `real` was before it was taken at its entry; null: it is not linked into the program, and hooked where others import it.
  void *in_program;
  const char *within;  // Hook only the calls of the object that defines this function; null: those of all.
  uintptr_t only;      // The base address of that object.
} hooked_import;

// Of one class.
enum { most_methods = 28 };

// Indexes: the first one is the same in both tables.
enum {
  method_destroy = 0, method_is_finished = 1, method_start = 2, method_is_ready = 3, method_is_executing = 4, method_main = 5
};
#endif

#endif
