// Reads of memory that may fail without harm: in this process, or in another.
#ifndef OPTRACE_PEEK_H
#define OPTRACE_PEEK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Copies the bytes at an address, as far as they can be read; returns how many. One system call (about a microsecond); no lock,
// no memory. From several threads at once.
size_t peek(uint64_t address, void *out, size_t size);
// All of it, or false.
bool peek_all(uint64_t address, void *out, size_t size);

// From then on addresses are those of another process, in all of this folder; 0: of this one again. For a program that inspects
// others and records nothing itself meanwhile.
void peek_into(uint32_t process);
// That other process; 0: none.
uint32_t peek_process(void);

#endif
