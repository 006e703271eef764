// Waiting for a word in memory, without a lock: also in a signal handler.
#ifndef OPTRACE_WORD_H
#define OPTRACE_WORD_H

#include <stdatomic.h>
#include <stdint.h>

// Returns when the word is not `is`, when it is woken, or after so many nanoseconds; or earlier, without a reason.
void word_wait(_Atomic uint32_t *word, uint32_t is, uint64_t nanoseconds);
// Wakes all threads that wait for the word.
void word_wake(_Atomic uint32_t *word);

#endif
