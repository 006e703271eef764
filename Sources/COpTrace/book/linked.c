// Finds the libraries that are linked into the program of another process.
#include "COpTrace.h"

#include "debug_file.h"
#include "sides.h"

#include <stdlib.h>
#include <string.h>

#if OPTRACE_BOOK

struct optrace_linked {
  sides sides;
};

// True if the file contains Swift's runtime. If the runtime is a shared library, the program's file does not define this function.
static bool has_runtime(const symbol_file *file) {
  for (uint32_t i = 0; i < file->count; i++)
    if (symbol_is_function(&file->symbols[i]) && strcmp(symbol_name(file, &file->symbols[i]), "swift_retain") == 0) return true;
  return false;
}

optrace_linked *optrace_linked_read(const char *program) {
  symbol_file file, debug = {0};
  if (!symbol_file_open(&file, program)) return NULL;
  bool has_debug = file.has_swift && !file.symbols && debug_file_find(&debug, &file, program);
  const symbol_file *names = has_debug ? &debug : &file;
  optrace_linked *linked = file.has_swift && has_runtime(names) ? calloc(1, sizeof *linked) : NULL;
  bool is_known = linked && sides_find(&linked->sides, names, 0);
  if (linked) sides_forget(&linked->sides);
  symbol_file_close(&file);
  if (has_debug) symbol_file_close(&debug);
  if (is_known) return linked;
  optrace_linked_free(linked);
  return NULL;
}

uint32_t optrace_linked_library(const optrace_linked *linked, uint64_t address) { return sides_library_at(&linked->sides, address); }

void optrace_linked_free(optrace_linked *linked) {
  if (linked) free(linked->sides.borders);
  free(linked);
}

#else

optrace_linked *optrace_linked_read(const char *program) {
  (void)program;
  return NULL;
}
uint32_t optrace_linked_library(const optrace_linked *linked, uint64_t address) {
  (void)linked, (void)address;
  return book_program;
}
void optrace_linked_free(optrace_linked *linked) { (void)linked; }

#endif
