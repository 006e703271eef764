// Functions of the program's own Swift runtime.
#ifndef OPTRACE_RUNTIME_H
#define OPTRACE_RUNTIME_H

#include "../layouts/hooks.h"

#if OPTRACE_HAS_HOOKS
// Finds a function or variable of Swift's libraries; null: this program has none with this name. Only one thread may call it at a time.
void *runtime_find(const char *name);

// Finds the functions of the runtime, once. Null, or which kind is missing; then the functions below must not be called.
const char *runtime_prepare(void);

// True if the functions were found.
bool runtime_is_known(void);

// Returns the name of a type as Swift prints it; it is never freed. `qualified`: with the module.
typedef struct {
  const char *bytes;
  size_t length;
} type_name;
type_name runtime_type_name(const void *metadata, bool qualified);

// These do nothing for null.
void runtime_retain(void *object);
void runtime_release(void *object);

// Returns a new object, owned by the caller. The function that frees the object must be two words before `metadata`.
void *runtime_allocate(const void *metadata, size_t size);
// Frees the memory of an object of this size, whose parts have been released.
void runtime_free(void *object, size_t size);

// Weak references: one word each, which must not move. Some programs lack these functions (`runtime_has_weak`).
bool runtime_has_weak(void);
void runtime_weak_begin(void **reference, void *object);
// Returns the object, owned by the caller; null: it has been freed.
void *runtime_weak_take(void **reference);
void runtime_weak_end(void **reference);
#endif

#endif
