// What is hooked. The tables stand with the hooks; `install.c` gives them to those who put hooks in their places.
#ifndef OPTRACE_TABLES_H
#define OPTRACE_TABLES_H

#include "hooks.h"

#if OPTRACE_HAS_HOOKS
// Of what reads the tables below: they are written before anything is exchanged, and compiled code comes to a hook through what
// was exchanged, without asking anybody. The thread sanitizer sees no order in that; its report would be wrong, and hang, since
// it waits for the loader's lock, which is held while imports are exchanged.
#define ORDERED_BY_EXCHANGE __attribute__((no_sanitize("thread")))

// One method of Foundation that is hooked. A table ends with an entry without a symbol.
typedef struct {
  const char *symbol;
  void *hook;      // Stands in a class's method table; null: not hooked there.
  void *direct;    // Stands in for calls by name, as optimised programs and `super` make them; null: not hooked there.
  bool overridden;  // The hook takes the place of a class's own override too. Else only of Foundation's implementation.
  bool describes;   // A getter that an operation is asked for its description.
  void *real;       // Foundation's implementation.
  uint32_t offset;  // In the class metadata, in bytes; 0: before it.
} hooked_method;

// One imported function that is hooked. A table ends with an entry without a name.
typedef struct {
  const char *name;
  void *hook;
  void *real;
  uintptr_t owner;  // Where the object that defines it is loaded.
  const char *within;  // Only the calls of the object that defines this function go through the hook; null: those of all.
  uintptr_t only;      // Where that object is loaded.
} hooked_import;

// Of one class.
enum { most_methods = 24 };

// Indexes: the first one into both.
enum {
  method_destroy = 0, method_is_finished = 1, method_start = 2, method_is_ready = 3, method_is_executing = 4, method_main = 5
};
#endif

#endif
