// Functions of the program's own Swift runtime.
#ifndef OPTRACE_RUNTIME_H
#define OPTRACE_RUNTIME_H

#include "../hooks/hooks.h"

#if OPTRACE_HAS_HOOKS
// Finds a function or variable of Swift's libraries; null: this program has none with this name. Not for two threads at a time.
void *runtime_find(const char *name);

// Finds the functions, once. Null, or which of them is missing; then the functions below must not be called.
const char *runtime_prepare(void);

// Whether they were found.
bool runtime_is_known(void);

// The name of a type as Swift prints it; it is never freed. `qualified`: with the module.
typedef struct {
  const char *bytes;
  size_t length;
} type_name;
type_name runtime_type_name(const void *metadata, bool qualified);

// These do nothing for null.
void runtime_retain(void *object);
void runtime_release(void *object);

// A new object, owned by the caller. Two words before `metadata` there must be the function that frees the object.
void *runtime_allocate(const void *metadata, size_t size);
// Frees the memory of an object of this size, whose parts have been released.
void runtime_free(void *object, size_t size);

// Weak references: one word each, which must not move. Some programs lack these functions (`runtime_has_weak`).
bool runtime_has_weak(void);
void runtime_weak_begin(void **reference, void *object);
// The object, owned by the caller; null: it has been freed.
void *runtime_weak_take(void **reference);
void runtime_weak_end(void **reference);
#endif

#endif
