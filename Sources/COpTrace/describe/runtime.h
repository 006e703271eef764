// What is called of the program's own Swift runtime.
#ifndef OPTRACE_RUNTIME_H
#define OPTRACE_RUNTIME_H

#include "../hooks/hooks.h"

#if OPTRACE_HAS_HOOKS
// A function or variable of Swift's libraries; null: this program has none of this name. Not for two threads at a time.
void *runtime_find(const char *name);

// Finds the functions, once. Null, or which of them is missing: then nothing of the below may be called.
const char *runtime_prepare(void);

// Whether they were found.
bool runtime_is_known(void);

// The name of a type as Swift prints it; it stays for good. `qualified`: with its module.
typedef struct {
  const char *bytes;
  size_t length;
} type_name;
type_name runtime_type_name(const void *metadata, bool qualified);

// Null is nothing.
void runtime_retain(void *object);
void runtime_release(void *object);

// A new object, owned by the caller. `metadata` has the function that frees it two words before it.
void *runtime_allocate(const void *metadata, size_t size);
// The memory of an object of so many bytes, whose parts have been released.
void runtime_free(void *object, size_t size);

// References that do not keep an object alive: one word that must not move. Some programs lack them (`runtime_has_weak`).
bool runtime_has_weak(void);
void runtime_weak_begin(void **reference, void *object);
// The object, owned by the caller; null: it is gone.
void *runtime_weak_take(void **reference);
void runtime_weak_end(void **reference);
#endif

#endif
