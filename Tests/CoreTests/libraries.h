// Libraries that tests load and unload.
#ifndef CORETESTS_LIBRARIES_H
#define CORETESTS_LIBRARIES_H

#include <stdbool.h>

// Copies Tests/VisitedLibrary, which is beside this program.
bool library_copy(const char *to);

#endif
