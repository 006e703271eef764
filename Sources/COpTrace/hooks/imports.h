// Hooks calls by name, which go through import tables.
#ifndef OPTRACE_IMPORTS_H
#define OPTRACE_IMPORTS_H

#include "../layouts/tables.h"

#if OPTRACE_HAS_HOOKS
// The tables of imported functions, of Foundation and of other libraries. The tables of calls, of contended locks and of orders, and those
// from `imports_dispatch` on, are installed only on request. If two tables contain the same function, the later table counts.
enum {
  imports_foundation, imports_blocking, imports_sleeping, imports_timers, imports_once, imports_calls,
  imports_contended, imports_system, imports_libraries, imports_orders, imports_memory,
  imports_dispatch, imports_tasks, imports_loops, imports_tests, import_tables,
};
// Finds what will be hooked: methods of Foundation that are called by name, and imported functions. Without Foundation only functions of
// other libraries. Only the first call has an effect.
bool imports_resolve(hooked_method *const methods[2], hooked_import *const imports[import_tables], bool with_foundation);
void imports_want(int table);
bool imports_wanted(int table);
// Redirects the calls from all loaded objects to the hooks, or back to the real functions. Fast if no object was loaded since the last
// call. Not for two threads at a time.
void imports_patch(bool on);
#endif

#endif
