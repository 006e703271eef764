// Reads of memory that stays as it is, such as unwind rules, for who must not touch it: its module may be unloaded meanwhile.
#ifndef OPTRACE_PAGES_H
#define OPTRACE_PAGES_H

#include <stddef.h>
#include <stdint.h>

// As `peek`, by copies of whole pages that are kept: a system call for each page, and not for each read. `generation`: copies from
// before another one are not used; 0: none is kept.
size_t pages_read(uint64_t address, void *out, size_t size, uint64_t generation);

#endif
