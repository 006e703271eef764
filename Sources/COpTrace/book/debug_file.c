#include "debug_file.h"

#if OPTRACE_BOOK

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/settings.h"

// Opens a debug file if it has symbols and the program's build id. The same build id means that its addresses are valid for the program.
static bool open_debug(symbol_file *debug, const char *path, const symbol_file *of) {
  if (!symbol_file_open(debug, path)) return false;
  if (debug->symbols && of->id_size && debug->id_size == of->id_size && memcmp(debug->id, of->id, of->id_size) == 0) return true;
  symbol_file_close(debug);
  return false;
}

bool debug_file_find(symbol_file *debug, const symbol_file *of, const char *program) {
  char path[PATH_MAX + 64], id[2 * 64 + 1];
  const char *wish = setting("OPTRACE_DEBUG_FILE");
  if (wish && *wish && open_debug(debug, wish, of)) return true;
  ssize_t length = readlink(program, path, PATH_MAX);
  if (length > 0) {
    snprintf(path + length, sizeof path - (size_t)length, ".debug");
    if (open_debug(debug, path, of)) return true;
  }
  if (of->id_size < 2 || of->id_size > 64) return false;
  for (size_t i = 0; i < of->id_size; i++) snprintf(id + 2 * i, 3, "%02x", of->id[i]);
  snprintf(path, sizeof path, "/usr/lib/debug/.build-id/%.2s/%s.debug", id, id + 2);
  return open_debug(debug, path, of);
}

#endif
