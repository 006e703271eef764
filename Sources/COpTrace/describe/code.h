// Numbers code addresses of the program. Writes each address into the trace once, as a frame, and the image that contains it. A frame
// together with its callers is a stack.
#ifndef OPTRACE_CODE_H
#define OPTRACE_CODE_H

#include "../stacks/unloaded.h"
#include "COpTraceBegin.h"

// Makes the recorder describe code and stacks from now on. Call it after `texts_begin`, whose room it uses, and before anybody records.
// False: memory is out.
bool code_begin(optrace_recorder *core);
// Returns the number of a stack, which is that of its innermost frame. `addresses`: innermost first. `guessed`: the index of the first
// address that was found without an unwind rule. `time`: the addresses mean what was loaded then, on the monotonic clock; `code_now`: what
// is loaded. 0: there is no room, which is counted as a loss.
uint32_t code_stack_id(optrace_recorder *core, const uint64_t *addresses, size_t count, size_t guessed, uint64_t time);

#endif
