// Paths of the recorder's files, as the system takes them: any bytes but zero. The texts are the caller's to free; NULL: memory is
// out.
#ifndef OPTRACE_PATHS_H
#define OPTRACE_PATHS_H

#include <stddef.h>

// Absolute as of now, whatever the program's current folder becomes.
char *path_absolute(const char *path);
// `run.optrace` with "-2" becomes `run-2.optrace`; without an extension it is appended.
char *path_inserting(const char *text, const char *path);
// Each `%p` becomes the process id.
char *path_numbered(const char *pattern);

#endif
