// On Linux the offsets of Foundation's methods and fields are compiled into every program that uses it. The layout that OpTrace was
// compiled for is in the metadata of subclasses that override nothing (FoundationLayout.swift): their tables have each inherited method
// at its compiled offset, and the loader has filled in the function of the loaded Foundation. The loaded class itself must have the same
// function at the same offset. A recorder without a Swift part was not compiled against Foundation, and accepts the loaded one as it is.
#include "layout.h"

#include "../book/book.h"
#include "foundation.h"
#include "readers.h"

#if OPTRACE_HAS_HOOKS
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

enum { largest_class = 1 << 16 };

bool is_class(const void *metadata, const void *superclass) {
  const class_metadata *m = metadata;
  return m->class_address >= destroy_offset && m->class_size > m->class_address + sizeof *m &&
         m->class_size < largest_class && (!superclass || m->superclass == superclass);
}

// Whether a method is an initialiser. A subclass has its own copy of these, even if it does not declare one.
static bool is_initialiser(const void *function) {
  Dl_info info;
  if (!dladdr(function, &info) || info.dli_saddr != function || !info.dli_sname) return false;
  size_t length = strlen(info.dli_sname);
  return length > 2 && strcmp(info.dli_sname + length - 2, "fC") == 0;
}

// Compares the method tables and the field offsets between the methods. If an optimiser has found that a method of Foundation is never
// called, the table contains `unused` instead.
static bool fits(const class_metadata *compiled, const class_metadata *loaded, const void *unused) {
  if (compiled->instance_size != loaded->instance_size || compiled->alignment != loaded->alignment) return false;
  if (compiled->class_size != loaded->class_size || compiled->class_address != loaded->class_address) return false;
  const void *const *ours = (const void *const *)compiled, *const *theirs = (const void *const *)loaded;
  size_t words = (loaded->class_size - loaded->class_address) / sizeof(void *);
  for (size_t i = sizeof *loaded / sizeof(void *); i < words; i++)
    if (ours[i] != theirs[i] && theirs[i] != unused && !is_initialiser(theirs[i])) return false;
  return true;
}

const char *layout_misfit(void) {
  // This copy of the recorder was not compiled against Foundation.
  if (!readers.compiled_operation) return NULL;
  // Both were compiled and linked together, so they cannot differ.
  if (book_is_static()) return NULL;
  const struct {
    const void *compiled;
    const char *symbol, *why;
  } classes[] = {
    {readers.compiled_operation, "$s10Foundation9OperationCN", "its Operation has another layout"},
    {readers.compiled_block_operation, "$s10Foundation14BlockOperationCN", "its BlockOperation has another layout"},
    {readers.compiled_queue, "$s10Foundation14OperationQueueCN", "its OperationQueue has another layout"},
  };
  const void *unused = book_find("swift_deletedMethodError");
  for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
    const void *compiled = classes[i].compiled, *loaded = foundation_find(classes[i].symbol);
    if (!loaded || !is_class(loaded, NULL) || !is_class(compiled, loaded) || !fits(compiled, loaded, unused))
      return classes[i].why;
  }
  return NULL;
}
#endif
