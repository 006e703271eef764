// Functions that are linked into the program: nobody calls them through an import table, so they are taken at their entries.
#ifndef OPTRACE_ENTERED_H
#define OPTRACE_ENTERED_H

#include "../book/book.h"
#include "tables.h"

#if OPTRACE_HAS_HOOKS
// Null, or the reason why no function in the program can be taken now.
const char *entered_misfit(void);
// Finds an imported function: `real`, `owner`, `only`, `in_program`. Without one, `real` is null.
void entered_find(hooked_import *function);
// Takes one that is in the program; `real` is then what calls it. One that cannot be taken stays as it is, and is left out. Once for
// each.
void entered_take_import(hooked_import *function);
// The same for a method that is called by name.
void entered_take_method(hooked_method *method);
// Takes any function, with the calls of its own library, and sets *call to what calls the original. Left out without a word,
// unless more words are wished.
bool entered_take_also(const char *name, const book_entry *function, void *hook, void **call);
#endif

#endif
