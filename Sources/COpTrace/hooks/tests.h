// Tests of XCTest and Swift Testing, as spans.
#ifndef OPTRACE_TESTS_H
#define OPTRACE_TESTS_H

#include "tables.h"

#if OPTRACE_HAS_HOOKS
// Those that are put in place only in a process with Swift Testing. They stay there: each push has its pop.
extern hooked_import test_imports[];

enum { test_frameworks_none = 0, test_frameworks_testing = 1, test_frameworks_xctest = 2 };
// Tests are recorded from here on: of the frameworks in the result. Those of a process without any cost nothing.
uint32_t tests_prepare(optrace_recorder *recorder);
#endif

#endif
