// What the tests of hooked calls share.
#ifndef CORETESTS_HOOKED_H
#define CORETESTS_HOOKED_H

#include "COpTrace.h"
#include "reader.h"

// The recorder, with stacks of waits, the hooks, and what `record` begins. Null: the test has failed.
optrace_recorder *hooked_begin(optrace_recorder *recorder, const char *(*record)(optrace_recorder *recorder));
// What was recorded into run.optrace, without the hooks.
trace hooked_end(optrace_recorder *recorder);

#endif
