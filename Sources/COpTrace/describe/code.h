// Gives code of the program a number, and writes once where it is: its frame, and the image that contains it. Together with its
// callers a frame stands for a stack. For recordings that are begun from C; CodeInterner.swift is the same for those of the
// library.
#ifndef OPTRACE_CODE_H
#define OPTRACE_CODE_H

#include "COpTrace.h"

// After `texts_begin`, whose recorder and room it uses.

// The number of a function, by its address; 0: it is in no image, or there is no room.
uint32_t code_id(uint64_t function);
// The same as what `optrace_record_dispatch` and `optrace_record_tasks` take. The context is not used.
uint32_t code_define(void *context, uint64_t function);
// The number of a stack, given innermost address first: that of its innermost frame. 0: there is no room, which is counted as a
// loss. As what `optrace_recorder_use_stacks` takes; the context is not used.
uint32_t code_define_stack(void *context, const uint64_t *addresses, size_t count, size_t guessed);

// The number of a sampled stack, as what `optrace_recorder_profile` takes: the innermost address is where the thread was. In a ring
// the frames stand among the calling thread's records, and go with the samples that they belong to. One thread at a time.
uint32_t code_define_sample(void *context, const uint64_t *addresses, size_t count, size_t guessed, bool is_cut);

#endif
