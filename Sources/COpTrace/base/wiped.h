// Memory that is zero in a forked child, for state that is valid only in the parent.
#ifndef OPTRACE_WIPED_H
#define OPTRACE_WIPED_H

#include <stddef.h>

// Returns zeroed pages. NULL: the system has none, or cannot wipe them.
void *wiped_pages(size_t size);
// Frees the pages, if the system allows it.
void wiped_pages_free(void *pages, size_t size);

// The same for systems without MADV_WIPEONFORK (Apple's): a fork handler clears the pages in the child before anything else runs
// there. On other systems only tests use it.
void *wiped_pages_by_handler(size_t size);

#endif
