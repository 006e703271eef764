// Memory that is zero in a forked child, for facts that hold for the parent only.
#ifndef OPTRACE_WIPED_H
#define OPTRACE_WIPED_H

#include <stddef.h>

// Zeroed pages. NULL: the system has none, or cannot wipe them.
void *wiped_pages(size_t size);
// Frees them, if the system allows it.
void wiped_pages_free(void *pages, size_t size);

// The same on systems without MADV_WIPEONFORK (Apple's): a handler clears the pages, first of all in the child. On other systems
// only tests use it.
void *wiped_pages_by_handler(size_t size);

#endif
