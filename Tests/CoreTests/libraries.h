// Libraries that tests load and unload.
#ifndef CORETESTS_LIBRARIES_H
#define CORETESTS_LIBRARIES_H

#include <stdbool.h>

#include <stddef.h>

// The path of a file beside this program, in `path` of so many bytes.
bool library_beside(const char *name, char *path, size_t size);
// Copies Tests/VisitedLibrary, which is beside this program.
bool library_copy(const char *to);
// Loads Tests/VisitedLibrary, as what it is or under the name of libdispatch, which is not everywhere. Null: the test has failed.
void *library_visited(void);
void *library_as(const char *name);

#endif
