#include "callers.h"

#include "../book/book.h"
#include "../stacks/modules.h"

#if OPTRACE_HAS_HOOKS
#include <stdint.h>
#include <string.h>

static uint64_t call_of(const void *caller) { return (uint64_t)(uintptr_t)caller - 1; }

// Never null.
static const char *path_of(uint64_t address) {
  uint32_t number = module_of(address);
  if (!number && modules_refresh()) number = module_of(address);
  const module *from = module_at(number);
  return from ? from->path : "";
}

static bool is_dispatch(const char *path) { return strstr(path, "/libdispatch.so") != NULL; }

bool caller_is_dispatch(const void *caller) {
  uint64_t address = call_of(caller);
  return book_library_at(address) == book_dispatch || is_dispatch(path_of(address));
}

bool caller_is_foundation(const void *caller) { return strstr(path_of(call_of(caller)), "/libFoundation.so") != NULL; }

bool caller_is_runtime(const void *caller) {
  uint64_t address = call_of(caller);
  if (module_is_own(address)) return false;
  uint32_t library = book_library_at(address);
  if (library == book_dispatch || library == book_runtime) return true;
  const char *path = path_of(address);
  return is_dispatch(path) || strstr(path, "/libswiftCore.so") || strstr(path, "/libswift_Concurrency.so");
}
#endif
