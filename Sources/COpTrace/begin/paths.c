#include "paths.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Joins three texts; only the first `length` bytes of `first`.
static char *joined(const char *first, size_t length, const char *second, const char *third) {
  size_t rest = strlen(second), last = strlen(third);
  char *made = malloc(length + rest + last + 1);
  if (!made) return NULL;
  memcpy(made, first, length);
  memcpy(made + length, second, rest);
  memcpy(made + length + rest, third, last + 1);
  return made;
}

char *path_absolute(const char *path) {
  if (path[0] == '/') return strdup(path);
  char *here = getcwd(NULL, 0);
  if (!here) return strdup(path);
  char *made = joined(here, strlen(here), strcmp(here, "/") == 0 ? "" : "/", path);
  free(here);
  return made;
}

char *path_inserting(const char *text, const char *path) {
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
  // A leading dot marks a hidden file. It does not begin an extension.
  if (!dot || dot == name) dot = path + strlen(path);
  return joined(path, (size_t)(dot - path), text, dot);
}

char *path_numbered(const char *pattern) {
  char number[24];
  snprintf(number, sizeof number, "%ld", (long)getpid());
  char *made = strdup(pattern);
  for (size_t from = 0; made;) {
    const char *found = strstr(made + from, "%p");
    if (!found) break;
    size_t before = (size_t)(found - made);
    char *longer = joined(made, before, number, found + 2);
    free(made);
    made = longer;
    from = before + strlen(number);
  }
  return made;
}
