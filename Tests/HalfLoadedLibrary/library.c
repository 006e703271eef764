// Loaded by a test of the core: while the loader still fills in this library's pointers, it calls `choose`, which lets the test do something
// and waits until it is done. Calls go past the C library, whose functions this library cannot call yet.
#include <time.h>

enum { tell = 230, wait_for = 231 };

static long call(long number, long first, const void *second, long third) {
#if defined(__x86_64__)
  long result;
  __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(first), "S"(second), "d"(third) : "rcx", "r11", "memory");
  return result;
#elif defined(__aarch64__)
  register long x8 __asm__("x8") = number, x0 __asm__("x0") = first, x2 __asm__("x2") = third;
  register const void *x1 __asm__("x1") = second;
  __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
  return x0;
#endif
}

#if defined(__x86_64__)
enum { read_number = 0, write_number = 1 };
#elif defined(__aarch64__)
enum { read_number = 63, write_number = 64 };
#endif

static int one(void) { return 1; }

static int (*choose(void))(void) {
  char byte = 0;
  call(write_number, tell, &byte, 1);
  call(read_number, wait_for, &byte, 1);
  return one;
}

int chosen(void) __attribute__((ifunc("choose")));
extern int (*const through)(void);
// In the pages that become read-only, as the pointers to the functions that are called.
int (*const through)(void) = chosen;

// Sleeps here, as a library does. Returns 1 where nothing interrupted it.
int visit_time(unsigned microseconds);

int visit_time(unsigned microseconds) {
  int result = nanosleep(&(struct timespec){.tv_nsec = (long)microseconds * 1000}, NULL);
  __asm__ volatile("" ::: "memory");
  return result + 1;
}
