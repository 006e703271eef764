// `epoll_wait` and its sisters: SwiftNIO's loops, run loops, libdispatch's own thread, and others. (`poll` is not among them: mostly it
// waits for one answer.)
#include "loops.h"

#include "../book/book.h"
#include "../loops/loops.h"
#include "../stacks/modules.h"

#if OPTRACE_HAS_HOOKS
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>

enum { index_wait, index_pwait, index_pwait2 };

static ORDERED_BY_EXCHANGE void *real(uint32_t index) { return loop_imports[index].real; }

// Only its own thread calls it there.
static bool is_dispatchs(const void *caller) {
  uint64_t address = (uint64_t)(uintptr_t)caller - 1;
  if (book_library_at(address) == book_dispatch) return true;
  uint32_t number = module_of(address);
  if (!number && modules_refresh()) number = module_of(address);
  const module *from = module_at(number);
  return from && strstr(from->path, "/libdispatch.so") != NULL;
}

// Null: nothing is recorded.
static inline __attribute__((always_inline)) loop_note *begin(optrace_recorder *recorder) {
  if (!recorder) return NULL;
  loop_note *note = loop_known(recorder);
  if (unlikely(!note)) return loop_add(recorder, is_dispatchs(__builtin_return_address(0)));
  loop_waits(note, recorder);
  return note;
}

// The call is made once and unchanged.
#define WAIT(call)                                \
  optrace_recorder *recorder = loops_recorder();  \
  loop_note *note = begin(recorder);              \
  int result = call;                              \
  if (note) loop_turns(note, recorder);           \
  return result

static int hook_wait(int set, struct epoll_event *events, int most, int timeout) {
  int (*call)(int, struct epoll_event *, int, int) = real(index_wait);
  WAIT(call(set, events, most, timeout));
}

static int hook_pwait(int set, struct epoll_event *events, int most, int timeout, const sigset_t *mask) {
  int (*call)(int, struct epoll_event *, int, int, const sigset_t *) = real(index_pwait);
  WAIT(call(set, events, most, timeout, mask));
}

static int hook_pwait2(int set, struct epoll_event *events, int most, const struct timespec *timeout, const sigset_t *mask) {
  int (*call)(int, struct epoll_event *, int, const struct timespec *, const sigset_t *) = real(index_pwait2);
  WAIT(call(set, events, most, timeout, mask));
}

#define EPOLL(name) [index_##name] = {"epoll_" #name, hook_##name}

hooked_import loop_imports[] = {EPOLL(wait), EPOLL(pwait), EPOLL(pwait2), {0}};
#endif
