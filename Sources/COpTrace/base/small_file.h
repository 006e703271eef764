// Files of /proc as text: short, and read with one call.
#ifndef OPTRACE_SMALL_FILE_H
#define OPTRACE_SMALL_FILE_H

#include <fcntl.h>
#include <stddef.h>
#include <unistd.h>

#include "own_call.h"

// The text ends with a zero. Returns its length; 0 and an empty text if the file cannot be read. Changes `errno`.
static inline size_t small_file_read(const char *path, char *out, size_t size) {
  bool was = own_call_begins();
  int file = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t count = file < 0 ? -1 : read(file, out, size - 1);
  if (file >= 0) close(file);
  own_call_ends(was);
  out[count > 0 ? count : 0] = 0;
  return count > 0 ? (size_t)count : 0;
}

#endif
