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
  bool is_in_program;  // It is linked into the program, so it is not called through an import table.
} book_entry;

// Looks up a name: first with the loader, then in the program's symbol table. False: not found, or several symbols of the program at
// different addresses have this name. Takes some 100 ns, and the loader's lock. Only one thread may call it at a time.
bool book_look_up(const char *name, book_entry *found);
// The same, but returns only the address; null: not found.
void *book_find(const char *name);

// The same for a function that a loaded library does not export. Each call reads the symbol table of the library's file. `library`: the
// file's name, without folders. False also if the file on disk is not the one that is loaded.
bool book_look_up_in(const char *library, const char *name, book_entry *found);

// Returns the loader's handle of a library that is already loaded, by its file's name; null: it is not loaded. The caller need not close
// the handle.
void *book_loaded(const char *library);

// True if Swift's libraries are linked into the program. Reads the program's file once, unless Swift's runtime is a shared library.
bool book_is_static(void);
// True if Swift's libraries are linked into the program, its file has no symbols, and no debug file with the same build id was found.
bool book_is_stripped(void);
// True if other functions have the same address in the program, because the linker has folded functions with identical code. A hook on
// one of these functions would see the calls of all of them.
bool book_is_folded(const char *name, const void *address);

// ---- The libraries that code belongs to ---------------------------------------------------------------------------------

// False if an address is code of a library that is linked into the program. True for all other addresses, and always if no library is
// linked into it.
bool book_is_programs(uint64_t address);
// Returns the linked-in library that an address belongs to; `book_program`: none.
uint32_t book_library_at(uint64_t address);
// Returns the code range of the linked-in library that contains this function. Calls from there are the library's own. `address`: the
// function's first byte. Empty: not known.
book_range book_library_around(uint64_t address);
// True if an address is code of Swift's overlay of libdispatch, linked into the program. It calls libdispatch on the program's behalf.
bool book_is_overlay(uint64_t address);

// Frees the memory of the names, some MB. The next lookup reads them again.
void book_close(void);

#endif
