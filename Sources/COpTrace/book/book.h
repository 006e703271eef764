// The address book: finds the functions and variables of Swift's libraries, whether these are shared libraries or linked into the
// program (`swiftc -static-stdlib`). In the second case the loader does not know the names, so the program's symbol table is read.
#ifndef OPTRACE_BOOK_H
#define OPTRACE_BOOK_H

#include <stdbool.h>
#include <stdint.h>

#include "range.h"

typedef struct {
  void *address;
  uint64_t size;      // In bytes, as the symbol says; 0: not known.
  bool is_in_program;  // Linked into the program: nobody calls it through an import table.
} book_entry;

// Looks up a name: first in the loader, then in the program's symbol table. False: not found, or several symbols in the program
// have this name. Takes some 100 ns, and the loader's lock. Not for two threads at a time.
bool book_look_up(const char *name, book_entry *found);
// The same; null: not found.
void *book_find(const char *name);

// The same for a function that a loaded library does not export: reads the symbol table of the library's file, each time. `library`:
// the file's name, without folders. False also if the file on disk is not the one that is loaded.
bool book_look_up_in(const char *library, const char *name, book_entry *found);

// The loader's handle of a library that is loaded already, by its file's name; null: there is none. It need not be closed.
void *book_loaded(const char *library);

// Whether Swift's libraries are linked into the program. Reads the program's file once, if the loader knows no Swift library.
bool book_is_static(void);
// Whether the program's file was stripped of its symbols, and no debug file with the same build id was found.
bool book_is_stripped(void);
// Whether other functions have the same address in the program, because the linker has folded functions with identical code. A hook
// on one of them would see the calls of all of them.
bool book_is_folded(const char *name, const void *address);

// ---- Which library code belongs to --------------------------------------------------------------------------------------

// Whether an address in the program's file is the program's own code, and not that of a library that is linked into it. Always true
// if no library is linked into it.
bool book_is_programs(uint64_t address);
// The linked-in library that an address belongs to; `book_program`: none.
uint32_t book_library_at(uint64_t address);
// The code of the linked-in library that contains this function. Calls from there are the library's own. Empty: not known.
book_range book_library_around(uint64_t address);
// The code of Swift's overlay of libdispatch, which calls libdispatch on the program's behalf.
book_range book_overlay(void);

// Frees the memory of the names, some MB. The next lookup reads them again.
void book_close(void);

#endif
