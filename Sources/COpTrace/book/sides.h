// Which code of a program's file is the program's own, and which is of the libraries that are linked into it.
#ifndef OPTRACE_BOOK_SIDES_H
#define OPTRACE_BOOK_SIDES_H

#include <stdbool.h>

#include "range.h"
#include "symbols.h"

#if OPTRACE_BOOK
// Reads all functions of the file. `bias`: the difference between memory and the file's addresses. False: there is no memory.
// Takes some 10 ms for 100,000 functions. Once.
bool sides_find(const symbol_file *file, uint64_t bias);
// Whether it was read.
// Gives back the memory of the functions; whose code is whose stays known.
void sides_forget(void);
bool sides_known(void);
bool sides_is_programs(uint64_t address);
uint32_t sides_library_at(uint64_t address);
book_range sides_library_around(uint64_t address);
book_range sides_overlay(void);
// The symbols of the functions at an address: their indexes in the file.
void sides_functions_at(uint64_t address, void (*visit)(void *context, uint32_t symbol), void *context);
#endif

#endif
