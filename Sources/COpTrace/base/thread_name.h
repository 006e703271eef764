// The name of the calling thread.
#ifndef OPTRACE_THREAD_NAME_H
#define OPTRACE_THREAD_NAME_H

#include <stddef.h>

// Empty if it cannot be read.
void own_thread_name(char *out, size_t size);

#endif
