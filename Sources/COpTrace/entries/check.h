// Tells by the return address whether a call comes from the function's own library.
#ifndef OPTRACE_CHECK_H
#define OPTRACE_CHECK_H

#include "move.h"

// Appends code that jumps to `hook` for calls from outside the library's code from `low` to `high` (low == high: for all calls). Only
// the library's own calls reach the code that is appended next. Changes flags (arm64: x16 and x17, too).
//
// Only a direct call counts as the library's own. Through a pointer the library also calls closures of the program, and such a closure
// may end with a jump to the function. That call returns to the library, but it is the program's.
void code_put_check(code_text *text, uint64_t low, uint64_t high, uint64_t hook);

#endif
