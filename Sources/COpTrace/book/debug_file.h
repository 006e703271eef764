// The file that keeps the symbols of a program from before it was stripped.
#ifndef OPTRACE_BOOK_DEBUG_FILE_H
#define OPTRACE_BOOK_DEBUG_FILE_H

#include "symbols.h"

#if OPTRACE_BOOK
// The wished one, one beside the program, or the system's. `program`: a link to the program's file, as in /proc. False: there is none
// of the same build with symbols.
bool debug_file_find(symbol_file *debug, const symbol_file *of, const char *program);
#endif

#endif
