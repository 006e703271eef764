// Calls the Swift runtime by address. In some programs the runtime is a shared library, in others it is a part of the program, and this
// code must load in both.
#include "runtime.h"

#include "../book/book.h"
#include "../objects/foundation.h"

#if OPTRACE_HAS_HOOKS

void *runtime_find(const char *name) {
  // Look first in the runtime that Foundation uses: a plug-in may have loaded both for itself alone.
  void *found = foundation_find(name);
  return found ? found : book_find(name);
}

static SWIFT type_name (*get_type_name)(const void *metadata, bool qualified);
static void *(*retain)(void *object);
static void (*release)(void *object);
static void *(*allocate)(const void *metadata, size_t size, size_t alignment_mask);
static void (*deallocate)(void *object, size_t size, size_t alignment_mask);
static void *(*weak_begin)(void **reference, void *object);
static void *(*weak_take)(void **reference);
static void (*weak_end)(void **reference);

enum { alignment_mask = 15 };

static bool is_prepared;

bool runtime_is_known(void) { return is_prepared; }

const char *runtime_prepare(void) {
  if (is_prepared) return NULL;
  get_type_name = (SWIFT type_name (*)(const void *, bool))runtime_find("swift_getTypeName");
  retain = (void *(*)(void *))runtime_find("swift_retain");
  release = (void (*)(void *))runtime_find("swift_release");
  allocate = (void *(*)(const void *, size_t, size_t))runtime_find("swift_allocObject");
  deallocate = (void (*)(void *, size_t, size_t))runtime_find("swift_deallocObject");
  weak_begin = (void *(*)(void **, void *))runtime_find("swift_weakInit");
  weak_take = (void *(*)(void **))runtime_find("swift_weakLoadStrong");
  weak_end = (void (*)(void **))runtime_find("swift_weakDestroy");
  if (!get_type_name) return "this Swift runtime does not tell the names of types";
  if (!retain || !release || !allocate || !deallocate) return "this Swift runtime lacks a function that OpTrace calls";
  is_prepared = true;
  return NULL;
}

type_name runtime_type_name(const void *metadata, bool qualified) { return get_type_name(metadata, qualified); }

void runtime_retain(void *object) {
  if (object) retain(object);
}

void runtime_release(void *object) {
  if (object) release(object);
}

void *runtime_allocate(const void *metadata, size_t size) { return allocate(metadata, size, alignment_mask); }

void runtime_free(void *object, size_t size) { deallocate(object, size, alignment_mask); }

bool runtime_has_weak(void) { return weak_begin && weak_take && weak_end; }

void runtime_weak_begin(void **reference, void *object) { weak_begin(reference, object); }

void *runtime_weak_take(void **reference) { return weak_take(reference); }

void runtime_weak_end(void **reference) { weak_end(reference); }
#endif
