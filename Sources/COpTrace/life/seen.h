// What was seen of a thread, as the record `seen` has it.
#ifndef OPTRACE_SEEN_H
#define OPTRACE_SEEN_H

#include "../stacks/moment.h"

// `owner`: the trace's number of who has the lock; 0: nobody, or not known.
void seen_words(const moment_thread *seen, uint32_t owner, uint64_t words[2]);

#endif
