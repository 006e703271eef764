// Gives code of the program a number, and writes once where it is: its frame, and the image that contains it. Together with its
// callers a frame stands for a stack.
#ifndef OPTRACE_CODE_H
#define OPTRACE_CODE_H

#include "COpTraceBegin.h"

// After `texts_begin`, whose room it uses, and before anybody records. From here on others describe code and stacks by it. False:
// memory is out.
bool code_begin(optrace_recorder *core);
// The number of a stack, given innermost address first: that of its innermost frame. `guessed`: the index of the first that was
// found without a compiler's unwind rule. 0: there is no room, which is counted as a loss.
uint32_t code_stack_id(optrace_recorder *core, const uint64_t *addresses, size_t count, size_t guessed);

#endif
