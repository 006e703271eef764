// Hooks of the calls that sleep, or wait for a disk. Unlike other waits, these end by themselves, and no thread signals them. They matter
// where others have to wait meanwhile: inside work, and in the turn of an event loop.
#include "sleeping.h"

#include "../objects/state.h"
#include "../records/buffers.h"
#include "callers.h"
#include "inside.h"

#if OPTRACE_HAS_HOOKS
#include <errno.h>
#include <time.h>
#include <unistd.h>

enum {
  index_sleep, index_usleep, index_nanosleep, index_clock_nanosleep, index_fsync, index_fdatasync, index_msync, index_sync_file_range,
};

static ORDERED_BY_EXCHANGE void *real(uint32_t index) { return sleeping_imports[index].real; }

// The object of the wait. Time and the disk have no address, so this is one that no object of a program has.
static const void *const nowhere = (const void *)1;

static thread_buffer *note(uint8_t kind, const void *caller, stack_start start) {
  // Sleeping inside an operation is not recorded: it shows as running time, and demo programs sleep in place of real work.
  // These calls are allowed in a signal handler.
  work inside = inside_own_work();
  if (!recorder_is_enabled(inside.recorder) || inside_handler(&start) || caller_is_runtime(caller)) return NULL;
  thread_buffer *buffer = buffer_find(inside.recorder);
  if (!buffer) return NULL;
  inside_end_left(buffer, &start);
  return wait_begin(inside, waited_object(nowhere, kind), start);
}

static __attribute__((noinline)) thread_buffer *begin_inside(uint8_t kind, const void *caller, stack_start start) {
  if (!hooks_active() || optrace_frame_is_waiting()) return NULL;
  int error = errno;
  thread_buffer *wait = note(kind, caller, start);
  errno = error;
  return wait;
}

// Null: the wait is not recorded. Always inlined into the hook, because the stack is walked from the hook's frame.
static inline __attribute__((always_inline)) thread_buffer *begin(uint8_t kind) {
  if (!inside_is_likely()) return NULL;
  return begin_inside(kind, __builtin_return_address(0), stack_here());
}

// Makes the call once and unchanged. What is recorded afterwards does not change `errno`.
#define WAIT(kind, type, call)                              \
  thread_buffer *wait = begin(optrace_object_##kind);       \
  type result = call;                                       \
  if (wait) wait_end(wait);                                 \
  return result

static unsigned hook_sleep(unsigned seconds) {
  unsigned (*call)(unsigned) = real(index_sleep);
  WAIT(sleep, unsigned, call(seconds));
}

static int hook_usleep(useconds_t microseconds) {
  int (*call)(useconds_t) = real(index_usleep);
  WAIT(sleep, int, call(microseconds));
}

static int hook_nanosleep(const struct timespec *time, struct timespec *left) {
  int (*call)(const struct timespec *, struct timespec *) = real(index_nanosleep);
  WAIT(sleep, int, call(time, left));
}

static int hook_clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *left) {
  int (*call)(clockid_t, int, const struct timespec *, struct timespec *) = real(index_clock_nanosleep);
  WAIT(sleep, int, call(clock, flags, time, left));
}

static int hook_fsync(int file) {
  int (*call)(int) = real(index_fsync);
  WAIT(disk, int, call(file));
}

static int hook_fdatasync(int file) {
  int (*call)(int) = real(index_fdatasync);
  WAIT(disk, int, call(file));
}

static int hook_msync(void *from, size_t bytes, int flags) {
  int (*call)(void *, size_t, int) = real(index_msync);
  WAIT(disk, int, call(from, bytes, flags));
}

static int hook_sync_file_range(int file, int64_t from, int64_t bytes, unsigned flags) {
  int (*call)(int, int64_t, int64_t, unsigned) = real(index_sync_file_range);
  WAIT(disk, int, call(file, from, bytes, flags));
}

#define CALL(name) [index_##name] = {#name, hook_##name}

hooked_import sleeping_imports[] = {
  CALL(sleep), CALL(usleep), CALL(nanosleep), CALL(clock_nanosleep), CALL(fsync), CALL(fdatasync), CALL(msync), CALL(sync_file_range), {0},
};
#endif
