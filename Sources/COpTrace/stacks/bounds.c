#include "bounds.h"

#include "supported.h"

#if OPTRACE_STACKS

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../base/filter.h"
#include "../base/own_call.h"

_Thread_local own_bounds stack_bounds_here;
#define own stack_bounds_here

#if defined(__GLIBC__)
// The end of the main thread's stack when the program began.
extern void *__libc_stack_end __attribute__((weak));

// For the main thread pthread_getattr_np would read /proc/self/maps. Instead this relies on the kernel, which keeps mappings at least
// 128 MB away from the stack.
static bool main_bounds(stack_bounds *out) {
  if (!&__libc_stack_end || !__libc_stack_end) return false;
  uint64_t here = (uint64_t)(uintptr_t)__builtin_frame_address(0), size = 64u << 20;
  struct rlimit limit;
  if (system_call_begins()) {
    if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < size) size = limit.rlim_cur;
    bool is_main = (pid_t)syscall(SYS_gettid) == getpid();
    system_call_ends();
    if (!is_main) return false;
  }
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

// Reads them from the list of mappings, because the C library would ask for more than the stack, which a filter of system calls may forbid.
// Each line begins with "low-high ", in order.
static void find_mapping(uint64_t here, stack_bounds *out) {
  char text[4096 + 1], line[40] = {0};
  size_t length = 0;
  bool was = own_call_begins(), is_found = false;
  int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  for (ssize_t count; file >= 0 && !is_found && (count = read(file, text, sizeof text - 1)) > 0;)
    for (ssize_t i = 0; i < count && !is_found; i++) {
      if (text[i] != '\n') {
        if (length < sizeof line - 1) line[length++] = text[i];
        continue;
      }
      line[length] = 0;
      length = 0;
      char *rest;
      uint64_t low = strtoull(line, &rest, 16), high = *rest == '-' ? strtoull(rest + 1, NULL, 16) : 0;
      is_found = here >= low && here < high;
      if (is_found) *out = (stack_bounds){low, high};
    }
  if (file >= 0) close(file);
  own_call_ends(was);
}

static void ask(void) {
  own.is_asked = true;
  if (main_bounds(&own.bounds)) return;
  own.bounds = (stack_bounds){0, 0};
  if (!system_call_begins()) return find_mapping((uint64_t)(uintptr_t)__builtin_frame_address(0), &own.bounds);
  pthread_attr_t attributes;
  int error = pthread_getattr_np(pthread_self(), &attributes);
  system_call_ends();
  if (error) return;
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
