// Loaded and unloaded by tests of the core: calls back, so that a walk goes through code that comes and goes.
int visit(int (*back)(void *context), void *context);

int visit(int (*back)(void *context), void *context) {
  int result = back(context);
  __asm__ volatile("" ::: "memory");
  return result + 1;
}

#if defined(__linux__)
#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

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

// The calls themselves, as a library makes them.
ssize_t visit_read(int file, void *into, size_t size);
ssize_t visit_recv(int file, void *into, size_t size, int flags);
int visit_poll(struct pollfd *of, nfds_t count, int milliseconds);

ssize_t visit_read(int file, void *into, size_t size) { return read(file, into, size); }
ssize_t visit_recv(int file, void *into, size_t size, int flags) { return recv(file, into, size, flags); }
int visit_poll(struct pollfd *of, nfds_t count, int milliseconds) { return poll(of, count, milliseconds); }
#endif
