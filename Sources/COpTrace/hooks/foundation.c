#include "foundation.h"

#include "../book/book.h"

#if OPTRACE_HAS_HOOKS
#include <dlfcn.h>

// Only if it is already loaded; never closed. By its handle, because a plug-in may have loaded it for itself alone.
static void *library(void) {
  static void *handle;
  if (!handle) handle = book_loaded("libFoundation.so");
  return handle;
}

bool foundation_is_there(void) { return library() || (book_is_static() && book_find("$s10Foundation9OperationCN")); }

void *foundation_find(const char *name) {
  void *handle = library();
  if (handle) return dlsym(handle, name);
  return book_is_static() ? book_find(name) : NULL;
}

bool optrace_links_recorded(bool dispatch, bool tasks) {
  if (!book_is_static()) return false;
  return book_is_stripped() || foundation_is_there() || (dispatch && book_find("dispatch_async")) ||
         (tasks && book_find("swift_task_create"));
}
#else
bool optrace_links_recorded(bool dispatch, bool tasks) {
  (void)dispatch, (void)tasks;
  return false;
}
#endif
