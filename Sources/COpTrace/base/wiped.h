// Memory that a forked child finds empty: what stands there about the parent does not hold in it.
#ifndef OPTRACE_WIPED_H
#define OPTRACE_WIPED_H

#include <stddef.h>

// Zeros, in pages of their own. NULL: the system has none, or none that it would empty.
void *wiped_pages(size_t size);
// Gives them back, where the system allows it.
void wiped_pages_free(void *pages, size_t size);

// The same on systems that have to be told in each child what to empty (Apple's): a handler runs there, first of all. On
// others the tests alone use it.
void *wiped_pages_by_handler(size_t size);

#endif
