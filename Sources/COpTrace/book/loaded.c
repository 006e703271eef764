// Finds functions that a loaded library does not export.
#include "book.h"

#include "symbols.h"

#if OPTRACE_BOOK

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <string.h>

typedef struct {
  const char *library;
  bool is_found;
  uint64_t bias;
  char path[PATH_MAX];
} search;

static int see_library(struct dl_phdr_info *object, size_t size, void *context) {
  (void)size;
  search *s = context;
  const char *path = object->dlpi_name, *name = path ? strrchr(path, '/') : NULL;
  if (!name || strcmp(name + 1, s->library) != 0 || strlen(path) >= sizeof s->path) return 0;
  strcpy(s->path, path);
  s->bias = object->dlpi_addr;
  s->is_found = true;
  return 1;
}

// Returns the function with this name. Null: no function has it, or several at different addresses have it.
static const Elf64_Sym *symbol_called(const symbol_file *file, const char *name) {
  const Elf64_Sym *found = NULL;
  for (uint32_t i = 0; i < file->count; i++) {
    const Elf64_Sym *symbol = &file->symbols[i];
    if (!symbol_is_function(symbol) || strcmp(symbol_name(file, symbol), name) != 0) continue;
    if (found && found->st_value != symbol->st_value) return NULL;
    found = symbol;
  }
  return found;
}

// True if the function in memory is the same as in the file. If not, the file was replaced after it was loaded.
static bool is_loaded(const symbol_file *file, const Elf64_Sym *symbol, uint64_t bias) {
  Elf64_Ehdr head;
  memcpy(&head, file->bytes, sizeof head);
  uint64_t table = head.e_phoff, value = symbol->st_value;
  if (head.e_phentsize != sizeof(Elf64_Phdr) || table > file->size) return false;
  if (head.e_phnum > (file->size - table) / sizeof(Elf64_Phdr)) return false;
  for (size_t i = 0; i < head.e_phnum; i++) {
    Elf64_Phdr segment;
    memcpy(&segment, file->bytes + table + i * sizeof segment, sizeof segment);
    if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_X) || value < segment.p_vaddr) continue;
    uint64_t at = value - segment.p_vaddr;
    if (at >= segment.p_filesz || symbol->st_size > segment.p_filesz - at) continue;
    if (segment.p_offset > file->size || segment.p_filesz > file->size - segment.p_offset) return false;
    return memcmp(file->bytes + segment.p_offset + at, (const void *)(uintptr_t)(value + bias), symbol->st_size) == 0;
  }
  return false;
}

bool book_look_up_in(const char *library, const char *name, book_entry *found) {
  *found = (book_entry){0};
  search s = {.library = library};
  symbol_file file;
  dl_iterate_phdr(see_library, &s);
  if (!s.is_found || !symbol_file_open(&file, s.path)) return false;
  const Elf64_Sym *symbol = symbol_called(&file, name);
  bool is_there = symbol && symbol->st_size && is_loaded(&file, symbol, s.bias);
  if (is_there) *found = (book_entry){.address = (void *)(uintptr_t)(symbol->st_value + s.bias), .size = symbol->st_size};
  symbol_file_close(&file);
  return is_there;
}

void *book_loaded(const char *library) {
  search s = {.library = library};
  dl_iterate_phdr(see_library, &s);
  if (!s.is_found) return NULL;
  // Programs that are linked without a loader have no `dlopen`. Calling it by name would make their linkers warn, and one linker fail. By its
  // path the library is found without a search, in which valgrind sees faults of the loader.
  void *(*open)(const char *, int) = (void *(*)(const char *, int))dlsym(RTLD_DEFAULT, "dlopen");
  return open ? open(s.path, RTLD_LAZY | RTLD_NOLOAD) : NULL;
}

#endif
