// Ranges of code in a program's file, and the libraries that they belong to.
#ifndef OPTRACE_BOOK_RANGE_H
#define OPTRACE_BOOK_RANGE_H

#include <stdint.h>

// Code from `low` up to, but not including, `high`.
typedef struct {
  uint64_t low, high;
} book_range;

// The libraries that may be linked into a program; the first value is the program itself. Traces contain these numbers.
enum { book_program, book_runtime, book_dispatch, book_dispatch_overlay, book_foundation, book_other_library };

#endif
