// Replaces the allocator's functions in this program, and counts the calls.
#include "CFloor.h"

#include <stdatomic.h>

static _Atomic uint64_t calls;

uint64_t allocation_count(void) { return atomic_load_explicit(&calls, memory_order_relaxed); }

#if defined(__GLIBC__)
#define COUNT atomic_fetch_add_explicit(&calls, 1, memory_order_relaxed)

// glibc's own entries under their other names, which it exports for this use.
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

void *malloc(size_t size) { return COUNT, __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return COUNT, __libc_calloc(count, size); }
void *realloc(void *old, size_t size) { return COUNT, __libc_realloc(old, size); }
void *aligned_alloc(size_t alignment, size_t size) { return COUNT, __libc_memalign(alignment, size); }
int posix_memalign(void **out, size_t alignment, size_t size) {
  COUNT;
  void *result = __libc_memalign(alignment, size);
  if (!result) return 12;  // ENOMEM
  *out = result;
  return 0;
}
#endif
