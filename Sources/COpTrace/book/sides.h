// Which code of a program's file is the program's own, and which is of the libraries that are linked into it.
#ifndef OPTRACE_BOOK_SIDES_H
#define OPTRACE_BOOK_SIDES_H

#include <stdatomic.h>
#include <stdbool.h>

#include "range.h"
#include "symbols.h"

#if OPTRACE_BOOK
// Zero: nothing is known.
enum { sides_most_pieces = 64 };
typedef struct {
  struct sides_place *places;  // All functions by address, until they are forgotten.
  size_t place_count;
  // The program's own code.
  book_range pieces[sides_most_pieces];
  size_t piece_count;
  // Where the libraries' names change, by address.
  struct sides_place *borders;
  size_t border_count;
  _Atomic bool is_known;
} sides;

// Reads all functions of the file. `bias`: the difference between memory and the file's addresses. False: there is no memory.
// Takes some 10 ms for 100,000 functions. Once.
bool sides_find(sides *s, const symbol_file *file, uint64_t bias);
// Gives back the memory of the functions; whose code is whose stays known.
void sides_forget(sides *s);
// Whether it was read.
bool sides_known(const sides *s);
bool sides_is_programs(const sides *s, uint64_t address);
uint32_t sides_library_at(const sides *s, uint64_t address);
book_range sides_library_around(const sides *s, uint64_t address);
// What is seldom run stands apart, and a name may be alone among others: the piece with the most names.
book_range sides_overlay(const sides *s);
// The symbols of the functions at an address: their indexes in the file.
void sides_functions_at(const sides *s, uint64_t address, void (*visit)(void *context, uint32_t symbol), void *context);
#endif

#endif
