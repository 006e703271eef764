// Changes code of this process.
#ifndef OPTRACE_WRITE_H
#define OPTRACE_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))
#define OPTRACE_HAS_ENTRIES 1

typedef enum { write_by_memory, write_by_page, write_by_protection, write_ways } write_way;

// The first way that has changed a function of our own, which was then called; tried once. `write_ways`: none.
write_way write_proven(void);
// Tries one way on that function.
bool write_prove(write_way way);

typedef struct {
  uint64_t address;
  const void *bytes;
  size_t count;
} code_part;
// Copies bytes over code that can be read, by the proven way, one part after the other, and looks whether they are there. A part
// within an aligned word is one store, where the way is one of stores. False: the part that failed is as it was, and so are those
// behind it.
bool write_code(const code_part *parts, size_t count);

// A file in memory of so many bytes, which may be mapped to be executed; or less than 0.
int write_file_in_memory(size_t size);
#endif

#endif
