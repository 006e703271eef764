// Finds out which code of a program's file is the program's own, and which belongs to libraries that are linked into it.
#ifndef OPTRACE_BOOK_SIDES_H
#define OPTRACE_BOOK_SIDES_H

#include <stdatomic.h>
#include <stdbool.h>

#include "range.h"
#include "symbols.h"

#if OPTRACE_BOOK
enum { sides_most_pieces = 64, sides_most_overlays = 16 };
// All zeros: nothing is known yet.
typedef struct {
  struct sides_place *places;  // All functions, sorted by address; freed by `sides_forget`.
  size_t place_count;
  // The program's own code.
  book_range pieces[sides_most_pieces];
  size_t piece_count;
  // The code of the overlay.
  book_range overlays[sides_most_overlays];
  size_t overlay_count;
  // The functions at which the code of another library begins, sorted by address.
  struct sides_place *borders;
  size_t border_count;
  _Atomic bool is_known;
} sides;

// Reads all functions of the file. `bias`: address in memory minus address in the file. False: memory is out. Takes some 10 ms for
// 100,000 functions. After `sides_forget` it may be called again, to read the list of functions again.
bool sides_find(sides *s, const symbol_file *file, uint64_t bias);
// Frees the list of functions. Keeps the ranges and the borders.
void sides_forget(sides *s);
// True if `sides_find` has succeeded.
bool sides_known(const sides *s);
bool sides_is_programs(const sides *s, uint64_t address);
uint32_t sides_library_at(const sides *s, uint64_t address);
book_range sides_library_around(const sides *s, uint64_t address);
// True in the pieces of the overlay's code. A linker may put an archive's files where it first needs them, as lld does, so there may be
// several. Single functions of the overlay among other code are specialisations, and belong to that code.
bool sides_is_overlay(const sides *s, uint64_t address);
// Visits the symbols of all functions at an address, by their indexes in the file.
void sides_functions_at(const sides *s, uint64_t address, void (*visit)(void *context, uint32_t symbol), void *context);
#endif

#endif
