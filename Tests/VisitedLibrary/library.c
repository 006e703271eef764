// Loaded and unloaded by tests of the core: calls back, so that a walk goes through code that comes and goes.
int visit(int (*back)(void *context), void *context);

int visit(int (*back)(void *context), void *context) {
  int result = back(context);
  __asm__ volatile("" ::: "memory");
  return result + 1;
}

#if defined(__linux__)
#include <sys/epoll.h>
#include <time.h>

// Waits here, as a thread of a library's own does. Returns what `epoll_wait` does.
int visit_events(int set);

int visit_events(int set) {
  struct epoll_event event;
  int result = epoll_wait(set, &event, 1, -1);
  __asm__ volatile("" ::: "memory");
  return result;
}

// Sleeps here, as a library does. Returns 1 where nothing interrupted it.
int visit_time(unsigned microseconds);

int visit_time(unsigned microseconds) {
  int result = nanosleep(&(struct timespec){.tv_nsec = (long)microseconds * 1000}, NULL);
  __asm__ volatile("" ::: "memory");
  return result + 1;
}
#endif
