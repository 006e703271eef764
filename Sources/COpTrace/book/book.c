#include "book.h"

#if defined(__linux__)
#include <dlfcn.h>

void *book_find(const char *name) {
  void *found = dlsym(RTLD_DEFAULT, name);
  if (found) return found;
  // Found only if it is already loaded; never closed.
  void *foundation = dlopen("libFoundation.so", RTLD_LAZY | RTLD_NOLOAD);
  return foundation ? dlsym(foundation, name) : 0;
}
#else
void *book_find(const char *name) {
  (void)name;
  return 0;
}
#endif
