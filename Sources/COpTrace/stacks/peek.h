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
// That other process; 0: none. `peek_nobody`: one that is not on this machine, or no more.
enum { peek_nobody = UINT32_MAX };
uint32_t peek_process(void);

// While `peek_into` is in force, its memory comes from this function, which returns how many bytes it has copied. `has_thread` says
// whether it has a thread of this id. Null: the memory comes from the system again.
typedef size_t peek_reader(void *context, uint64_t address, void *out, size_t size);
typedef bool peek_has_thread(void *context, uint32_t id);
void peek_by(peek_reader *read, peek_has_thread *has_thread, void *context);
// Whether that is so; then `has` is the answer of `has_thread`.
bool peek_knows_thread(uint32_t id, bool *has);

#endif
