// Paths of the recorder's files. Like the system, these functions accept any bytes but zero. The caller frees the result; NULL:
// memory is out.
#ifndef OPTRACE_PATHS_H
#define OPTRACE_PATHS_H

#include <stddef.h>

// Makes a path absolute, so that it stays valid when the program changes its current folder.
char *path_absolute(const char *path);
// Inserts a text before the extension: `run.optrace` and "-2" make `run-2.optrace`. Without an extension the text is appended.
char *path_inserting(const char *text, const char *path);
// Replaces each `%p` with the process id.
char *path_numbered(const char *pattern);

#endif
