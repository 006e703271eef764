#include "bounds.h"

#include "supported.h"

#if OPTRACE_STACKS

#include <pthread.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

_Thread_local own_bounds stack_bounds_here;
#define own stack_bounds_here

#if defined(__GLIBC__)
// The end of the main thread's stack when the program began.
extern void *__libc_stack_end __attribute__((weak));

// For the main thread pthread_getattr_np would read /proc/self/maps. Instead this relies on the kernel, which keeps mappings at least
// 128 MB away from the stack.
static bool main_bounds(stack_bounds *out) {
  if (!&__libc_stack_end || !__libc_stack_end || (pid_t)syscall(SYS_gettid) != getpid()) return false;
  uint64_t here = (uint64_t)(uintptr_t)__builtin_frame_address(0), size = 64u << 20;
  struct rlimit limit;
  if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < size) size = limit.rlim_cur;
  out->high = (uint64_t)(uintptr_t)__libc_stack_end;
  out->low = out->high > size ? out->high - size : 0;
  // In a child that another thread has forked, that thread is the main thread, but its stack is a different one.
  return here >= out->low && here < out->high;
}
#else
static bool main_bounds(stack_bounds *out) {
  (void)out;
  return false;
}
#endif

static void ask(void) {
  own.is_asked = true;
  if (main_bounds(&own.bounds)) return;
  own.bounds = (stack_bounds){0, 0};
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
  void *low;
  size_t size;
  if (pthread_attr_getstack(&attributes, &low, &size) == 0)
    own.bounds = (stack_bounds){(uint64_t)(uintptr_t)low, (uint64_t)(uintptr_t)low + size};
  pthread_attr_destroy(&attributes);
}

stack_bounds stack_ask_bounds(void) {
  ask();
  return own.bounds;
}

#else

_Thread_local own_bounds stack_bounds_here;
stack_bounds stack_ask_bounds(void) { return (stack_bounds){0, 0}; }

#endif
