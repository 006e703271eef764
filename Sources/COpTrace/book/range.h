// Code of a program's file, and whose it is.
#ifndef OPTRACE_BOOK_RANGE_H
#define OPTRACE_BOOK_RANGE_H

#include <stdint.h>

// Code from `low` to before `high`.
typedef struct {
  uint64_t low, high;
} book_range;

// The libraries that are linked into a program; the first one stands for the program itself. Written into traces.
enum { book_program, book_runtime, book_dispatch, book_dispatch_overlay, book_foundation, book_other_library };

#endif
