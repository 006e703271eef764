// Functions whose calls are heard at their first instruction, wherever they come from: for code that is linked into the program,
// where no import leads to it. See `Documentation/hooks.md`.
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

// Redirects calls of `function` to `hook`. `size`: the function's bytes as its symbol says (0: not known; then it is not seen
// whether it leads back into its first bytes). Sets *call to what calls the original. Changes nothing unless it returns
// `entry_taken`. `library`: code whose own calls are not heard, but go straight on; empty: none. Not for two threads at a time.
//
// At the hook all is as at the function: arguments, every register (Swift's, too) and the stack; flags alone may differ. So the
// hook has the function's type and convention, and the function's caller is its caller, for who walks the stack as well. Only
// between the two, in a few instructions that belong to no file, there is no rule for the stack.
//
// A function may be taken again: the last hook is called first, and its `call` leads to the hook before. Where several functions
// were folded into one, the hook hears all of them: whoever knows names must not ask for it. It is never undone.
entry_result entry_take(void *function, uint64_t size, book_range library, void *hook, void **call);

// One plain sentence part, e.g. "its first bytes are not known".
const char *entry_result_text(entry_result result);

// Whether code can be written in this process at all (tried on a page of our own, once), else why.
entry_result entries_possible(void);

// Whether this thread is the only one of the process, but for the recorder's own. False also if nobody can tell.
bool entries_is_alone(void);
// A thread of the recorder's is about to be made (and was not made), or is about to end. It runs no code that is taken.
void entries_own_thread(bool begins);

// Whether functions are taken although other threads run, or although nobody can tell. The caller knows that none of them is inside
// of the first instructions of what is taken. The jump itself is one aligned word.
void entries_allow_threads(bool are_allowed);

#endif
