// Packs a thread of a snapshot into the words of its record (`thread-seen`).
#ifndef OPTRACE_SEEN_H
#define OPTRACE_SEEN_H

#include "../stacks/moment.h"

// `owner`: the number in the trace of the thread that holds the lock; 0: nobody, or not known.
void seen_words(const moment_thread *seen, uint32_t owner, uint64_t words[2]);

#endif
