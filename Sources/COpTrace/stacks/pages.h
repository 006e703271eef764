// Reads memory that does not change, such as unwind rules, for callers that must not access it directly, because its module may be
// unloaded meanwhile.
#ifndef OPTRACE_PAGES_H
#define OPTRACE_PAGES_H

#include <stddef.h>
#include <stdint.h>

// Like `peek`, but copies whole pages and keeps the copies, so that only the first read of a page makes a system call. `generation`: a
// copy is used only if it was made with the same generation; 0: keep no copies.
size_t pages_read(uint64_t address, void *out, size_t size, uint64_t generation);

#endif
