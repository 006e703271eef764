// Whose call it is, by where it returns to.
#ifndef OPTRACE_CHECK_H
#define OPTRACE_CHECK_H

#include "move.h"

// Puts down a jump to `hook` for calls from outside of the library from `low` to `high` (low == high: for all). What is put down
// next is reached by the library's own calls, and by nobody else. Changes flags (arm64: x16 and x17, too).
//
// A library's own call is one by name. By a pointer it also calls what the program gave it, which may end with a jump to the
// function: that returns to the library, and is the program's call.
void code_put_check(code_text *text, uint64_t low, uint64_t high, uint64_t hook);

#endif
