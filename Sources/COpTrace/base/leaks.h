#ifndef OPTRACE_LEAKS_H
#define OPTRACE_LEAKS_H

#include <stddef.h>

// Tells a leak checker in the program that these pages, which stay until the process ends, hold pointers to allocated memory. It looks for
// pointers in allocated memory, stacks and global variables alone, and would report the recorder's memory where the process ends first.
void leaks_search(const void *pages, size_t size);

#endif
