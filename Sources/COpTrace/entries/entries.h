// Hooks functions at their entry: a jump that leads to the hook replaces the first instructions, so calls from everywhere arrive there.
// For code that is linked into the program, which is not called through imports. See `Documentation/recorder.md`.
#ifndef OPTRACE_ENTRIES_H
#define OPTRACE_ENTRIES_H

#include <stdbool.h>
#include <stdint.h>

#include "../book/range.h"

typedef enum {
  entry_taken,
  entry_unsupported,
  entry_unknown_code,
  entry_too_short,
  entry_many_threads,
  entry_unwritable,
  entry_no_room,
  entry_unaligned,
} entry_result;

// Redirects calls of `function` to `hook`. `size`: the size of the function in bytes, from its symbol (0: not known; then jumps back
// into its first bytes are not detected). Sets *call to an address that calls the original. Changes nothing unless it returns
// `entry_taken`. `library`: code whose own calls go to the original and not to the hook; empty: none. Not for two threads at a time.
//
// At the hook everything is as at the function's entry: the arguments, every register (Swift's, too) and the stack; only flags may
// differ. So the hook must have the function's type and calling convention, and its caller is the function's caller, also for stack
// walks. Only the few instructions between the two, which belong to no file, have no unwind rule.
//
// A function may be hooked again: the last hook is called first, and its `call` leads to the hook before it. If the linker has folded
// several functions into one, the hook gets the calls of all of them, so callers that know the names must avoid such functions. A hook
// is never removed.
entry_result entry_take(void *function, uint64_t size, book_range library, void *hook, void **call);

// Part of a sentence for messages, such as "its first bytes are not known".
const char *entry_result_text(entry_result result);

// Whether code can be changed in this process at all (tried once, on a page of our own); if not, the result says why.
entry_result entries_possible(void);

// Whether this thread is the only one of the process, apart from the recorder's own threads. False also if that is not known.
bool entries_is_alone(void);
// Counts the recorder's own threads, which run no hooked code. True: one is about to be created. False: it is about to end, or could
// not be created.
void entries_own_thread(bool begins);

// Allows functions to be hooked while other threads run, or may run. The caller guarantees that none of them is inside the first
// instructions of such a function. The jump itself is written as one aligned word.
void entries_allow_threads(bool are_allowed);

#endif
