#include "foundation.h"

#include "../book/book.h"

#if OPTRACE_HAS_HOOKS
#include <dlfcn.h>
#include <link.h>
#include <stdint.h>

// Finds Foundation only if it is already loaded; the handle is never closed. A handle is needed, because a plug-in may have loaded
// Foundation privately (RTLD_LOCAL).
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

// Written once, before the hooks that ask for it are installed.
static book_range own_code;

static int find_code(struct dl_phdr_info *object, size_t size, void *context) {
  (void)size;
  const struct link_map *map = context;
  if (object->dlpi_addr != map->l_addr) return 0;
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &object->dlpi_phdr[i];
    if (part->p_type != PT_LOAD || !(part->p_flags & PF_X)) continue;
    own_code = (book_range){object->dlpi_addr + part->p_vaddr, object->dlpi_addr + part->p_vaddr + part->p_memsz};
  }
  return 1;
}

void foundation_prepare(void) {
  if (own_code.high) return;
  struct link_map *map = NULL;
  if (library() && dlinfo(library(), RTLD_DI_LINKMAP, &map) == 0 && map) dl_iterate_phdr(find_code, map);
  else if (foundation_is_there()) own_code = book_library_around((uint64_t)(uintptr_t)book_find("$s10Foundation9OperationC5startyyF"));
  // If Foundation's range is not known, all code counts as Foundation's.
  if (!own_code.high && foundation_is_there()) own_code = (book_range){0, UINTPTR_MAX};
}

bool foundation_calls(const void *caller) { return (uintptr_t)caller - own_code.low < own_code.high - own_code.low; }

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
