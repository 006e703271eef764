// The address book: where the functions and variables of Swift's libraries are, whether they are libraries of their own or linked
// into the program (`swiftc -static-stdlib`). There the loader knows no names, and the file's symbol table tells them.
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

// What a name leads to: as the loader finds it, else in the program. False: nowhere, or several things in the program have this
// name. Takes some 100 ns, and the loader's lock. Not for two threads at a time.
bool book_look_up(const char *name, book_entry *found);
// The same; null: not found.
void *book_find(const char *name);

// The same for a function of a loaded library that it does not export, by the symbols in its file. `library`: the file's name, without
// folders. Reads the file each time. False also if the file is not the one that is loaded.
bool book_look_up_in(const char *library, const char *name, book_entry *found);

// The loader's handle of a library that is loaded already, by its file's name; null: there is none. It need not be closed.
void *book_loaded(const char *library);

// Whether Swift's libraries are linked into the program. Reads the program's file once, if the loader knows no Swift library.
bool book_is_static(void);
// Whether the program's file was stripped of its symbols, and no debug file with the same build id was found.
bool book_is_stripped(void);
// Whether other names than the function's own stand at its address in the program: a linker has folded functions that have the same
// code. Calls of all of them would be heard as calls of it.
bool book_is_folded(const char *name, const void *address);

// ---- Whose code --------------------------------------------------------------------------------------------------------

// Whether an address in the program's file is the program's own code, and not of a library that is linked into it. True for all of it
// if nothing is linked into it.
bool book_is_programs(uint64_t address);
// Which library that is linked into the program an address belongs to; `book_program`: none.
uint32_t book_library_at(uint64_t address);
// The code of the library that a function in the program belongs to: calls from there are the library's own. Empty: not known.
book_range book_library_around(uint64_t address);
// The same for Swift's overlay of libdispatch, which calls it on the program's behalf.
book_range book_overlay(void);

// Gives back the memory of the names, some MB; looking up reads them again.
void book_close(void);

#endif
