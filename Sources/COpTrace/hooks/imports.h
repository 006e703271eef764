// Calls by name.
#ifndef OPTRACE_IMPORTS_H
#define OPTRACE_IMPORTS_H

#include "tables.h"

#if OPTRACE_HAS_HOOKS
// Where Foundation is loaded; null when it is not a library of its own.
void *foundation_handle(void);
// The tables of imported functions: Foundation's, and anybody's. Those from `imports_dispatch` on are put in place only once they
// are wanted. Of two tables with the same function the later one has it.
enum { imports_foundation, imports_blocking, imports_dispatch, imports_tasks, imports_tests, import_tables };
// Finds what is hooked: methods of Foundation, called by name, and imported functions.
bool imports_resolve(hooked_method *const methods[2], hooked_import *const imports[import_tables]);
void imports_want(int table);
// Lets the calls of all loaded objects through the hooks, or back to the real functions. Quick when no object has come
// since the last time. Not for two threads at a time.
void imports_patch(bool on);
#endif

#endif
