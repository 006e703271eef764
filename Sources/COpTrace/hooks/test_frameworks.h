// Hooks of XCTest and Swift Testing: tests as spans.
#ifndef OPTRACE_TEST_FRAMEWORKS_H
#define OPTRACE_TEST_FRAMEWORKS_H

#include "../layouts/tables.h"

#if OPTRACE_HAS_HOOKS
// Installed only in a process with Swift Testing. They are never removed: each push needs its pop.
extern hooked_import test_imports[];

enum { test_frameworks_none = 0, test_frameworks_testing = 1, test_frameworks_xctest = 2 };
// From now on tests are recorded, of the frameworks in the result. Costs nothing in a process without a test framework.
uint32_t tests_prepare(optrace_recorder *recorder);

enum { longest_test_name = 400 };
// Writes the name of the test in which this thread's code runs, without a zero byte behind it, and returns its length; 0: it is in no test.
size_t test_name_here(char *name);
#endif

#endif
