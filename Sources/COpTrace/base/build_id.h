// Finds the build id in the notes of an ELF file.
#ifndef OPTRACE_BUILD_ID_H
#define OPTRACE_BUILD_ID_H

#include <stddef.h>

// Returns the build id, and its size in `bytes`. Null: there is none. The notes come from a file and may be malformed, so everything is
// checked.
const void *build_id_find(const void *notes, size_t size, size_t *bytes);

#endif
