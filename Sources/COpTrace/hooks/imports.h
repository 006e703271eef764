// Calls by name.
#ifndef OPTRACE_IMPORTS_H
#define OPTRACE_IMPORTS_H

#include "tables.h"

#if OPTRACE_HAS_HOOKS
// The tables of imported functions: Foundation's, and others'. From `imports_dispatch` on they are installed only when wanted. If
// two tables have the same function, the later table counts.
enum {
  imports_foundation, imports_blocking, imports_sleeping, imports_timers, imports_once, imports_dispatch, imports_tasks, imports_loops,
  imports_tests, import_tables,
};
// Finds what is hooked: methods of Foundation that are called by name, and imported functions. Without Foundation the functions of
// others. Only the first call counts.
bool imports_resolve(hooked_method *const methods[2], hooked_import *const imports[import_tables], bool with_foundation);
void imports_want(int table);
bool imports_wanted(int table);
// Redirects the calls of all loaded objects to the hooks, or back to the real functions. Fast if no object was loaded since the
// last time. Not for two threads at a time.
void imports_patch(bool on);
#endif

#endif
