// Hooks functions that are linked into the program. They are not called through import tables, so they are hooked at their entries.
#ifndef OPTRACE_ENTERED_H
#define OPTRACE_ENTERED_H

#include "../book/book.h"
#include "../layouts/tables.h"

#if OPTRACE_HAS_HOOKS
// Null, or the reason why no function in the program can be hooked now.
const char *entered_misfit(void);
// Finds an imported function, and sets `real`, `owner`, `only` and `in_program`. If there is none, `real` is null.
void entered_find(hooked_import *function);
// Hooks a function in the program at its entry; `real` then calls the original. If that is not possible, the function stays unchanged and
// is listed as left out. Once for each function.
void entered_take_import(hooked_import *function);
// The same for a method that is called by name.
void entered_take_method(hooked_method *method);
// Hooks any function at its entry, including the calls from its own library, and sets *call to what calls the original. A failure is
// reported only in verbose mode.
bool entered_take_also(const char *name, const book_entry *function, void *hook, void **call);
#endif

#endif
