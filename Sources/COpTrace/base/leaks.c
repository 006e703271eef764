#include "leaks.h"

#if defined(__linux__)

// Null where the program is built without the address or the leak sanitizer.
extern void __lsan_register_root_region(const void *, size_t) __attribute__((weak));

void leaks_search(const void *pages, size_t size) {
  if (__lsan_register_root_region) __lsan_register_root_region(pages, size);
}

#else

void leaks_search(const void *pages, size_t size) { (void)pages, (void)size; }

#endif
