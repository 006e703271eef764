// Reads memory that may be unmapped, in this process or in another one, without a fault.
#ifndef OPTRACE_PEEK_H
#define OPTRACE_PEEK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Copies the bytes at an address, as far as they can be read, and returns how many. Makes one system call (about a microsecond). Takes no
// lock and allocates nothing; several threads may call it at once.
size_t peek(uint64_t address, void *out, size_t size);
// The same, but false unless all bytes could be read.
bool peek_all(uint64_t address, void *out, size_t size);

// From now on all functions in this folder take addresses of that process; 0: of this process again. Only for a program that inspects
// other processes and records nothing itself meanwhile.
void peek_into(uint32_t process);
// That other process; 0: none.
uint32_t peek_process(void);

#endif
