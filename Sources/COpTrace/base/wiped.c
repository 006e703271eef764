#include "wiped.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

static void *fresh_pages(size_t size) {
  void *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return pages == MAP_FAILED ? NULL : pages;
}

// A header before the caller's bytes. Headers are never removed from the list.
typedef struct wiped {
  struct wiped *next;
  size_t size;
} wiped;
// Keeps the caller's bytes aligned.
enum { wiped_head = 64 };
_Static_assert(sizeof(wiped) <= wiped_head, "the head has no room");

static wiped *_Atomic wiped_all;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int handler_error;

// Clears the pages. Runs in the child, which has only one thread. It only stores to memory, which is safe there.
static void wipe(void) {
  for (wiped *one = atomic_load(&wiped_all); one; one = one->next) memset((char *)one + wiped_head, 0, one->size);
}

static void set_handler(void) { handler_error = pthread_atfork(NULL, NULL, wipe); }

void *wiped_pages_by_handler(size_t size) {
  pthread_once(&once, set_handler);
  wiped *one = handler_error ? NULL : fresh_pages(wiped_head + size);
  if (!one) return NULL;
  one->size = size;
  one->next = atomic_load(&wiped_all);
  while (!atomic_compare_exchange_weak(&wiped_all, &one->next, one)) {}
  return (char *)one + wiped_head;
}

#if defined(MADV_WIPEONFORK)

void *wiped_pages(size_t size) {
  void *pages = fresh_pages(size);
  if (pages && madvise(pages, size, MADV_WIPEONFORK) != 0) {
    munmap(pages, size);
    return NULL;
  }
  return pages;
}

void wiped_pages_free(void *pages, size_t size) { munmap(pages, size); }

#else

void *wiped_pages(size_t size) { return wiped_pages_by_handler(size); }

// Does nothing, because the fork handler still writes to the pages.
void wiped_pages_free(void *pages, size_t size) { (void)pages, (void)size; }

#endif
