// Finds the separate debug file with the symbols of a stripped program.
#ifndef OPTRACE_BOOK_DEBUG_FILE_H
#define OPTRACE_BOOK_DEBUG_FILE_H

#include "symbols.h"

#if OPTRACE_BOOK
// Tries the file that the user names (OPTRACE_DEBUG_FILE), the file beside the program, and the system's file. `program`: a link to the
// program's file, as in /proc. False: none of them has symbols and the same build id.
bool debug_file_find(symbol_file *debug, const symbol_file *of, const char *program);
#endif

#endif
