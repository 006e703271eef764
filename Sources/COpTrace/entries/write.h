// Changes code in this process.
#ifndef OPTRACE_WRITE_H
#define OPTRACE_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))
#define OPTRACE_HAS_ENTRIES 1

typedef enum { write_by_memory, write_by_page, write_by_protection, write_ways } write_way;

// The first way that works: it has changed a function of our own, which was then called. Tried once. `write_ways`: none works.
write_way write_proven(void);
// Tries one way on a function of our own.
bool write_prove(write_way way);

typedef struct {
  uint64_t address;
  const void *bytes;
  size_t count;
} code_part;
// Overwrites readable code in the proven way, one part after the other, and verifies the result. A part within one aligned word is
// written by one store, if the way writes by stores. False: the part that failed and those after it are unchanged.
bool write_code(const code_part *parts, size_t count);

// Creates a file in memory (memfd) of `size` bytes that may be mapped executable. Returns its descriptor; less than 0: it failed.
int write_file_in_memory(size_t size);
#endif

#endif
