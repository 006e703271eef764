// Hooks `epoll_wait` and its variants, in which SwiftNIO's loops, run loops, libdispatch's manager thread and others wait. `poll` is
// usually a wait for one answer, and not a loop. Except in run loops: they poll their epoll set, and read it only if it has events.
#include "loops.h"

#include "../loops/loops.h"
#include "../waits/calls.h"
#include "callers.h"
#include "inside.h"

#if OPTRACE_HAS_HOOKS
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

enum { index_wait, index_pwait, index_pwait2, index_poll, index_ppoll };

static ORDERED_BY_EXCHANGE void *real(uint32_t index) { return loop_imports[index].real; }

// A run loop that work runs for a while on a thread of a pool, as Foundation does to wait for the end of a child process: it is no loop of the
// thread, and its waits are calls that block the work.
static bool passes(const void *caller) {
  return frame_is_of_own_work() && optrace_thread_id() != (uint32_t)getpid() && caller_is_foundation(caller);
}

static __attribute__((noinline)) loop_note *add(optrace_recorder *recorder, const void *caller) {
  // Inside libdispatch only its manager thread waits so.
  return passes(caller) ? NULL : loop_add(recorder, caller_is_dispatch(caller));
}

// Null: nothing is recorded. `asks`: the call has a timeout of 0, and so does not wait.
static inline __attribute__((always_inline)) loop_note *begin(optrace_recorder *recorder, int set, bool asks) {
  if (!recorder) return NULL;
  loop_note *note = loop_known(recorder);
  if (unlikely(!note && !(note = add(recorder, __builtin_return_address(0))))) return NULL;
  // The turn has begun already.
  bool is_polled = note->is_polled;
  note->is_polled = false;
  if (unlikely(is_polled && asks && set == note->set)) return NULL;
  note->set = set;
  loop_waits(note, recorder);
  return note;
}

static inline __attribute__((always_inline)) loop_note *begin_poll(optrace_recorder *recorder, const struct pollfd *files, nfds_t count) {
  loop_note *note = recorder && count == 1 ? loop_known(recorder) : NULL;
  if (!note || files->fd != note->set) return NULL;
  loop_waits(note, recorder);
  return note;
}

// The call is made once and unchanged.
#define WAIT(begin, call)                         \
  optrace_recorder *recorder = loops_recorder();  \
  loop_note *note = begin;                        \
  int result = call;                              \
  if (note) loop_turns(note, recorder)

static int hook_wait(int set, struct epoll_event *events, int most, int timeout) {
  int (*call)(int, struct epoll_event *, int, int) = real(index_wait);
  WAIT(begin(recorder, set, timeout == 0), call(set, events, most, timeout));
  return result;
}

static int hook_pwait(int set, struct epoll_event *events, int most, int timeout, const sigset_t *mask) {
  int (*call)(int, struct epoll_event *, int, int, const sigset_t *) = real(index_pwait);
  WAIT(begin(recorder, set, timeout == 0), call(set, events, most, timeout, mask));
  return result;
}

static int hook_pwait2(int set, struct epoll_event *events, int most, const struct timespec *timeout, const sigset_t *mask) {
  int (*call)(int, struct epoll_event *, int, const struct timespec *, const sigset_t *) = real(index_pwait2);
  WAIT(begin(recorder, set, false), call(set, events, most, timeout, mask));
  return result;
}

// A call that is not the loop's own wait, but one for an answer. `asks`: as above.
static inline __attribute__((always_inline)) thread_buffer *begin_answer(const loop_note *note, const struct pollfd *files, nfds_t count, bool asks) {
  if (note || asks || !inside_is_likely() || !inside_are_holdups_wanted()) return NULL;
  return inside_begin(call_object(call_poll, count == 1 ? (uint32_t)files->fd : call_without_file), stack_here());
}

#define POLL_WAIT(asks, call)                                           \
  thread_buffer *wait = NULL;                                           \
  WAIT(begin_poll(recorder, files, count), (wait = begin_answer(note, files, count, asks), call)); \
  inside_end(wait);                                                     \
  if (note) note->is_polled = result > 0;                               \
  return result

static int hook_poll(struct pollfd *files, nfds_t count, int timeout) {
  int (*call)(struct pollfd *, nfds_t, int) = real(index_poll);
  POLL_WAIT(timeout == 0, call(files, count, timeout));
}

static int hook_ppoll(struct pollfd *files, nfds_t count, const struct timespec *timeout, const sigset_t *mask) {
  int (*call)(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *) = real(index_ppoll);
  POLL_WAIT(false, call(files, count, timeout, mask));
}

#define LOOP(name) [index_##name] = {"epoll_" #name, hook_##name}
#define POLL(name) [index_##name] = {#name, hook_##name}

hooked_import loop_imports[] = {LOOP(wait), LOOP(pwait), LOOP(pwait2), POLL(poll), POLL(ppoll), {0}};
#endif
